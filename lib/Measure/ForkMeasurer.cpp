// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fork per run costs about a millisecond and buys that nothing a candidate
// does outlives it.

#include "CandidateRun.h"
#include "Diffuse/Measure/Worker.h"
#include "Diffuse/Support/Descriptor.h"
#include "Diffuse/Support/ForkedCall.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

using namespace diffuse;

static MeasureResult failed(FailureKind failure, std::string message) {
  MeasureResult result;
  result.failure = failure;
  result.message = std::move(message);
  return result;
}

/// Reads what the candidate may have scribbled over.
static MeasureResult readNote(const FaultNote &note) {
  FailureKind kind = note.kind;
  if (kind != FailureKind::OutOfBounds && kind != FailureKind::RunMemory)
    kind = FailureKind::RunCrash;
  return failed(
      kind, std::string(note.text, ::strnlen(note.text, sizeof(note.text))));
}

static MeasureResult explainSignal(int signal, const FaultNote &note) {
  if (note.signal == signal)
    return readNote(note);
  if (signal == SIGKILL)
    return failed(FailureKind::RunMemory,
                  "killed by the system, which was short of memory");
  return failed(FailureKind::RunCrash, "killed by " + signalName(signal));
}

static MeasureResult explainExit(const ChildOutcome &outcome) {
  llvm::Expected<Json> json = Json::parse(outcome.output);
  if (json && outcome.exitStatus == 0) {
    llvm::Expected<MeasureResult> result = parseMeasureResult(*json);
    if (result)
      return *result;
    llvm::consumeError(result.takeError());
  }
  if (!json)
    llvm::consumeError(json.takeError());
  return failed(FailureKind::RunCrash, "ended the process with exit status " +
                                           std::to_string(outcome.exitStatus));
}

static MeasureResult explain(const MeasureRequest &request,
                             const ChildOutcome &outcome,
                             const FaultNote &note) {
  if (outcome.timedOut) {
    char message[64];
    std::snprintf(message, sizeof(message), "stopped at its limit of %g s",
                  request.limits.seconds);
    return failed(FailureKind::RunTimeout, message);
  }
  MeasureResult result = outcome.signal ? explainSignal(outcome.signal, note)
                                        : explainExit(outcome);
  llvm::StringRef written = llvm::StringRef(outcome.errorTail).trim();
  if (result.failure == FailureKind::RunCrash && !written.empty())
    result.message += "; it wrote: " + written.take_back(400).str();
  return result;
}

static MeasureResult forkAndRun(const MeasureRequest &request,
                                RunBuffers &buffers, int core, int answers) {
  SharedFaultNote note = allocateFaultNote();
  if (!note)
    return failed(FailureKind::Unmeasurable, "there is no memory to share");
  auto body = [&](int output) {
    MeasureResult result = runCandidate(request, buffers, *note, core);
    return writeAll(output, toJson(result).dump()) ? 1 : 0;
  };
  ChildLimits limits;
  limits.wallSeconds = request.limits.seconds;
  limits.cpuSeconds = request.limits.seconds * std::max(1u, request.threads);
  llvm::Expected<ChildOutcome> outcome = runForked(body, limits, answers);
  if (!outcome)
    return failed(FailureKind::Unmeasurable,
                  llvm::toString(outcome.takeError()));
  MeasureResult result = explain(request, *outcome, *note);
  result.seconds = outcome->seconds;
  return result;
}

ForkMeasurer::ForkMeasurer(uint64_t keptBytes, int answers)
    : keptBytes(keptBytes), answers(answers), reserved(ReservedCore::take()) {}

ForkMeasurer::~ForkMeasurer() = default;

std::optional<int> ForkMeasurer::core() {
  int number = reserved.number();
  return number >= 0 ? std::optional(number) : std::nullopt;
}

llvm::Expected<RunBuffers *>
ForkMeasurer::prepare(const MeasureRequest &request) {
  auto serves = [&](const std::unique_ptr<RunBuffers> &buffers) {
    return buffers->serve(request);
  };
  auto found = std::find_if(kept.begin(), kept.end(), serves);
  if (found != kept.end()) {
    std::rotate(found, found + 1, kept.end());
    return kept.back().get();
  }
  uint64_t total = 0;
  for (const std::unique_ptr<RunBuffers> &buffers : kept)
    total += buffers->byteCount();
  auto created = RunBuffers::create(request);
  if (!created)
    return created.takeError();
  total += (*created)->byteCount();
  auto firstToKeep = kept.begin();
  for (; firstToKeep != kept.end() && total > keptBytes; ++firstToKeep)
    total -= (*firstToKeep)->byteCount();
  kept.erase(kept.begin(), firstToKeep);
  kept.push_back(std::move(*created));
  return kept.back().get();
}

MeasureResult ForkMeasurer::measure(const MeasureRequest &request) {
  llvm::Expected<RunBuffers *> buffers = prepare(request);
  if (!buffers)
    return failed(FailureKind::Unmeasurable,
                  llvm::toString(buffers.takeError()));
  (*buffers)->setInherited(true);
  // Code of several threads has the machine to itself.
  bool isPinned = request.threads == 1;
  MeasureResult result = forkAndRun(request, **buffers,
                                    isPinned ? reserved.number() : -1, answers);
  result.sharedCore = isPinned && reserved.hold() == ReservedCore::Hold::Shared;
  result.unreservedCore =
      isPinned && reserved.hold() == ReservedCore::Hold::Unknown;
  (*buffers)->setInherited(false);
  return result;
}
