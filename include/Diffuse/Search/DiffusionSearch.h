// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search one member of each cluster, carry what it taught to the others.
//
// After Jeong and Lee, "Bayesian Code Diffusion for Efficient Automatic Deep
// Learning Program Optimization", OSDI 2025: the representative of a cluster is
// searched first, and its best programs are where the search of every other
// member starts. Here a member starts from exact and extent-scaled copies of
// the best candidates measured for its nearest relatives, and goes on with
// one-step neighbours of its own incumbent.

#ifndef DIFFUSE_SEARCH_DIFFUSIONSEARCH_H
#define DIFFUSE_SEARCH_DIFFUSIONSEARCH_H

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Search/SearchStrategy.h"

#include <deque>

namespace diffuse {

class DiffusionSearch : public SearchStrategy {
public:
  /// How much a member may do beyond what it is handed.
  enum class Members {
    /// Copies, then neighbours and random candidates.
    Refine,
    /// One copy of the nearest relative's best, nothing more.
    CopyOnce
  };

  DiffusionSearch(llvm::ArrayRef<SearchTask> tasks,
                  const TargetDescription &target, uint64_t seed,
                  Members members);

  std::vector<Suggestion> suggest(unsigned limit) override;

private:
  /// The task whose next measurement promises most, or nothing.
  std::optional<unsigned> pickTask() const;
  /// True once members of the cluster may start from its representative.
  bool isSettled(unsigned cluster) const;
  std::optional<Candidate> propose(unsigned task);
  /// Fills the queue of a member from its relatives, nearest first.
  void collectCopies(unsigned task);
  std::optional<Candidate> proposeNeighbour(unsigned task);
  /// The best by the loop-nest model of `draws` random candidates.
  std::optional<Candidate> proposeRandom(unsigned task, unsigned draws);

  llvm::ArrayRef<SearchTask> tasks;
  const TargetDescription &target;
  Members members;
  std::vector<std::deque<Candidate>> copies;
  std::vector<bool> collected;
  /// Task searched first, by cluster.
  std::vector<unsigned> representatives;
  RandomSource random;
};

} // namespace diffuse

#endif // DIFFUSE_SEARCH_DIFFUSIONSEARCH_H
