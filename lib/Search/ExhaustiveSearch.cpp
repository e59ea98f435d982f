// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/ExhaustiveSearch.h"

#include "Diffuse/Search/Moves.h"

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
    llvm::ArrayRef<Knob> knobs = sketches[sketch].knobs();
    if (!started) {
      started = true;
      position.assign(knobs.size(), 0);
      return true;
    }
    for (size_t knob = knobs.size(); knob-- > 0;) {
      if (++position[knob] < knobs[knob].domain.size())
        return true;
      position[knob] = 0;
    }
    started = false;
    ++sketch;
  }
  return false;
}

std::vector<Suggestion> ExhaustiveSearch::suggest(unsigned limit) {
  std::vector<Suggestion> batch;
  while (batch.size() < limit && advance()) {
    const BoundSketch &bound = tasks[task].sketches[sketch];
    Candidate candidate;
    candidate.sketch = bound.name();
    for (const auto &[knob, index] : llvm::zip(bound.knobs(), position))
      candidate.choices[knob.name] = knob.domain[index];
    if (isLegal(tasks[task], target, candidate) &&
        ledgers[task].claim(candidate))
      batch.push_back({task, std::move(candidate)});
  }
  return batch;
}
