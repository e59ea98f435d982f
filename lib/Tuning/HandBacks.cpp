// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/HandBacks.h"

#include "Evaluator.h"

#include "Diffuse/Records/RecordFile.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Support/MachineId.h"

using namespace diffuse;

std::vector<HandBack> diffuse::handBackAll(const TuneResult &result) {
  std::vector<HandBack> all;
  for (size_t task = 0; task < result.outcome.tasks.size(); ++task) {
    const std::optional<Candidate> &best = result.outcome.tasks[task].best;
    if (best &&
        best != defaultOf(result.tasks.searchTasks[task], result.target))
      all.push_back({task, *best, std::nullopt, std::nullopt});
  }
  return all;
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
  record.message =
      handBack.tunedMicros
          ? "not faster inside the network than the default schedule"
          : "the network was slower with this and other schedules than with "
            "default ones";
  record.defaultSchedule = defaultDigest(task, result.target);
  if (handBack.tunedMicros)
    record.facts["in_network_us"] = *handBack.tunedMicros;
  if (handBack.defaultMicros)
    record.facts["default_in_network_us"] = *handBack.defaultMicros;
  return record;
}

llvm::Error diffuse::recordHandBacks(const TuneRequest &request,
                                     const TuneResult &result,
                                     llvm::ArrayRef<HandBack> handBacks) {
  if (request.records.empty())
    return llvm::Error::success();
  for (const HandBack &handBack : handBacks) {
    llvm::Expected<uint64_t> written = appendRecordLine(
        request.records, toJson(recordOf(request, result, handBack)));
    if (!written)
      return written.takeError();
  }
  return llvm::Error::success();
}
