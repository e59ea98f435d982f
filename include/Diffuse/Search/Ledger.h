// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of each task: which candidates were proposed, what was
// measured, and which one leads.

#ifndef DIFFUSE_SEARCH_LEDGER_H
#define DIFFUSE_SEARCH_LEDGER_H

#include "Diffuse/Search/SearchTask.h"

#include "llvm/ADT/ArrayRef.h"

#include <set>
#include <string>
#include <vector>

namespace diffuse {

/// A measured candidate.
struct Measured {
  Candidate candidate;
  double micros = 0;
};

/// One text per candidate, equal exactly for equal candidates.
std::string candidateText(const Candidate &candidate);

/// The history of one task.
class TaskLedger {
public:
  /// Marks `candidate` as proposed. False where it was proposed or observed
  /// before.
  bool claim(const Candidate &candidate);

  /// Takes in what a measurement said. The latest one of a candidate counts:
  /// without a time (it failed) it no longer ranks, whatever it did before.
  void observe(const Candidate &candidate, std::optional<double> micros);

  /// Whether the candidate ranks.
  bool isRanked(const Candidate &candidate) const {
    return timed.count(candidateText(candidate));
  }

  /// Measured candidates, fastest first; equal times in order of arrival.
  llvm::ArrayRef<Measured> ranking() const { return ranked; }
  /// What was measured of a candidate, or null where it does not rank.
  const Measured *find(const Candidate &candidate) const;
  /// The fastest measured candidate, or null.
  const Measured *incumbent() const;
  /// Observations so far, failures included.
  unsigned observations() const { return count; }
  /// Observations since the incumbent last became faster by over 1 %.
  unsigned stale() const { return sinceGain; }

private:
  std::set<std::string> known;
  /// Those of `ranked`.
  std::set<std::string> timed;
  std::vector<Measured> ranked;
  unsigned count = 0;
  unsigned sinceGain = 0;
};

/// Expected time of `task` in one run of the module: calls times the incumbent,
/// or times the estimate of the loop-nest model while nothing is measured.
double expectedShare(const SearchTask &task, const TaskLedger &ledger,
                     const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_SEARCH_LEDGER_H
