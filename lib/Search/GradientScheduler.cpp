// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/GradientScheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace diffuse;

/// Weight of what past rounds gained against what the next may gain.
static constexpr double kPastWeight = 0.2;
/// Rounds that the past gain is averaged over.
static constexpr size_t kPastRounds = 3;
/// How much of the speed of the fastest similar task is thought reachable:
/// 1 / kReach of it.
static constexpr double kReach = 2.0;

GradientScheduler::GradientScheduler(llvm::ArrayRef<SearchTask> tasks)
    : tasks(tasks), history(tasks.size()), closed(tasks.size(), false) {}

void GradientScheduler::endRound(unsigned task,
                                 std::optional<double> bestMicros) {
  history[task].push_back(
      bestMicros.value_or(std::numeric_limits<double>::infinity()));
}

double GradientScheduler::expectedGain(unsigned task) const {
  const std::vector<double> &rounds = history[task];
  double best = rounds.back();
  // Nothing worked yet: more of the same comes after everything that works.
  if (std::isinf(best))
    return 0;
  size_t window = std::min(kPastRounds, rounds.size() - 1);
  double past = 0;
  if (window > 0 && !std::isinf(rounds[rounds.size() - 1 - window]))
    past = (rounds[rounds.size() - 1 - window] - best) / window;

  // Optimistic: the next round gains as much as each one did on average had the
  // task begun at nothing, but not below what similar tasks show reachable.
  double reachable = best - best / rounds.size();
  double flops = tasks[task].descriptor.flops;
  double fastest = 0;
  for (unsigned other = 0; other < tasks.size(); ++other)
    if (tasks[other].cluster == tasks[task].cluster && !history[other].empty())
      fastest = std::max(fastest,
                         tasks[other].descriptor.flops / history[other].back());
  if (fastest > 0)
    reachable = std::min(reachable, kReach * flops / fastest);
  double next = std::max(0.0, best - reachable);
  return tasks[task].calls() * (kPastWeight * past + (1 - kPastWeight) * next);
}

std::optional<unsigned> GradientScheduler::pick() const {
  std::optional<unsigned> chosen;
  double largest = 0;
  for (unsigned task = 0; task < tasks.size(); ++task) {
    if (closed[task])
      continue;
    if (history[task].empty())
      return task;
    double gain = expectedGain(task);
    if (!chosen || gain > largest) {
      chosen = task;
      largest = gain;
    }
  }
  return chosen;
}
