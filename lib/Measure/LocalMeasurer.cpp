// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker that does not answer is replaced, whatever the reason: it holds
// nothing that is worth saving.

#include "Diffuse/Measure/LocalMeasurer.h"

#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/FindProgram.h"
#include "Diffuse/Support/JsonFields.h"
#include "Diffuse/Support/Version.h"

using namespace diffuse;

/// For a worker to start, perhaps on another machine.
static constexpr double kStartSeconds = 60;
/// On top of a request's limit, for the worker to fill buffers.
static constexpr double kGraceSeconds = 60;

LocalMeasurer::LocalMeasurer(std::vector<std::string> command,
                             std::function<bool()> interrupted)
    : command(std::move(command)), interrupted(std::move(interrupted)) {}

LocalMeasurer::~LocalMeasurer() = default;

int LocalMeasurer::workerProcessId() const {
  return worker ? worker->processId() : -1;
}

/// Whether the worker understands this program, and measures as it does. Reads
/// the core that it times on into `core`.
static llvm::Error checkGreeting(llvm::StringRef line,
                                 std::optional<int> &core) {
  llvm::Expected<Json> json = Json::parse(line);
  if (!json)
    return json.takeError();
  std::string name, version = "unknown";
  unsigned protocol = 0, measuring = 0;
  JsonFields fields(*json, "greeting");
  fields.require("worker", name);
  fields.allow("version", version);
  fields.require("protocol", protocol);
  fields.allow("measuring_protocol", measuring);
  int64_t number = -1;
  fields.allow("core", number);
  if (llvm::Error error = fields.takeError())
    return error;
  core = number >= 0 ? std::optional(static_cast<int>(number)) : std::nullopt;
  std::string differing;
  if (protocol != kWorkerProtocol)
    differing = "speaks protocol " + std::to_string(protocol) +
                ", this program " + std::to_string(kWorkerProtocol);
  else if (measuring != kMeasuringProtocol)
    differing = "measures by protocol " + std::to_string(measuring) +
                ", this program by " + std::to_string(kMeasuringProtocol);
  if (differing.empty())
    return llvm::Error::success();
  return makeError("the worker '" + name + "' of version " + version + " " +
                   differing + "; use the diffuse-measure of version " +
                   toolVersion());
}

std::optional<int> LocalMeasurer::core() {
  // One that did not start may be waited for long, so whoever measures starts
  // the next, and hears why that fails.
  if (command.empty() && !isStartInVain)
    llvm::consumeError(ensureWorker());
  return workerCore;
}

llvm::Error LocalMeasurer::dismiss(llvm::Error error) {
  if (!worker)
    return error;
  worker->stop();
  std::string reason = llvm::toString(std::move(error));
  if (!worker->errorTail().empty())
    reason += "; it wrote: " + worker->errorTail().rtrim().str();
  worker.reset();
  workerCore.reset();
  return makeError(reason);
}

llvm::Error LocalMeasurer::ensureWorker() {
  if (worker)
    return llvm::Error::success();
  llvm::Error error = startWorker();
  isStartInVain = static_cast<bool>(error);
  // One that did not greet as it should is never spoken to.
  return error ? dismiss(std::move(error)) : std::move(error);
}

llvm::Error LocalMeasurer::startWorker() {
  ChildCommand child;
  llvm::Expected<std::string> program =
      findProgram(command.empty() ? "diffuse-measure" : command.front());
  if (!program)
    return program.takeError();
  child.program = *program;
  if (!command.empty())
    child.arguments.assign(command.begin() + 1, command.end());
  child.interrupted = interrupted;
  auto started = ChildProcess::start(child);
  if (!started)
    return started.takeError();
  worker = std::move(*started);
  ++startCount;
  llvm::Expected<std::string> line = worker->readLine(kStartSeconds);
  if (!line)
    return line.takeError();
  std::optional<int> core;
  if (llvm::Error error = checkGreeting(*line, core))
    return error;
  // What is told of another machine is of no use here.
  if (command.empty())
    workerCore = core;
  return llvm::Error::success();
}

static llvm::Expected<MeasureResult> parseAnswer(llvm::StringRef line,
                                                 uint64_t expectedJob) {
  llvm::Expected<Json> json = Json::parse(line);
  if (!json)
    return json.takeError();
  if (const Json *complaint = json->find("error"))
    if (const std::string *text = complaint->asString())
      return makeError("the worker refused the job: " + *text);
  uint64_t job = 0;
  JsonFields fields(*json, "answer");
  fields.require("job", job);
  if (llvm::Error error = fields.takeError())
    return error;
  const Json *result = json->find("result");
  if (job != expectedJob || !result)
    return makeError("the worker answered another job");
  return parseMeasureResult(*result);
}

llvm::Expected<MeasureResult>
LocalMeasurer::ask(const MeasureRequest &request) {
  if (llvm::Error error = ensureWorker())
    return error;
  uint64_t number = nextJob++;
  Json job = Json::object();
  job.set("job", number).set("request", toJson(request));
  if (llvm::Error error = worker->writeLine(job.dump()))
    return error;
  llvm::Expected<std::string> line =
      worker->readLine(request.limits.seconds + kGraceSeconds);
  if (!line)
    return line.takeError();
  llvm::Expected<MeasureResult> result = parseAnswer(*line, number);
  if (!result)
    return result;
  if (llvm::Error error = checkSamples(*result, !request.checkOnly))
    return error;
  return result;
}

MeasureResult LocalMeasurer::measure(const MeasureRequest &request) {
  std::string reason = "interrupted";
  // A worker may have died since its last job, so there is a second try.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (interrupted && interrupted())
      break;
    llvm::Expected<MeasureResult> result = ask(request);
    if (result)
      return *result;
    reason = llvm::toString(dismiss(result.takeError()));
  }
  MeasureResult failure;
  failure.failure = FailureKind::Unmeasurable;
  failure.message = "the measuring worker does not answer: " + reason;
  return failure;
}
