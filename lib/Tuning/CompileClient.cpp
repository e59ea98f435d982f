// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner's side of the compile server.

#include "CompileProtocol.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/FindProgram.h"
#include "Diffuse/Tuning/CompileServer.h"

#include <chrono>

using namespace diffuse;
using llvm::StringRef;

/// Seconds that the server may take beyond the limit of a compilation, to start
/// or to take a subgraph in, on a busy machine.
static constexpr double kGraceSeconds = 30;

CandidateCompiler::~CandidateCompiler() = default;

ServerCompiler::ServerCompiler(Options options) : options(std::move(options)) {}
ServerCompiler::~ServerCompiler() = default;

llvm::Expected<Json> ServerCompiler::ask(const Json &request, double seconds) {
  if (llvm::Error error = server->writeLine(request.dump(), seconds))
    return error;
  llvm::Expected<std::string> line = server->readLine(seconds);
  if (!line)
    return line.takeError();
  return Json::parse(*line);
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
  llvm::Expected<Json> answer = ask(request, kGraceSeconds);
  return answer ? errorIn(*answer) : answer.takeError();
}

llvm::Error ServerCompiler::ensureServer() {
  if (server)
    return llvm::Error::success();
  llvm::Expected<std::string> program = findProgram("diffuse-compile-server");
  if (!program)
    return program.takeError();
  ChildCommand command;
  command.program = *program;
  llvm::Expected<std::unique_ptr<ChildProcess>> started =
      ChildProcess::start(command);
  if (!started)
    return started.takeError();
  server = std::move(*started);
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

llvm::Error ServerCompiler::addSubgraph(StringRef hash, StringRef moduleText,
                                        StringRef function) {
  if (llvm::Error error = ensureServer())
    return error;
  Subgraph subgraph{hash.str(), moduleText.str(), function.str()};
  if (llvm::Error error = introduce(subgraph))
    return error;
  subgraphs.push_back(std::move(subgraph));
  return llvm::Error::success();
}

CompileOutcome ServerCompiler::compile(const CompileRequest &request) {
  auto start = std::chrono::steady_clock::now();
  auto outcome = [&]() -> llvm::Expected<CompileOutcome> {
    if (llvm::Error error = ensureServer())
      return error;
    llvm::Expected<Json> answer =
        ask(protocol::compileRequest(request, options.limits),
            options.limits.wallSeconds + kGraceSeconds);
    if (!answer)
      return answer.takeError();
    if (llvm::Error error = errorIn(*answer))
      return error;
    return protocol::parseOutcome(*answer);
  }();
  if (outcome) {
    outcome->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return *outcome;
  }
  // The server itself failed: the next request starts a new one.
  server.reset();
  CompileOutcome failed;
  failed.failure = FailureKind::CompileCrash;
  failed.message = llvm::toString(outcome.takeError());
  return failed;
}
