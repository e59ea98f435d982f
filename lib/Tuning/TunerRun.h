// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of the tuner's loop. Its steps are in Tuner.cpp, those before the
// search (records, default schedules) in StartFromRecords.cpp and those after
// it in SettleWinners.cpp.

#ifndef DIFFUSE_LIB_TUNING_TUNERRUN_H
#define DIFFUSE_LIB_TUNING_TUNERRUN_H

#include "Evaluator.h"

#include <set>

namespace diffuse {

/// A candidate this much slower than the best gets one sample.
inline constexpr double kFarBehind = 1.5;
/// One this much slower has lost, whatever noise there is in its samples.
inline constexpr double kBehind = 1.15;

class TunerRun {
public:
  TunerRun(const TuningParts &parts, SearchStrategy &strategy,
           ProgressSink &progress);
  TuningOutcome run();

private:
  /// What the budget still has to pay for.
  enum class Ahead { WinnersToSettle, Nothing };

  void applyRecords(unsigned task);
  /// Whether what records say of the candidate competes in this run.
  bool counts(unsigned task, const Candidate &candidate) const;
  /// Measures again what leads by times of another machine, or though it was
  /// slower inside a network.
  void measureDoubtfulLeaders(unsigned task);
  /// Tries what leads in records that do not count.
  void measureStaleLeaders(unsigned task);
  void measureDefaults();
  void search();
  std::optional<Suggestion> suggest();
  void settleWinners();
  bool failsOnSecondSeed(unsigned task, const Candidate &leader);
  void settle(unsigned task);
  void confirm(unsigned task, const Candidate &winner);
  void timePlainLoops();
  void timePlainLoops(unsigned task);

  bool isInterrupted() const {
    return parts.options.interrupted && parts.options.interrupted();
  }
  bool isOver(Ahead ahead) const;
  /// Measurements that a budget in measurements keeps for the winners.
  unsigned reserve() const;
  bool canMeasure(unsigned count) const;
  void evaluate(unsigned task, const Candidate &candidate,
                const Effort &effort);
  /// One measurement, repeated where something other than the candidate failed.
  /// Unmeasurable once the user wants to stop.
  Evaluation measure(unsigned task, const Candidate &candidate,
                     const Effort &effort);
  /// Warns once of what makes times doubtful.
  void noteCore(const Evaluation &evaluation);
  /// Whether there is time to watch the speed of the machine.
  bool maySpendOnSpeed() const;
  /// Counts a fault that no candidate is to blame for.
  void noteFault(unsigned task, const Evaluation &evaluation);
  void learn(unsigned task, const Candidate &candidate,
             const Evaluation &evaluation);
  /// Whether what went wrong is neither the candidate's nor a dispute's.
  bool isFaultOfOthers(const Evaluation &evaluation) const;
  /// Counts a measurement.
  void count(unsigned task, const Evaluation &evaluation);
  /// Takes its times from a candidate that another one showed to be wrong, and
  /// from all that passed by its answers.
  void refute(unsigned task, const Evaluation &evaluation);
  /// Whether a record stands for the time of a ranked candidate.
  bool isTimed(unsigned task, const Candidate &candidate);
  /// Ranked candidates, fastest first, that none stands for any more.
  std::vector<Candidate> findDoubted(unsigned task);
  /// Takes their times from them; those that led are measured again.
  void measureDoubted(unsigned task);
  /// Tells whoever wants to know how far the run is.
  void tellState() const;
  void report(unsigned task, const Evaluation &evaluation);
  /// Makes the fastest measured candidate the task's best; with `among`, the
  /// fastest of those where one of them has a time.
  void updateBest(unsigned task, llvm::ArrayRef<Candidate> among = {});
  /// Whether nothing that was given back rules a candidate out.
  bool mayLead(unsigned task, const Measured &measured) const;
  /// The fastest of `among`, else of all, that may lead; null without any.
  const Measured *findLeader(unsigned task,
                             llvm::ArrayRef<Candidate> among) const;
  /// Time of a task in one run of the module: of its best schedule, else the
  /// estimate of what it gets, the default schedule or plain loops.
  double shareOf(unsigned task) const;
  double moduleMicros() const;
  std::vector<unsigned> heaviestFirst() const;
  double clock() const { return parts.options.clock(); }

  TuningParts parts;
  SearchStrategy &strategy;
  ProgressSink &progress;
  Evaluator evaluator;
  /// Nothing where the default is plain loops.
  std::vector<std::optional<Candidate>> defaults;
  /// By task: candidates whose times are of other machines, and those that were
  /// given back and are tried again.
  std::vector<std::set<Candidate>> doubtful;
  /// By task: the least time of a candidate that was slower inside the network
  /// than the default schedule. What is no faster than it is not taken either,
  /// unless it was not slower.
  std::vector<double> leastGivenBack;
  /// By task: faults since something was last measured.
  std::vector<unsigned> faults;
  std::set<std::string> warnings;
  /// Decisions between good candidates, and those on an unsteady machine.
  unsigned decisions = 0, unsteady = 0;
  /// Measurements during which the speed of the machine was watched.
  unsigned calibrations = 0;
  /// Module estimate after each measurement.
  std::vector<double> history;
  /// Since this one, gains count for whether to go on.
  size_t patientSince = 0;
  TuningOutcome outcome;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_TUNERRUN_H
