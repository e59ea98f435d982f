// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of everything that proposes candidates.

#ifndef DIFFUSE_SEARCH_SEARCHSTRATEGY_H
#define DIFFUSE_SEARCH_SEARCHSTRATEGY_H

#include "Diffuse/Search/Ledger.h"
#include "Diffuse/Search/SearchTask.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace diffuse {

/// Proposes candidates over all tasks of a module and learns from what is
/// measured. What was seen of each task is kept here, once, for the strategies
/// and for who drives them. Single-threaded and deterministic: the same seed
/// and the same observations in the same order give the same suggestions.
class SearchStrategy {
public:
  explicit SearchStrategy(size_t taskCount)
      : ledgers(taskCount), closed(taskCount, false) {}
  virtual ~SearchStrategy();

  /// Returns at most `limit` candidates, none of which was suggested or
  /// observed before. Fewer, down to none, means that nothing is left that the
  /// strategy wants to see.
  virtual std::vector<Suggestion> suggest(unsigned limit) = 0;

  /// Hears of a measurement, of a suggestion of its own or of anything else
  /// known of a task (default schedules, records of earlier runs).
  void observe(const Observation &observation) {
    ledgers[observation.task].observe(observation.candidate,
                                      observation.micros);
    heard(observation);
  }

  /// Suggests nothing more for a task: none of it can be measured.
  void close(unsigned task) { closed[task] = true; }

  /// What was proposed for and observed of a task.
  const TaskLedger &ledger(unsigned task) const { return ledgers[task]; }

protected:
  /// Called after the ledgers took an observation in.
  virtual void heard(const Observation &) {}

  std::vector<TaskLedger> ledgers;
  /// Tasks for which nothing is left, or wanted.
  std::vector<bool> closed;
};

/// Names of the strategies that this build has, as accepted by
/// `createStrategy`.
llvm::ArrayRef<llvm::StringRef> strategyNames();

/// Makes the strategy `name`; fails on an unknown name and lists those known,
/// and on a name that needs a library which this build has not.
/// `tasks` and `target` must outlive the strategy.
llvm::Expected<std::unique_ptr<SearchStrategy>>
createStrategy(llvm::StringRef name, llvm::ArrayRef<SearchTask> tasks,
               const TargetDescription &target, uint64_t seed);

} // namespace diffuse

#endif // DIFFUSE_SEARCH_SEARCHSTRATEGY_H
