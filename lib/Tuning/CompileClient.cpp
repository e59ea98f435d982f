// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner's side of the compile server.

#include "CompileProtocol.h"
#include "Diffuse/Measure/ReservedCore.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/FindProgram.h"
#include "Diffuse/Support/JsonFields.h"
#include "Diffuse/Tuning/CompileServer.h"

#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// Seconds that the server may take beyond the limit of a compilation, to start
/// or to take a subgraph in, on a busy machine.
static constexpr double kGraceSeconds = 30;
/// Seconds for a compilation to end that nobody wants: about what it costs to
/// start a server that knows the subgraphs.
static constexpr double kDropSeconds = 1;
/// Tries of one compilation, each after a fault of something else.
static constexpr unsigned kAttempts = 2;

CandidateCompiler::~CandidateCompiler() = default;

bool diffuse::operator==(const CompileRequest &a, const CompileRequest &b) {
  auto members = [](const CompileRequest &request) {
    return std::tie(request.subgraph, request.schedule, request.sequence,
                    request.libraryPath, request.strict, request.optLevel);
  };
  return members(a) == members(b);
}

/// With the object that a compilation which was cut off may have left.
static void removeLibrary(const CompileRequest &request) {
  unlink(request.libraryPath.c_str());
  unlink((request.libraryPath + ".o").c_str());
}

ServerCompiler::ServerCompiler(Options options) : options(std::move(options)) {}
ServerCompiler::~ServerCompiler() {
  server.reset();
  if (ahead)
    removeLibrary(ahead->request);
}

/// Reads the answer to the request `number`.
static llvm::Expected<Json> parseAnswer(StringRef line, uint64_t number) {
  llvm::Expected<Json> answer = Json::parse(line);
  if (!answer)
    return answer;
  uint64_t answered = 0;
  JsonFields fields(*answer, "answer");
  fields.require(protocol::kRequest, answered);
  if (llvm::Error error = fields.takeError())
    return error;
  if (answered != number)
    return makeError("the compile server answered request " +
                     llvm::Twine(answered) + " instead of " +
                     llvm::Twine(number));
  return answer;
}

llvm::Error ServerCompiler::writeRequest(Json request, double seconds) {
  request.set(protocol::kRequest, ++requestNumber);
  llvm::Error error = server->writeLine(request.dump(), seconds);
  if (error)
    server.reset();
  return error;
}

llvm::Expected<Json> ServerCompiler::readAnswer(double seconds) {
  auto answer = [&]() -> llvm::Expected<Json> {
    llvm::Expected<std::string> line = server->readLine(seconds);
    if (!line)
      return line.takeError();
    return parseAnswer(*line, requestNumber);
  }();
  if (!answer)
    server.reset();
  return answer;
}

llvm::Expected<Json> ServerCompiler::ask(Json request, double seconds) {
  if (llvm::Error error = writeRequest(std::move(request), seconds))
    return error;
  return readAnswer(seconds);
}

/// An answer that says what went wrong, as an error.
static llvm::Error errorIn(const Json &answer) {
  const Json *error = answer.find(protocol::kError);
  const std::string *message = error ? error->asString() : nullptr;
  return message ? makeError(*message) : llvm::Error::success();
}

llvm::Error ServerCompiler::introduce(const Subgraph &subgraph) {
  Json request = Json::object();
  request.set(protocol::kSubgraph, subgraph.hash)
      .set(protocol::kText, subgraph.text)
      .set(protocol::kFunction, subgraph.function);
  llvm::Expected<Json> answer = ask(std::move(request), kGraceSeconds);
  return answer ? errorIn(*answer) : answer.takeError();
}

llvm::Error ServerCompiler::startServer() {
  llvm::Expected<std::string> program = findProgram(options.program);
  if (!program)
    return program.takeError();
  ChildCommand command;
  command.program = *program;
  command.interrupted = options.interrupted;
  llvm::Expected<std::unique_ptr<ChildProcess>> started =
      ChildProcess::start(command);
  if (!started)
    return started.takeError();
  server = std::move(*started);
  cores.clear();
  llvm::Expected<std::string> greeting = server->readLine(kGraceSeconds);
  if (!greeting)
    return greeting.takeError();
  Json settings = Json::object();
  settings.set(protocol::kTarget, options.target)
      .set(protocol::kNumerics, printNumerics(options.numerics))
      .set(protocol::kFlush, options.flushDenormals);
  llvm::Expected<Json> answer =
      ask(Json::object().set(protocol::kOptions, settings), kGraceSeconds);
  if (!answer)
    return answer.takeError();
  if (llvm::Error error = errorIn(*answer))
    return error;
  for (const Subgraph &subgraph : subgraphs)
    if (llvm::Error error = introduce(subgraph))
      return error;
  return llvm::Error::success();
}

llvm::Error ServerCompiler::ensureServer() {
  if (server)
    return llvm::Error::success();
  llvm::Error error = startServer();
  // One that knows a part of it would compile something else.
  if (error)
    server.reset();
  return error;
}

llvm::Error ServerCompiler::addSubgraph(StringRef hash, StringRef moduleText,
                                        StringRef function) {
  auto isThis = [&](const Subgraph &other) { return other.hash == hash; };
  if (llvm::any_of(subgraphs, isThis))
    return llvm::Error::success();
  finishAhead();
  if (llvm::Error error = ensureServer())
    return error;
  Subgraph subgraph{hash.str(), moduleText.str(), function.str()};
  if (llvm::Error error = introduce(subgraph))
    return error;
  subgraphs.push_back(std::move(subgraph));
  return llvm::Error::success();
}

/// An answer to a request to compile.
static llvm::Expected<CompileOutcome> readOutcome(llvm::Expected<Json> answer) {
  if (!answer)
    return answer.takeError();
  if (llvm::Error error = errorIn(*answer))
    return error;
  return protocol::parseOutcome(*answer);
}

void ServerCompiler::keepToFreeCores() {
  std::vector<int> free =
      options.findCores ? options.findCores() : std::vector<int>();
  if (free == cores)
    return;
  cores = std::move(free);
  keepToCores(server->processId(), cores);
}

llvm::Expected<CompileOutcome>
ServerCompiler::tryCompile(const CompileRequest &request) {
  finishAhead();
  if (llvm::Error error = ensureServer())
    return error;
  // What makes no library is not measured, and disturbs nothing.
  if (!request.libraryPath.empty())
    keepToFreeCores();
  return readOutcome(ask(protocol::compileRequest(request, options.limits),
                         options.limits.wallSeconds + kGraceSeconds));
}

void ServerCompiler::finishAhead() {
  if (!ahead || ahead->outcome)
    return;
  llvm::Expected<CompileOutcome> outcome =
      readOutcome(readAnswer(options.limits.wallSeconds + kGraceSeconds));
  if (outcome) {
    ahead->outcome = std::move(*outcome);
    return;
  }
  // Whoever asks for it now hears what is wrong.
  llvm::consumeError(outcome.takeError());
  server.reset();
  ahead.reset();
}

void ServerCompiler::compileAhead(const CompileRequest &request) {
  if (!compilesAhead())
    return;
  dropAhead();
  // Whoever compiles it later hears what is wrong.
  if (llvm::Error error = ensureServer())
    return llvm::consumeError(std::move(error));
  keepToFreeCores();
  if (!compilesAhead())
    return;
  if (llvm::Error error = writeRequest(
          protocol::compileRequest(request, options.limits), kGraceSeconds))
    return llvm::consumeError(std::move(error));
  ahead = {request, std::nullopt};
}

void ServerCompiler::dropAhead() {
  if (!ahead)
    return;
  if (!ahead->outcome)
    llvm::consumeError(readAnswer(kDropSeconds).takeError());
  removeLibrary(ahead->request);
  ahead.reset();
}

std::optional<CompileOutcome>
ServerCompiler::takeAhead(const CompileRequest &request) {
  if (!ahead || !(ahead->request == request))
    return std::nullopt;
  finishAhead();
  std::optional<Ahead> taken = std::exchange(ahead, std::nullopt);
  return taken ? taken->outcome : std::nullopt;
}

CompileOutcome ServerCompiler::compile(const CompileRequest &request) {
  std::optional<CompileOutcome> begun = takeAhead(request);
  if (begun && begun->failure != FailureKind::Unmeasurable)
    return *begun;
  CompileOutcome failed;
  failed.failure = FailureKind::Unmeasurable;
  failed.message = "interrupted";
  // A server may have died since its last request.
  for (unsigned attempt = 0; attempt < kAttempts && !isInterrupted();
       ++attempt) {
    llvm::Expected<CompileOutcome> outcome = tryCompile(request);
    if (!outcome) {
      failed.message =
          "the compile server failed: " + llvm::toString(outcome.takeError());
      server.reset();
      continue;
    }
    if (outcome->failure != FailureKind::Unmeasurable)
      return *outcome;
    failed.message = outcome->message;
  }
  return failed;
}
