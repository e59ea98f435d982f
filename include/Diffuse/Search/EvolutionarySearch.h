// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baseline without diffusion: evolutionary search under a learned cost
// model, rounds given out by a gradient scheduler, after Zheng et al., "Ansor:
// Generating High-Performance Tensor Programs for Deep Learning", OSDI 2020.
// Sketches, legality and features are those of every other strategy.

#ifndef DIFFUSE_SEARCH_EVOLUTIONARYSEARCH_H
#define DIFFUSE_SEARCH_EVOLUTIONARYSEARCH_H

#include "Diffuse/Search/CostModel.h"
#include "Diffuse/Search/GradientScheduler.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Search/SearchStrategy.h"

#include <deque>

namespace diffuse {

class EvolutionarySearch : public SearchStrategy {
public:
  EvolutionarySearch(llvm::ArrayRef<SearchTask> tasks,
                     const TargetDescription &target, uint64_t seed,
                     std::unique_ptr<CostModel> model);

  std::vector<Suggestion> suggest(unsigned limit) override;

private:
  void heard(const Observation &observation) override;

  /// An observation in the coordinates of the model.
  struct Sample {
    unsigned task = 0;
    FeatureRow row;
    std::optional<double> micros;
  };
  struct Scored {
    Candidate candidate;
    double score = 0;
  };

  /// Ends the round, trains the model, fills the queue for the next task.
  /// False where no task has a candidate left.
  bool startRound();
  void endRound();
  void train();
  /// Random candidates that were not claimed yet, at most `count`.
  void queueRandom(unsigned task, unsigned count);
  /// The best of some generations, best first, measured ones among them.
  std::vector<Scored> evolve(unsigned task);
  std::vector<Candidate> firstGeneration(unsigned task);
  std::vector<Candidate> nextGeneration(unsigned task,
                                        llvm::ArrayRef<Scored> parents);
  /// Candidates with the speed that the model expects of them.
  std::vector<Scored> score(unsigned task, std::vector<Candidate> candidates);
  Choices openChoices(unsigned task, const Candidate &child,
                      const Candidate *parent);
  /// `candidate` with one knob drawn anew; nothing where that is not legal.
  std::optional<Candidate> mutate(unsigned task, Candidate candidate);
  /// A child with each knob of one of two parents of the same sketch.
  std::optional<Candidate> cross(unsigned task, const Candidate &one,
                                 const Candidate &other);

  llvm::ArrayRef<SearchTask> tasks;
  const TargetDescription &target;
  std::unique_ptr<CostModel> model;
  bool isTrained = false;
  GradientScheduler scheduler;
  std::vector<Sample> samples;
  /// What is left of the round, and the task it belongs to.
  std::deque<Candidate> queue;
  std::optional<unsigned> current;
  RandomSource random;
};

} // namespace diffuse

#endif // DIFFUSE_SEARCH_EVOLUTIONARYSEARCH_H
