// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/EvolutionarySearch.h"

#include "Diffuse/Sketch/Space.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace diffuse;

/// Measurements of one task between two trainings of the model, and how many of
/// them are random, so that the model sees more than it believes in.
static constexpr unsigned kRoundSize = 16, kRandomOfRound = 1;
/// Candidates of a generation, generations, and the share of the first one that
/// may be measured candidates.
static constexpr unsigned kPopulation = 256, kGenerations = 4;
static constexpr unsigned kMeasuredShare = 5;
/// Out of twenty children, this many are mutants; the others have two parents.
static constexpr unsigned kMutantsOfTwenty = 17;
/// Failed draws in a row, as a multiple of what is wanted, that end a drawing.
static constexpr unsigned kPatience = 8;
/// Rows that the model is trained on: the latest.
static constexpr size_t kTrainingRows = 4096;
/// Added to each score as a weight for parents, so that none is excluded.
static constexpr double kLeastScore = 0.01;

EvolutionarySearch::EvolutionarySearch(llvm::ArrayRef<SearchTask> tasks,
                                       const TargetDescription &target,
                                       uint64_t seed,
                                       std::unique_ptr<CostModel> model)
    : SearchStrategy(tasks.size()), tasks(tasks), target(target),
      model(std::move(model)), scheduler(tasks), random(seed) {}

void EvolutionarySearch::endRound() {
  if (!current)
    return;
  const Measured *best = ledgers[*current].incumbent();
  scheduler.endRound(*current,
                     best ? std::optional(best->micros) : std::nullopt);
  current = std::nullopt;
}

void EvolutionarySearch::train() {
  isTrained = false;
  llvm::ArrayRef<Sample> latest = samples;
  latest = latest.take_back(std::min(kTrainingRows, latest.size()));
  std::vector<FeatureRow> rows;
  std::vector<double> speeds;
  for (const Sample &sample : latest) {
    rows.push_back(sample.row);
    const Measured *best = ledgers[sample.task].incumbent();
    // What was measured and failed later ranks no more.
    speeds.push_back(best && sample.micros ? best->micros / *sample.micros : 0);
  }
  if (rows.empty())
    return;
  // A model that cannot be trained leaves the search random, never ends it.
  llvm::Error error = model->fit(rows, speeds);
  isTrained = !error;
  llvm::consumeError(std::move(error));
}

void EvolutionarySearch::heard(const Observation &observation) {
  const SearchTask &task = tasks[observation.task];
  if (findSketch(task, observation.candidate.sketch))
    samples.push_back({observation.task,
                       costFeatures(task, target, observation.candidate),
                       observation.micros});
}

void EvolutionarySearch::queueRandom(unsigned task, unsigned count) {
  unsigned misses = 0;
  while (count > 0 && misses < kPatience * kRoundSize) {
    std::optional<Candidate> drawn = drawRandom(tasks[task], target, random);
    if (drawn && ledgers[task].claim(*drawn)) {
      queue.push_back(std::move(*drawn));
      --count;
    } else {
      ++misses;
    }
  }
}

std::vector<Candidate> EvolutionarySearch::firstGeneration(unsigned task) {
  std::vector<Candidate> population;
  llvm::ArrayRef<Measured> ranking = ledgers[task].ranking();
  size_t measured =
      std::min<size_t>(ranking.size(), kPopulation / kMeasuredShare);
  for (const Measured &known : ranking.take_front(measured))
    population.push_back(known.candidate);
  unsigned misses = 0;
  while (population.size() < kPopulation && misses < kPopulation)
    if (std::optional<Candidate> drawn =
            drawRandom(tasks[task], target, random))
      population.push_back(std::move(*drawn));
    else
      ++misses;
  return population;
}

/// The choices of `child` as far as they are open; those that it has none for
/// are the other parent's, or drawn.
Choices EvolutionarySearch::openChoices(unsigned task, const Candidate &child,
                                        const Candidate *parent) {
  const BoundSketch *sketch = findSketch(tasks[task], child.sketch);
  return makeChoices(*sketch, [&](const Knob &knob) {
    for (const Candidate *from : {&child, parent})
      if (from)
        if (auto choice = from->choices.find(knob.name);
            choice != from->choices.end())
          return choice->second;
    return knob.domain[drawBelow(random, knob.domain.size())];
  });
}

std::optional<Candidate> EvolutionarySearch::mutate(unsigned task,
                                                    Candidate candidate) {
  llvm::ArrayRef<Knob> knobs =
      findSketch(tasks[task], candidate.sketch)->knobs();
  if (knobs.empty())
    return std::nullopt;
  const Knob &knob = knobs[drawBelow(random, knobs.size())];
  int64_t value = knob.domain[drawBelow(random, knob.domain.size())];
  // What a knob that is not open would be says nothing.
  if (!candidate.choices.count(knob.name))
    return std::nullopt;
  candidate.choices[knob.name] = value;
  candidate.choices = openChoices(task, candidate, nullptr);
  if (!isLegal(tasks[task], target, candidate))
    return std::nullopt;
  return candidate;
}

std::optional<Candidate> EvolutionarySearch::cross(unsigned task,
                                                   const Candidate &one,
                                                   const Candidate &other) {
  if (one.sketch != other.sketch)
    return std::nullopt;
  Candidate child = one;
  for (auto &[knob, value] : child.choices)
    if (drawBelow(random, 2))
      if (auto theirs = other.choices.find(knob); theirs != other.choices.end())
        value = theirs->second;
  child.choices = openChoices(task, child, &other);
  if (!isLegal(tasks[task], target, child))
    return std::nullopt;
  return child;
}

std::vector<Candidate>
EvolutionarySearch::nextGeneration(unsigned task,
                                   llvm::ArrayRef<Scored> parents) {
  // Parents are drawn in proportion to what the model expects of them.
  std::vector<double> sums;
  double sum = 0;
  for (const Scored &parent : parents)
    sums.push_back(sum += kLeastScore + std::max(0.0, parent.score));
  auto drawParent = [&]() -> const Candidate & {
    double point = sum * static_cast<double>(drawBelow(random, 1u << 30)) /
                   static_cast<double>(1u << 30);
    size_t index = llvm::upper_bound(sums, point) - sums.begin();
    return parents[std::min(index, parents.size() - 1)].candidate;
  };
  std::vector<Candidate> children;
  for (unsigned draw = 0;
       draw < kPatience * kPopulation && children.size() < kPopulation;
       ++draw) {
    const Candidate &one = drawParent();
    std::optional<Candidate> child = drawBelow(random, 20) < kMutantsOfTwenty
                                         ? mutate(task, one)
                                         : cross(task, one, drawParent());
    if (child)
      children.push_back(std::move(*child));
  }
  return children;
}

std::vector<EvolutionarySearch::Scored>
EvolutionarySearch::score(unsigned task, std::vector<Candidate> candidates) {
  std::vector<FeatureRow> rows;
  for (const Candidate &candidate : candidates)
    rows.push_back(costFeatures(tasks[task], target, candidate));
  std::vector<Scored> scored;
  llvm::Expected<std::vector<Prediction>> predictions = model->predict(rows);
  if (!predictions) {
    llvm::consumeError(predictions.takeError());
    return scored;
  }
  for (const auto &[candidate, prediction] :
       llvm::zip_equal(candidates, *predictions))
    scored.push_back({std::move(candidate), prediction.mean});
  return scored;
}

std::vector<EvolutionarySearch::Scored>
EvolutionarySearch::evolve(unsigned task) {
  // By candidate, so that each is kept once and ties break alike everywhere.
  std::map<Candidate, double> met;
  std::vector<Candidate> population = firstGeneration(task);
  for (unsigned generation = 0; generation < kGenerations; ++generation) {
    if (population.empty())
      break;
    std::vector<Scored> scored = score(task, std::move(population));
    for (const Scored &entry : scored)
      met.insert({entry.candidate, entry.score});
    population.clear();
    if (!scored.empty() && generation + 1 < kGenerations)
      population = nextGeneration(task, scored);
  }
  std::vector<Scored> best;
  for (const auto &[candidate, expected] : met)
    best.push_back({candidate, expected});
  llvm::stable_sort(
      best, [](const Scored &a, const Scored &b) { return a.score > b.score; });
  return best;
}

bool EvolutionarySearch::startRound() {
  endRound();
  train();
  while (std::optional<unsigned> task = scheduler.pick()) {
    if (closed[*task]) {
      scheduler.close(*task);
      continue;
    }
    if (isTrained)
      for (Scored &entry : evolve(*task))
        if (queue.size() < kRoundSize - kRandomOfRound &&
            ledgers[*task].claim(entry.candidate))
          queue.push_back(std::move(entry.candidate));
    queueRandom(*task, kRoundSize - queue.size());
    if (!queue.empty()) {
      current = task;
      return true;
    }
    scheduler.close(*task);
  }
  return false;
}

std::vector<Suggestion> EvolutionarySearch::suggest(unsigned limit) {
  std::vector<Suggestion> batch;
  while (batch.size() < limit) {
    if (current && closed[*current])
      queue.clear();
    if (queue.empty() && !startRound())
      break;
    batch.push_back({*current, std::move(queue.front())});
    queue.pop_front();
  }
  return batch;
}
