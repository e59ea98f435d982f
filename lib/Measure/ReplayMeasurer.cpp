// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first record of a candidate answers, as its later ones may come from a
// re-measurement that the replayed run has not made yet.

#include "Diffuse/Measure/ReplayMeasurer.h"

#include "Diffuse/Support/Errors.h"

using namespace diffuse;

MeasureResult ReplayMeasurer::measure(const MeasureRequest &request) {
  MeasureResult result;
  // The run of a reference, which has no schedule and leaves no record.
  if (request.checkOnly && request.identity.schedule.empty())
    return result;
  RecordStore::Matches matches = store->lookup(request.identity);
  // Said of a network, not of a run of the candidate.
  llvm::erase_if(matches, [](const MeasurementRecord *record) {
    return record->failure == FailureKind::SlowerInNetwork;
  });
  if (matches.empty()) {
    result.failure = FailureKind::Unmeasurable;
    result.message = "the replayed records hold no measurement of this "
                     "candidate";
    return result;
  }
  const MeasurementRecord &record = *matches.front();
  static_cast<RunOutcome &>(result) = record;
  if (request.checkOnly)
    result.samplesMicros.clear();
  result.callsPerSample = 1;
  return result;
}

llvm::Expected<std::unique_ptr<ReplayMeasurer>>
diffuse::openReplay(llvm::StringRef path) {
  auto store = openRecordStore({"", {path.str()}});
  if (store->count(RecordScope()).measurements > 0)
    return std::make_unique<ReplayMeasurer>(std::move(store));
  std::vector<std::string> problems = store->problems();
  return makeError("nothing to replay in '" + path + "'" +
                   (problems.empty() ? "" : ": " + problems.front()));
}
