// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordedCandidate.h"

#include "Diffuse/Support/Version.h"

#include <algorithm>
#include <map>
#include <set>

using namespace diffuse;
using llvm::StringRef;

static void keepLeast(std::optional<double> &least, double micros) {
  least = least ? std::min(*least, micros) : micros;
}

RecordedCandidate diffuse::recallCandidate(const RecordStore &records,
                                           const RecordIdentity &identity,
                                           StringRef machine,
                                           StringRef defaultSchedule) {
  RecordedCandidate known;
  std::set<StringRef> slower;
  std::map<StringRef, std::vector<double>> samples;
  for (const MeasurementRecord *record :
       withoutRefuted(records.lookup(identity.scope))) {
    if (record->identity.schedule != identity.schedule)
      continue;
    if (record->failure == FailureKind::SlowerInNetwork) {
      if (record->defaultSchedule == defaultSchedule)
        slower.insert(record->machine);
      continue;
    }
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
      // Whoever measures it again compares again.
      slower.erase(record->machine);
      std::vector<double> &all = samples[record->machine];
      all.insert(all.end(), record->samplesMicros.begin(),
                 record->samplesMicros.end());
    } else if (record->machine == machine) {
      keepLeast(known.droppedMicros, latencyMicros(record->samplesMicros));
    }
  }
  for (const auto &[where, all] : samples) {
    bool isSlower = slower.count(where);
    if (where == machine)
      (isSlower ? known.givenBackMicros : known.hereMicros) =
          latencyMicros(all);
    else if (!isSlower)
      keepLeast(known.elsewhereMicros, latencyMicros(all));
  }
  if (slower.count(machine)) {
    known.failure = FailureKind::SlowerInNetwork;
    known.message = "slower inside its network than the default schedule";
    known.isKnown = true;
    return known;
  }
  known.isKnown =
      known.hereMicros || known.elsewhereMicros || known.droppedMicros;
  return known;
}

MeasurementRecord diffuse::newRecord(const SubgraphDescriptor &descriptor,
                                     RecordIdentity identity,
                                     const Candidate &candidate,
                                     std::string machine, uint64_t seed) {
  MeasurementRecord record;
  record.identity = std::move(identity);
  record.structureHash = descriptor.structureHash;
  record.familyHash = descriptor.familyHash;
  record.sketch = candidate.sketch;
  record.choices = candidate.choices;
  record.machine = std::move(machine);
  record.tool = toolVersion().str();
  record.llvm = llvmVersion().str();
  record.seed = seed;
  return record;
}
