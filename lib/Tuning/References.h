// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right answers of each task: its unscheduled lowering, run once a seed, in
// whole or, where that would take long, tiles of it. Tiles see what is wrong
// everywhere and not what is wrong in one place. So the first schedule that
// agrees with them on both seeds says what to expect everywhere else, and where
// a later one differs from it, an exact value decides which of the two is
// right.

#ifndef DIFFUSE_LIB_TUNING_REFERENCES_H
#define DIFFUSE_LIB_TUNING_REFERENCES_H

#include "TuningParts.h"

#include <map>

namespace diffuse {

/// Outputs to check against, or why there are none.
struct Reference {
  /// What the unscheduled lowering answers; no path where there is a problem.
  ExpectedOutputs exact;
  std::string problem;
  /// The problem stays whatever is tried again: it lies in the subgraph, not in
  /// the surroundings.
  bool isFinal = false;
  /// What making it took.
  double seconds = 0;

  bool isKnown() const { return !exact.path.empty(); }
  bool isSampled() const { return isKnown() && !exact.tiles.empty(); }
};

class References {
public:
  explicit References(const TuningParts &parts) : parts(parts) {}

  /// The outputs of a task on the data of a seed, made where they are not there
  /// yet. A problem that is not final is tried again at the next call.
  const Reference &get(unsigned task, uint64_t seed);

  /// Whether the outputs on the first data are there already.
  bool isReady(unsigned task) const {
    auto found = references.find({task, kDataSeed});
    return found != references.end() && found->second.isKnown();
  }

  /// All that an answer must agree with.
  std::vector<ExpectedOutputs> expected(unsigned task, uint64_t seed);

  /// Whether only samples of the right answers are known so far.
  bool lacksWholeAnswers(unsigned task);
  /// Where a schedule is to leave its outputs, so that they can be adopted.
  std::string wholePath(unsigned task, uint64_t seed);
  /// The outputs of a schedule, which lie at wholePath of both seeds and agree
  /// with the samples, are what others are compared with from now on.
  void adoptWholeAnswers(unsigned task);
  /// Answers that were adopted.
  using WholeAnswers = std::optional<size_t>;
  WholeAnswers dropWholeAnswers(unsigned task);
  void restoreWholeAnswers(unsigned task, WholeAnswers answers);

  /// Makes the samples of both seeds hold this element, too, unless they do.
  /// False where it cannot be computed, and where enough others were computed
  /// for the task.
  bool sampleAlso(unsigned task, const AnswerElement &element);

  /// Seconds that one run of the unscheduled lowering takes, about.
  double secondsOfWholeRun(unsigned task);
  /// Time of the unscheduled lowering; empty where it cannot be measured.
  std::optional<double> timePlainLoops(unsigned task);

  /// Spent on making references.
  double secondsSpent() const { return spent; }

private:
  Reference make(unsigned task, uint64_t seed);
  std::optional<Reference> makeSample(unsigned task, uint64_t seed);
  /// Runs the function that the compiler knows by `hash`.
  Reference runPlainLoops(unsigned task, uint64_t seed, const std::string &hash,
                          std::vector<BoundaryArgument> boundary,
                          unsigned optLevel);
  const std::string &hashOf(unsigned task) const;
  std::string answerPath(unsigned task, uint64_t seed, size_t round) const;
  /// What the whole is estimated to take.
  double plainLoopsSeconds(unsigned task) const;
  /// Seconds that the run of one reference may take.
  double mostSeconds() const;

  TuningParts parts;
  std::map<std::pair<unsigned, uint64_t>, Reference> references;
  /// By task: elements that samples hold because somebody asked.
  std::map<unsigned, std::vector<OutputTile>> asked;
  /// By task: how often somebody asked for another element, with success or
  /// without.
  std::map<unsigned, size_t> tries;
  /// By task: the round in which answers are made that may be adopted, and the
  /// one whose answers are. Those of a later round do not overwrite them.
  std::map<unsigned, size_t> rounds, adopted;
  double spent = 0;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_REFERENCES_H
