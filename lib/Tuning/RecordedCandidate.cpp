// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordedCandidate.h"

#include "Diffuse/Records/NetworkVerdicts.h"
#include "Diffuse/Support/Version.h"

#include <algorithm>
#include <map>

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
  RecordStore::Matches all = withoutRefuted(records.lookup(identity.scope));
  NetworkVerdicts verdicts = lastVerdicts(all, defaultSchedule);
  auto verdictOn = [&](StringRef where) -> const MeasurementRecord * {
    auto found = verdicts.find({identity.schedule, where});
    return found == verdicts.end() ? nullptr : found->second;
  };
  auto isSlowerOn = [&](StringRef where) {
    const MeasurementRecord *verdict = verdictOn(where);
    return verdict && !verdict->isWithdrawn;
  };
  std::map<StringRef, std::vector<double>> samples;
  for (const MeasurementRecord *record : all) {
    if (record->identity.schedule != identity.schedule ||
        record->failure == FailureKind::SlowerInNetwork ||
        record->failure == FailureKind::Unmeasurable ||
        (dependsOnMachine(record->failure) && record->machine != machine))
      continue;
    if (!record->succeeded()) {
      known.isKnown = true;
      known.failure = record->failure;
      known.message = record->message;
      return known;
    }
    if (!record->isDropped) {
      std::vector<double> &there = samples[record->machine];
      there.insert(there.end(), record->samplesMicros.begin(),
                   record->samplesMicros.end());
    } else if (record->machine == machine) {
      keepLeast(known.droppedMicros, latencyMicros(record->samplesMicros));
    }
  }
  for (const auto &[where, there] : samples) {
    bool isSlower = isSlowerOn(where);
    if (where == machine)
      (isSlower ? known.givenBackMicros : known.hereMicros) =
          latencyMicros(there);
    else if (!isSlower)
      keepLeast(known.elsewhereMicros, latencyMicros(there));
  }
  known.isProven = verdictOn(machine) && !isSlowerOn(machine);
  if (isSlowerOn(machine)) {
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
