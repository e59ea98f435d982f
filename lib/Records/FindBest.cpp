// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best schedule of a scope, without looking at the subgraph: what the
// records alone say.

#include "Diffuse/Records/NetworkVerdicts.h"
#include "Diffuse/Records/RecordStore.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace diffuse;
using llvm::StringRef;

namespace {
/// What was compared inside a network on one machine.
struct Compared {
  /// The least time by itself of a schedule that was slower there.
  double leastMicros = std::numeric_limits<double>::infinity();
  /// Default ones, and those that were not slower.
  std::set<StringRef> proven;

  /// A schedule that is no faster either would not do better there, unless it
  /// did.
  bool rulesOut(StringRef schedule, double micros) const {
    return micros >= leastMicros && !proven.count(schedule);
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
    for (const auto &[key, record] : lastVerdicts(records)) {
      Compared &there = compared[record->machine];
      there.proven.insert(record->defaultSchedule);
      auto found = timed.find(key);
      if (record->isWithdrawn)
        there.proven.insert(key.first);
      else if (found != timed.end())
        there.leastMicros = std::min(there.leastMicros, found->second.micros());
    }
  }

  void add(const MeasurementRecord &record) {
    StringRef schedule = record.identity.schedule;
    if (record.failure == FailureKind::Unmeasurable ||
        record.failure == FailureKind::SlowerInNetwork || record.isDropped)
      return;
    if (!record.succeeded()) {
      failed.insert(schedule);
      return;
    }
    Timed &all = timed[{schedule, record.machine}];
    if (!all.first)
      all.first = &record;
    all.samples.insert(all.samples.end(), record.samplesMicros.begin(),
                       record.samplesMicros.end());
  }

  bool isPassedOver(StringRef schedule, StringRef machine,
                    double micros) const {
    auto there = compared.find(machine);
    return failed.count(schedule) || (there != compared.end() &&
                                      there->second.rulesOut(schedule, micros));
  }

  std::map<std::pair<StringRef, StringRef>, Timed> timed;
  std::set<StringRef> failed;
  std::map<StringRef, Compared> compared;
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
