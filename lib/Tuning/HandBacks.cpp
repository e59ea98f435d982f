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

std::vector<HandBack>
diffuse::withdrawAll(const TuneResult &result,
                     llvm::ArrayRef<std::string> subgraphs) {
  std::vector<HandBack> all = handBackAll(result);
  llvm::erase_if(all, [&](HandBack &each) {
    const TaskOutcome &outcome = result.outcome.tasks[each.task];
    each.reason = HandBack::Reason::Withdrawn;
    return outcome.triedAgain.empty() || outcome.proven.count(each.candidate) ||
           !llvm::is_contained(subgraphs,
                               result.tasks.tasks[each.task].function);
  });
  return all;
}

bool diffuse::isBehindRetried(const TaskOutcome &outcome) {
  if (outcome.best && outcome.proven.count(*outcome.best))
    return false;
  return llvm::any_of(outcome.triedAgain, [&](const auto &retried) {
    return outcome.best == retried.first ||
           (outcome.bestMicros && *outcome.bestMicros >= retried.second);
  });
}

std::vector<std::string> diffuse::keepGivenBack(TuneResult &result) {
  std::vector<std::string> names;
  std::vector<TaskOutcome> defaults = result.outcome.tasks;
  takeDefaults(result.tasks, result.target, defaults);
  for (const auto &[task, outcome, byDefault] :
       llvm::zip_equal(result.tasks.tasks, result.outcome.tasks, defaults)) {
    if (!isBehindRetried(outcome) || outcome.best == byDefault.best)
      continue;
    outcome = byDefault;
    names.push_back(task.function);
  }
  return names;
}

static std::string messageOf(HandBack::Reason reason) {
  switch (reason) {
  case HandBack::Reason::Subgraph:
    return "slower inside the network than the default schedule";
  case HandBack::Reason::Network:
    return "the network was slower with this and other schedules than with "
           "default ones";
  case HandBack::Reason::Withdrawn:
    return "not slower inside the network than the default schedule";
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
                             scheduleDigest(task, handBack.candidate)};
  MeasurementRecord record =
      newRecord(task.descriptor, std::move(identity), handBack.candidate,
                machineId(), request.tuner.seed);
  record.failure = FailureKind::SlowerInNetwork;
  record.isWithdrawn = handBack.reason == HandBack::Reason::Withdrawn;
  record.message = messageOf(handBack.reason);
  llvm::StringRef sketchText = sourceTextOf(task, handBack.candidate);
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
  std::vector<std::string> problems;
  for (const HandBack &handBack : handBacks) {
    MeasurementRecord record = recordOf(request, result, handBack);
    store.append(SubgraphRecord{record.identity.scope.exactHash,
                                result.tasks.tasks[handBack.task].text});
    if (!record.sketchText.empty())
      store.append(
          SketchRecord{record.sketchText, record.sketch,
                       sourceTextOf(result.tasks.searchTasks[handBack.task],
                                    handBack.candidate)
                           .str()});
    std::string problem = store.append(record);
    if (!problem.empty() && !llvm::is_contained(problems, problem))
      problems.push_back(std::move(problem));
  }
  return problems;
}
