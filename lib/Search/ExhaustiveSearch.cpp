// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/ExhaustiveSearch.h"

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/Space.h"

using namespace diffuse;

ExhaustiveSearch::ExhaustiveSearch(llvm::ArrayRef<SearchTask> tasks,
                                   const TargetDescription &target)
    : SearchStrategy(tasks.size()), tasks(tasks), target(target) {}

bool ExhaustiveSearch::advance() {
  while (task < tasks.size()) {
    llvm::ArrayRef<BoundSketch> sketches = tasks[task].sketches;
    if (closed[task] || sketch >= sketches.size()) {
      ++task;
      sketch = 0;
      started = false;
      continue;
    }
    const BoundSketch &bound = sketches[sketch];
    position = started ? nextChoices(bound, *position)
                       : std::optional(completeChoices(bound, {}));
    started = position.has_value();
    if (started)
      return true;
    ++sketch;
  }
  return false;
}

std::vector<Suggestion> ExhaustiveSearch::suggest(unsigned limit) {
  std::vector<Suggestion> batch;
  while (batch.size() < limit && advance()) {
    const BoundSketch &bound = tasks[task].sketches[sketch];
    Candidate candidate{bound.name().str(), *position};
    if (isLegal(tasks[task], target, candidate) &&
        ledgers[task].claim(candidate))
      batch.push_back({task, std::move(candidate)});
  }
  return batch;
}
