// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/RandomSearch.h"

using namespace diffuse;

/// Draws of known candidates in a row after which a task counts as exhausted.
static constexpr unsigned kTries = 64;

RandomSearch::RandomSearch(llvm::ArrayRef<SearchTask> tasks,
                           const TargetDescription &target, uint64_t seed)
    : SearchStrategy(tasks.size()), tasks(tasks), target(target), random(seed) {
}

std::optional<unsigned> RandomSearch::drawTask() {
  std::vector<double> shares(tasks.size(), 0.0);
  double total = 0;
  for (unsigned task = 0; task < tasks.size(); ++task) {
    if (!closed[task])
      shares[task] = expectedShare(tasks[task], ledgers[task], target);
    total += shares[task];
  }
  if (total <= 0)
    return std::nullopt;
  double point = total * (static_cast<double>(drawBelow(random, 1u << 30)) /
                          static_cast<double>(1u << 30));
  for (unsigned task = 0; task < tasks.size(); ++task) {
    point -= shares[task];
    if (point < 0 && !closed[task])
      return task;
  }
  return std::nullopt;
}

std::vector<Suggestion> RandomSearch::suggest(unsigned limit) {
  std::vector<Suggestion> batch;
  while (batch.size() < limit) {
    std::optional<unsigned> task = drawTask();
    if (!task)
      break;
    std::optional<Candidate> fresh;
    for (unsigned attempt = 0; attempt < kTries && !fresh; ++attempt) {
      std::optional<Candidate> drawn = drawRandom(tasks[*task], target, random);
      if (drawn && ledgers[*task].claim(*drawn))
        fresh = std::move(drawn);
    }
    if (fresh)
      batch.push_back({*task, std::move(*fresh)});
    else
      closed[*task] = true;
  }
  return batch;
}
