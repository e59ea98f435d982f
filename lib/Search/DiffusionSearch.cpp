// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/DiffusionSearch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace diffuse;

/// A representative is settled after this many observations without a gain, but
/// not before it has the least and no later than with the most of them.
static constexpr unsigned kSettledStale = 8;
static constexpr unsigned kSettledLeast = 12;
static constexpr unsigned kSettledMost = 40;
/// Relatives that a member hears, and candidates taken from each.
static constexpr unsigned kRelatives = 3;
static constexpr unsigned kCandidatesPerRelative = 2;
/// Each observation without a gain makes a task this much less promising.
static constexpr double kStaleDecay = 0.85;
/// Random candidates among which the loop-nest model chooses.
static constexpr unsigned kModelDraws = 16;

DiffusionSearch::DiffusionSearch(llvm::ArrayRef<SearchTask> tasks,
                                 const TargetDescription &target, uint64_t seed,
                                 Members members)
    : SearchStrategy(tasks.size()), tasks(tasks), target(target),
      members(members), copies(tasks.size()), collected(tasks.size(), false),
      random(seed) {
  unsigned clusters = 0;
  for (const SearchTask &task : tasks)
    clusters = std::max(clusters, task.cluster + 1);
  representatives.assign(clusters, tasks.size());
  for (unsigned task = 0; task < tasks.size(); ++task) {
    unsigned &first = representatives[tasks[task].cluster];
    if (first == tasks.size() || tasks[task].isRepresentative)
      first = task;
  }
}

bool DiffusionSearch::isSettled(unsigned cluster) const {
  unsigned task = representatives[cluster];
  const TaskLedger &ledger = ledgers[task];
  if (closed[task] || ledger.observations() >= kSettledMost)
    return true;
  return ledger.observations() >= kSettledLeast &&
         ledger.stale() >= kSettledStale;
}

std::optional<unsigned> DiffusionSearch::pickTask() const {
  std::optional<unsigned> best;
  double bestPromise = 0;
  for (unsigned task = 0; task < tasks.size(); ++task) {
    unsigned cluster = tasks[task].cluster;
    bool mustWait = task != representatives[cluster] && !isSettled(cluster);
    if (closed[task] || mustWait)
      continue;
    double promise = expectedShare(tasks[task], ledgers[task], target) *
                     std::pow(kStaleDecay, ledgers[task].stale());
    // What is handed over is nearly always worth its one measurement.
    if (task != representatives[cluster] &&
        (!collected[task] || !copies[task].empty()))
      promise = expectedShare(tasks[task], ledgers[task], target);
    if (promise > bestPromise) {
      bestPromise = promise;
      best = task;
    }
  }
  return best;
}

/// Distance between two tasks of a cluster: the difference of their extents on
/// a logarithmic scale, summed over the loops that both have.
static double distanceBetween(const SubgraphDescriptor &a,
                              const SubgraphDescriptor &b) {
  double distance = a.dims.size() == b.dims.size() ? 0 : 8;
  for (const auto &[left, right] : llvm::zip(a.dims, b.dims))
    if (left.extent > 0 && right.extent > 0)
      distance += std::abs(std::log2(static_cast<double>(left.extent) /
                                     static_cast<double>(right.extent)));
  return distance;
}

void DiffusionSearch::collectCopies(unsigned task) {
  collected[task] = true;
  std::vector<std::pair<double, unsigned>> relatives;
  for (unsigned other = 0; other < tasks.size(); ++other)
    if (other != task && tasks[other].cluster == tasks[task].cluster &&
        ledgers[other].incumbent())
      relatives.push_back(
          {distanceBetween(tasks[task].descriptor, tasks[other].descriptor),
           other});
  llvm::sort(relatives);
  bool once = members == Members::CopyOnce;
  relatives.resize(std::min<size_t>(relatives.size(), once ? 1 : kRelatives));
  for (auto [distance, other] : relatives) {
    llvm::ArrayRef<Measured> ranking = ledgers[other].ranking();
    size_t taken =
        std::min<size_t>(ranking.size(), once ? 1 : kCandidatesPerRelative);
    for (const Measured &measured : ranking.take_front(taken)) {
      std::optional<Candidate> copy =
          projectCopy(tasks[task], target, measured.candidate);
      std::optional<Candidate> scaled =
          projectScaled(tasks[task], target, tasks[other], measured.candidate);
      if (copy)
        copies[task].push_back(std::move(*copy));
      if (scaled && !(once && copy))
        copies[task].push_back(std::move(*scaled));
    }
  }
}

std::optional<Candidate> DiffusionSearch::proposeNeighbour(unsigned task) {
  const Measured *best = ledgers[task].incumbent();
  if (!best)
    return std::nullopt;
  std::vector<Candidate> around =
      neighboursOf(tasks[task], target, best->candidate);
  // A random rotation keeps the choice of knob unbiased.
  if (!around.empty())
    std::rotate(around.begin(),
                around.begin() + drawBelow(random, around.size()),
                around.end());
  for (Candidate &candidate : around)
    if (ledgers[task].claim(candidate))
      return candidate;
  return std::nullopt;
}

std::optional<Candidate> DiffusionSearch::proposeRandom(unsigned task,
                                                        unsigned draws) {
  std::vector<std::pair<double, Candidate>> drawn;
  for (unsigned draw = 0; draw < draws; ++draw)
    if (std::optional<Candidate> candidate =
            drawRandom(tasks[task], target, random))
      drawn.push_back(
          {estimateMicros(tasks[task], target, *candidate), *candidate});
  // The model says nothing of some sketches. What was drawn first decides which
  // kind comes first, so that each has the share that its sketches have.
  auto isModelled = [&](const Candidate &candidate) {
    return findSketch(tasks[task], candidate.sketch)->isModelled();
  };
  bool isFirst = !drawn.empty() && isModelled(drawn.front().second);
  std::stable_sort(drawn.begin(), drawn.end(),
                   [&](const auto &a, const auto &b) {
                     bool left = isModelled(a.second) != isFirst;
                     bool right = isModelled(b.second) != isFirst;
                     return std::tie(left, a.first) < std::tie(right, b.first);
                   });
  for (auto &[micros, candidate] : drawn)
    if (ledgers[task].claim(candidate))
      return candidate;
  return std::nullopt;
}

std::optional<Candidate> DiffusionSearch::propose(unsigned task) {
  bool isMember = task != representatives[tasks[task].cluster];
  if (isMember && !collected[task])
    collectCopies(task);
  while (!copies[task].empty()) {
    Candidate copy = std::move(copies[task].front());
    copies[task].pop_front();
    if (ledgers[task].claim(copy))
      return copy;
  }
  if (isMember && members == Members::CopyOnce)
    return std::nullopt;
  // Six in ten refine, three follow the model, one explores blindly.
  uint64_t kind = drawBelow(random, 10);
  std::optional<Candidate> found;
  if (kind < 6)
    found = proposeNeighbour(task);
  if (!found)
    found = proposeRandom(task, kind == 9 ? 1 : kModelDraws);
  if (!found)
    found = proposeNeighbour(task);
  // One unlucky draw must not end the search of a task.
  return found ? found : proposeRandom(task, kModelDraws);
}

std::vector<Suggestion> DiffusionSearch::suggest(unsigned limit) {
  std::vector<Suggestion> batch;
  while (batch.size() < limit) {
    std::optional<unsigned> task = pickTask();
    if (!task)
      break;
    if (std::optional<Candidate> candidate = propose(*task))
      batch.push_back({*task, std::move(*candidate)});
    else
      closed[*task] = true;
  }
  return batch;
}
