// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/HandBacks.h"

#include "Evaluator.h"

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Support/MachineId.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace diffuse;

std::vector<HandBack> diffuse::handBackAll(const TuneResult &result) {
  std::vector<HandBack> all;
  for (size_t task = 0; task < result.outcome.tasks.size(); ++task) {
    const std::optional<Candidate> &best = result.outcome.tasks[task].best;
    if (best &&
        best != defaultOf(result.tasks.searchTasks[task], result.target))
      all.push_back({task, *best, HandBack::Reason::Network, {}, {}});
  }
  return all;
}

std::vector<HandBack> diffuse::handBackRetried(const TuneResult &result) {
  std::vector<HandBack> all;
  for (size_t task = 0; task < result.outcome.tasks.size(); ++task) {
    const TaskOutcome &outcome = result.outcome.tasks[task];
    // What was not measured since needs no further word.
    if (outcome.measurements > 0)
      for (const auto &[candidate, micros] : outcome.triedAgain)
        all.push_back({task, candidate, HandBack::Reason::Before, {}, {}});
  }
  return all;
}

bool diffuse::isBehindRetried(const TaskOutcome &outcome) {
  return llvm::any_of(outcome.triedAgain, [&](const auto &retried) {
    return outcome.best == retried.first ||
           (outcome.bestMicros && *outcome.bestMicros >= retried.second);
  });
}

static std::string messageOf(HandBack::Reason reason) {
  switch (reason) {
  case HandBack::Reason::Subgraph:
    return "slower inside the network than the default schedule";
  case HandBack::Reason::Network:
    return "the network was slower with this and other schedules than with "
           "default ones";
  case HandBack::Reason::Before:
    return "slower inside the network before, and not compared again";
  }
  llvm_unreachable("all reasons are handled");
}

/// The text of the sketch where it is a user's.
static llvm::StringRef sourceTextOf(const SearchTask &task,
                                    const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  return sketch ? sketch->sourceText() : "";
}

static MeasurementRecord recordOf(const TuneRequest &request,
                                  const TuneResult &result,
                                  const HandBack &handBack) {
  const SearchTask &task = result.tasks.searchTasks[handBack.task];
  RecordIdentity identity = {recordScopeOf(task, result.target, request.tuner),
                             scheduleDigest(task, handBack.rejected)};
  MeasurementRecord record =
      newRecord(task.descriptor, std::move(identity), handBack.rejected,
                machineId(), request.tuner.seed);
  record.failure = FailureKind::SlowerInNetwork;
  record.message = messageOf(handBack.reason);
  llvm::StringRef sketchText = sourceTextOf(task, handBack.rejected);
  if (!sketchText.empty())
    record.sketchText = stableHash(sketchText).str();
  record.defaultSchedule = defaultDigest(task, result.target);
  if (handBack.tunedMicros)
    record.facts["in_network_us"] = *handBack.tunedMicros;
  if (handBack.defaultMicros)
    record.facts["default_in_network_us"] = *handBack.defaultMicros;
  return record;
}

std::vector<std::string>
diffuse::recordHandBacks(const TuneRequest &request, const TuneResult &result,
                         llvm::ArrayRef<HandBack> handBacks) {
  RecordStore &store = *result.store;
  std::vector<std::string> before = store.problems(), problems;
  for (const HandBack &handBack : handBacks) {
    MeasurementRecord record = recordOf(request, result, handBack);
    store.append(SubgraphRecord{record.identity.scope.exactHash,
                                result.tasks.tasks[handBack.task].text});
    if (!record.sketchText.empty())
      store.append(
          SketchRecord{record.sketchText, record.sketch,
                       sourceTextOf(result.tasks.searchTasks[handBack.task],
                                    handBack.rejected)
                           .str()});
    store.append(record);
  }
  for (std::string &problem : store.problems())
    if (!llvm::is_contained(before, problem))
      problems.push_back(std::move(problem));
  return problems;
}
