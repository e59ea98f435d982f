// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_SEARCH_RANDOMSEARCH_H
#define DIFFUSE_SEARCH_RANDOMSEARCH_H

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Search/SearchStrategy.h"

namespace diffuse {

/// Random legal candidates, each task drawn in proportion to its expected share
/// of the module's time. The baseline that every other strategy is held
/// against.
class RandomSearch : public SearchStrategy {
public:
  RandomSearch(llvm::ArrayRef<SearchTask> tasks,
               const TargetDescription &target, uint64_t seed);

  std::vector<Suggestion> suggest(unsigned limit) override;

private:
  /// A task by weight, or nothing where every task is closed.
  std::optional<unsigned> drawTask();

  llvm::ArrayRef<SearchTask> tasks;
  const TargetDescription &target;
  RandomSource random;
};

} // namespace diffuse

#endif // DIFFUSE_SEARCH_RANDOMSEARCH_H
