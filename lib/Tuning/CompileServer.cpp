// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/CompileServer.h"

#include "CompileProtocol.h"
#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Codegen/WarmUp.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Descriptor.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/ForkedCall.h"
#include "Diffuse/Support/JsonFields.h"
#include "Diffuse/Support/StackOverflow.h"
#include "Diffuse/Target/TargetDescription.h"
#include "LinkCandidate.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <csignal>
#include <cstdio>
#include <map>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// Symbol of every candidate: libraries of candidates are never linked
/// together.
static constexpr llvm::StringLiteral kSymbol = "diffuse_candidate";
/// Exit status of a child whose candidate was refused with a diagnostic.
static constexpr int kRefused = 3;

namespace {
/// State of one server.
class Server {
public:
  /// Answers go to the descriptor `answers`.
  Server(int answers, CandidateLinker link);
  /// The answer to one request line.
  Json answer(StringRef line);
  /// What can be done ahead while nobody waits for an answer.
  void prepare();

private:
  /// The answer without its number.
  Json answer(const Json &request);
  llvm::Error setOptions(const Json &value);
  llvm::Error addSubgraph(const Json &value);
  llvm::Expected<CompileOutcome> compile(const Json &value);
  /// Runs in the forked child: writes the library and describes it, or says
  /// what was wrong, on `output`.
  int compileHere(const CompileRequest &request, mlir::func::FuncOp function,
                  int output);
  /// Whether it is the candidate's own fault that it was not linked.
  bool canLinkOthers(const CompileRequest &request);

  int answers;
  CandidateLinker link;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  CodegenOptions options;
  bool areOptionsNew = false;
  std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::map<std::string, mlir::func::FuncOp> functions;
};
} // namespace

Server::Server(int answers, CandidateLinker link)
    : answers(answers), link(link) {
  registerCodegenDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  options.target = describeHost();
}

llvm::Error Server::setOptions(const Json &value) {
  std::string target, numerics;
  JsonFields fields(value, "options");
  fields.require(protocol::kTarget, target);
  fields.require(protocol::kNumerics, numerics);
  fields.allow(protocol::kFlush, options.ftz);
  if (llvm::Error error = fields.takeError())
    return error;
  llvm::Expected<TargetDescription> description = parseTarget(target);
  if (!description)
    return description.takeError();
  llvm::Expected<Numerics> mode = parseNumerics(numerics);
  if (!mode)
    return mode.takeError();
  options.target = std::move(*description);
  options.numerics = *mode;
  areOptionsNew = true;
  return llvm::Error::success();
}

llvm::Error Server::addSubgraph(const Json &value) {
  std::string hash, text, name;
  JsonFields fields(value, "subgraph");
  fields.require(protocol::kSubgraph, hash);
  fields.require(protocol::kText, text);
  fields.require(protocol::kFunction, name);
  if (llvm::Error error = fields.takeError())
    return error;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(context.get(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          messages += diagnostic.str() + "; ";
                                          return llvm::success();
                                        });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    return makeError("subgraph " + hash + " does not parse: " + messages);
  auto function = module->lookupSymbol<mlir::func::FuncOp>(name);
  if (!function)
    return makeError("subgraph " + hash + " has no function '" + name + "'");
  functions[hash] = function;
  modules[hash] = std::move(module);
  return llvm::Error::success();
}

bool Server::canLinkOthers(const CompileRequest &request) {
  mlir::FailureOr<CompiledObject> other =
      warmUpCompiler(context.get(), options);
  return mlir::succeeded(other) &&
         canLinkBeside(request.libraryPath, link, other->object);
}

int Server::compileHere(const CompileRequest &request,
                        mlir::func::FuncOp function, int output) {
  reportStackOverflow();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(
      context.get(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          messages += (messages.empty() ? "" : "; ") + diagnostic.str();
        return llvm::success();
      });
  auto refuse = [&](const llvm::Twine &what,
                    FailureKind failure = FailureKind::CompileError) {
    CompileOutcome refused;
    refused.failure = failure;
    refused.message = (what + (messages.empty() ? "" : ": " + messages)).str();
    return writeAll(output, protocol::toJson(refused).dump()) ? 1 : kRefused;
  };
  mlir::OwningOpRef<mlir::ModuleOp> schedule;
  if (!request.schedule.empty()) {
    schedule = mlir::parseSourceString<mlir::ModuleOp>(request.schedule,
                                                       context.get());
    if (!schedule)
      return refuse("the schedule does not parse");
  }
  CodegenOptions used = options;
  used.optLevel = static_cast<int>(request.optLevel);
  if (request.strict)
    used.numerics = Numerics::Strict;
  if (request.libraryPath.empty())
    used.optLevel = 0;
  mlir::FailureOr<CompiledObject> compiled =
      compileSubgraph(function, schedule ? *schedule : mlir::ModuleOp(),
                      request.sequence, used, kSymbol);
  if (mlir::failed(compiled))
    return refuse("the candidate does not compile");
  CompileOutcome outcome;
  outcome.symbol = compiled->symbol;
  outcome.workspaceBytes = compiled->workspaceBytes;
  if (request.libraryPath.empty())
    return writeAll(output, protocol::toJson(outcome).dump()) ? 1 : 0;
  std::string objectPath = request.libraryPath + ".o";
  if (llvm::Error error = writeScratchFile(objectPath, compiled->object))
    return refuse(llvm::toString(std::move(error)), FailureKind::Unmeasurable);
  llvm::Error error = link(objectPath, request.libraryPath);
  if (error) {
    // The system may have killed it, short of memory.
    llvm::consumeError(std::move(error));
    error = link(objectPath, request.libraryPath);
  }
  unlink(objectPath.c_str());
  if (error)
    return refuse(llvm::toString(std::move(error)),
                  canLinkOthers(request) ? FailureKind::CompileError
                                         : FailureKind::Unmeasurable);
  return writeAll(output, protocol::toJson(outcome).dump()) ? 1 : 0;
}

/// What the end of a child that said nothing means.
static CompileOutcome describeDeath(const ChildOutcome &child) {
  CompileOutcome outcome;
  StringRef tail = StringRef(child.errorTail).trim();
  bool outOfMemory = tail.contains("out of memory") ||
                     tail.contains("bad_alloc") ||
                     tail.contains("Allocation failed");
  bool killedForMemory = child.signal == SIGKILL;
  outcome.failure = child.timedOut ? FailureKind::CompileTimeout
                    : outOfMemory || killedForMemory
                        ? FailureKind::CompileMemory
                        : FailureKind::CompileCrash;
  outcome.message = "the compiler failed: " + child.describe();
  if (killedForMemory && !child.timedOut)
    outcome.message += " by the system, which was short of memory";
  if (!tail.empty())
    outcome.message += ": " + tail.take_back(500).str();
  return outcome;
}

static llvm::Expected<CompileOutcome> readOutcome(StringRef text) {
  llvm::Expected<Json> outcome = Json::parse(text);
  if (!outcome)
    return outcome.takeError();
  return protocol::parseOutcome(*outcome);
}

llvm::Expected<CompileOutcome> Server::compile(const Json &value) {
  CompileRequest request;
  ChildLimits limits;
  if (llvm::Error error = protocol::parseCompileRequest(value, request, limits))
    return error;
  auto function = functions.find(request.subgraph);
  if (function == functions.end())
    return makeError("unknown subgraph " + request.subgraph);
  llvm::Expected<ChildOutcome> child = runForked(
      [&](int output) {
        return compileHere(request, function->second, output);
      },
      limits, answers);
  if (!child)
    return child.takeError();
  bool spoke = !child->timedOut && !child->signal &&
               (child->exitStatus == 0 || child->exitStatus == kRefused);
  llvm::Expected<CompileOutcome> outcome =
      spoke ? readOutcome(child->output) : describeDeath(*child);
  if (outcome)
    outcome->seconds = child->seconds;
  return outcome;
}

void Server::prepare() {
  if (!std::exchange(areOptionsNew, false))
    return;
  // Nothing depends on it: what fails here has its message elsewhere.
  mlir::ScopedDiagnosticHandler silence(
      context.get(), [](mlir::Diagnostic &) { return llvm::success(); });
  (void)warmUpCompiler(context.get(), options);
}

static Json failed(llvm::Error error) {
  return Json::object().set(protocol::kError, llvm::toString(std::move(error)));
}

Json Server::answer(StringRef line) {
  llvm::Expected<Json> request = Json::parse(line);
  if (!request)
    return failed(request.takeError());
  uint64_t number = 0;
  JsonFields fields(*request, "request");
  fields.require(protocol::kRequest, number);
  if (llvm::Error error = fields.takeError())
    return failed(std::move(error));
  return answer(*request).set(protocol::kRequest, number);
}

Json Server::answer(const Json &request) {
  if (request.find(protocol::kCompile)) {
    llvm::Expected<CompileOutcome> outcome = compile(request);
    return outcome ? protocol::toJson(*outcome) : failed(outcome.takeError());
  }
  llvm::Error error = [&]() -> llvm::Error {
    if (const Json *settings = request.find(protocol::kOptions))
      return setOptions(*settings);
    if (request.find(protocol::kSubgraph))
      return addSubgraph(request);
    return makeError("a request needs one of 'options', 'subgraph' and "
                     "'compile'");
  }();
  return error ? failed(std::move(error)) : Json::object();
}

int diffuse::runCompileServer(int input, int output, CandidateLinker link) {
  Server server(output, link);
  if (writeAll(output, "{\"server\": \"diffuse-compile-server\"}\n"))
    return 1;
  FILE *stream = fdopen(input, "r");
  if (!stream)
    return 1;
  char *line = nullptr;
  size_t capacity = 0;
  ssize_t length;
  bool isRead = true;
  while (isRead && (length = getline(&line, &capacity, stream)) > 0) {
    StringRef text(line, static_cast<size_t>(length));
    isRead = !writeAll(output, server.answer(text.trim()).dump() + "\n");
    server.prepare();
  }
  free(line);
  fclose(stream);
  return isRead ? 0 : 1;
}
