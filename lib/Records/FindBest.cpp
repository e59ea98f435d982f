// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best schedule of a scope, without looking at the subgraph: what the
// records alone say.

#include "Diffuse/Records/RecordStore.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace diffuse;
using llvm::StringRef;

namespace {
/// What was slower inside a network on one machine.
struct GivenBack {
  /// The least time of such a schedule by itself.
  double leastMicros = std::numeric_limits<double>::infinity();
  std::set<StringRef> defaults;

  /// A schedule that is no faster either would not do better there.
  bool rules(StringRef schedule, double micros) const {
    return micros >= leastMicros && !defaults.count(schedule);
  }
};

/// The records of one scope, by schedule and machine.
struct ScopeTimes {
  struct Timed {
    const MeasurementRecord *first = nullptr;
    std::vector<double> samples;
    double micros() const { return latencyMicros(samples); }
  };

  explicit ScopeTimes(llvm::ArrayRef<const MeasurementRecord *> records) {
    for (const MeasurementRecord *record : records)
      add(*record);
    for (const auto &[key, record] : slower) {
      GivenBack &there = givenBack[record->machine];
      there.defaults.insert(record->defaultSchedule);
      auto found = timed.find(key);
      if (found != timed.end())
        there.leastMicros = std::min(there.leastMicros, found->second.micros());
    }
  }

  void add(const MeasurementRecord &record) {
    StringRef schedule = record.identity.schedule;
    if (record.failure == FailureKind::Unmeasurable || record.isDropped)
      return;
    if (record.failure == FailureKind::SlowerInNetwork) {
      slower[{schedule, record.machine}] = &record;
      return;
    }
    if (!record.succeeded()) {
      failed.insert(schedule);
      return;
    }
    // Whoever measures it again compares again.
    slower.erase({schedule, record.machine});
    Timed &all = timed[{schedule, record.machine}];
    if (!all.first)
      all.first = &record;
    all.samples.insert(all.samples.end(), record.samplesMicros.begin(),
                       record.samplesMicros.end());
  }

  bool isPassedOver(StringRef schedule, StringRef machine,
                    double micros) const {
    auto there = givenBack.find(machine);
    return failed.count(schedule) ||
           (there != givenBack.end() && there->second.rules(schedule, micros));
  }

  std::map<std::pair<StringRef, StringRef>, Timed> timed;
  std::set<StringRef> failed;
  std::map<std::pair<StringRef, StringRef>, const MeasurementRecord *> slower;
  std::map<StringRef, GivenBack> givenBack;
};
} // namespace

RecordStore::Matches diffuse::withoutRefuted(RecordStore::Matches records) {
  std::set<StringRef> wrong;
  for (const MeasurementRecord *record : records)
    if (record->failure == FailureKind::WrongAnswer)
      wrong.insert(record->identity.schedule);
  llvm::erase_if(records, [&](const MeasurementRecord *record) {
    return record->succeeded() && !record->comparedWith.empty() &&
           wrong.count(record->comparedWith);
  });
  return records;
}

std::optional<BestRecord> diffuse::findBest(const RecordStore &store,
                                            const RecordScope &scope) {
  ScopeTimes times(withoutRefuted(store.lookup(scope)));
  std::optional<BestRecord> best;
  for (const auto &[key, schedule] : times.timed) {
    double micros = schedule.micros();
    if (!times.isPassedOver(key.first, key.second, micros) &&
        (!best || micros < best->micros))
      best = BestRecord{schedule.first, micros};
  }
  return best;
}
