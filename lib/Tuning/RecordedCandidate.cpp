// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordedCandidate.h"

#include <algorithm>
#include <map>

using namespace diffuse;
using llvm::StringRef;

static void keepLeast(std::optional<double> &least, double micros) {
  least = least ? std::min(*least, micros) : micros;
}

RecordedCandidate diffuse::recallCandidate(const RecordStore &records,
                                           const RecordIdentity &identity,
                                           StringRef machine) {
  RecordedCandidate known;
  std::map<StringRef, std::vector<double>> samples;
  for (const MeasurementRecord *record : records.lookup(identity)) {
    if (record->failure == FailureKind::Unmeasurable ||
        (dependsOnMachine(record->failure) && record->machine != machine))
      continue;
    if (!record->succeeded()) {
      known.isKnown = true;
      known.failure = record->failure;
      known.message = record->message;
      return known;
    }
    if (!record->isDropped) {
      std::vector<double> &all = samples[record->machine];
      all.insert(all.end(), record->samplesMicros.begin(),
                 record->samplesMicros.end());
    } else if (record->machine == machine) {
      keepLeast(known.droppedMicros, latencyMicros(record->samplesMicros));
    }
  }
  for (const auto &[where, all] : samples) {
    if (where == machine)
      known.hereMicros = latencyMicros(all);
    else
      keepLeast(known.elsewhereMicros, latencyMicros(all));
  }
  known.isKnown =
      known.hereMicros || known.elsewhereMicros || known.droppedMicros;
  return known;
}
