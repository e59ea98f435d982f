// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a candidate to what happened to it: looked up, or instantiated,
// compiled, measured against the reference, and recorded.

#ifndef DIFFUSE_LIB_TUNING_EVALUATOR_H
#define DIFFUSE_LIB_TUNING_EVALUATOR_H

#include "CompiledCandidates.h"
#include "RecordedCandidate.h"
#include "References.h"

#include <map>
#include <set>
#include <string>

namespace diffuse {

/// What came of it where a candidate differs from the schedule that answers are
/// compared with.
struct Dispute {
  /// Unmeasurable because no exact value decides: no fault of the surroundings.
  bool isUndecided = false;
  /// A candidate that passed before and is wrong where an exact value is known
  /// now.
  std::optional<Candidate> refuted;
  /// The schedule that answers were compared with, this or the refuted one, is
  /// wrong: what passed by it has to be measured again.
  bool unsettles = false;
};

/// What is known of one candidate after its evaluation.
struct Evaluation : Dispute {
  FailureKind failure = FailureKind::None;
  std::string message;
  /// Digest of the schedule.
  std::string schedule;
  /// Set where it succeeded and was measured in full.
  std::optional<double> micros;
  /// So far behind that it was measured briefly: nothing is to be ranked by it.
  std::optional<double> droppedMicros;
  /// The records knew it; nothing was measured.
  bool fromRecords = false;
  /// Unmeasurable, and trying again will not help.
  bool isFinal = false;
  /// The machine's speed moved while it was measured.
  bool isUnsteady = false;
  /// It was measured on a core that another process measures on.
  bool sharedCore = false;
  /// Whether it was is not known.
  bool unreservedCore = false;

  static Evaluation failedWith(FailureKind failure, std::string message) {
    Evaluation evaluation;
    evaluation.failure = failure;
    evaluation.message = std::move(message);
    return evaluation;
  }
};

/// How to measure.
struct Effort {
  /// A candidate slower than this is measured briefly; 0 measures all alike.
  double dropAboveMicros = 0;
  /// A candidate slower than this is measured less often; 0 measures all alike.
  double briefAboveMicros = 0;
  /// Wall time to spend on the samples of what is no slower.
  double sampleSeconds = RepeatPolicy().minSeconds;
  /// The records are not asked.
  bool isAfresh = false;
  /// The machine's speed is watched; for decisions between good candidates.
  bool calibrate = false;
};

class Evaluator {
public:
  explicit Evaluator(const TuningParts &parts)
      : parts(parts), references(parts), libraries(parts) {}

  /// What will be evaluated after the next candidate, so that it may be
  /// compiled while that one is measured.
  void expect(std::optional<Suggestion> suggestion) {
    next = std::move(suggestion);
  }

  Evaluation evaluate(unsigned task, const Candidate &candidate,
                      const Effort &effort);

  /// Runs a candidate that passed on other data, taking no times. A failure is
  /// recorded; where it was checked so before, nothing is run. It may refute
  /// another, as in `evaluate`.
  Evaluation checkOnSecondSeed(unsigned task, const Candidate &candidate);

  /// Makes sure that this element is among those that answers are checked by.
  void lookAt(unsigned task, const AnswerElement &element) {
    references.sampleAlso(task, element);
  }

  /// What the records hold of a candidate as its sketch is now.
  RecordedCandidate recall(unsigned task, const Candidate &candidate);

  std::optional<double> timePlainLoops(unsigned task) {
    return references.timePlainLoops(task);
  }
  /// Seconds that the reference of the second seed will take, about.
  double referenceSeconds(unsigned task) {
    return references.get(task, kDataSeed).seconds;
  }
  /// Seconds that one run of plain loops takes, about.
  double plainLoopsSeconds(unsigned task) {
    return references.secondsOfWholeRun(task);
  }
  /// Seconds spent on making references.
  double secondsInReferences() const { return references.secondsSpent(); }

private:
  /// The same of a schedule whose text has this digest.
  RecordedCandidate recallSchedule(unsigned task, const std::string &digest);
  MeasurementRecord recordFor(unsigned task, const Candidate &candidate,
                              const std::string &schedule) const;
  /// A candidate on its way from schedule to result.
  struct Trial : Dispute {
    unsigned task;
    Candidate candidate;
    MeasurementRecord record;
    CompiledCandidate compiled;
    /// Its last answer was: on the first seed where it was timed on that.
    bool isRight = false;
  };
  Trial compile(unsigned task, const Candidate &candidate,
                const std::string &schedule);
  void beginNext();
  /// Runs what was compiled on the data of a seed as `adapt` has the request;
  /// fills failure, samples and times of the record.
  MeasureResult run(Trial &trial, uint64_t seed,
                    llvm::function_ref<void(MeasureRequest &)> adapt);
  /// Measures on the first seed, and on both where a whole answer to compare
  /// others with is wanted.
  MeasureResult measure(Trial &trial, const Effort &effort);
  MeasureResult checkOnSecondSeed(Trial &trial);
  /// Lets an exact value decide where the candidate, on the data of `seed`,
  /// differs from the schedule whose answer was adopted: the result of another
  /// run, or of none.
  MeasureResult arbitrate(Trial &trial, MeasureResult first, uint64_t seed,
                          llvm::function_ref<MeasureResult()> again);
  /// Holds both against samples that hold `element`, where they differ. Only
  /// one that is not wrong there goes on speaking for all.
  MeasureResult judge(Trial &trial, const AnswerElement &element, uint64_t seed,
                      llvm::function_ref<MeasureResult()> again);
  /// How a candidate fails where it is compared with samples alone.
  FailureKind compareWithSamples(unsigned task, const Candidate &candidate,
                                 uint64_t seed);
  void recordRefuted(unsigned task, const Candidate &candidate,
                     const AnswerElement &element);
  void append(unsigned task, const MeasurementRecord &record);
  const std::string &defaultDigest(unsigned task);

  TuningParts parts;
  References references;
  CompiledCandidates libraries;
  std::optional<Suggestion> next;
  /// By task: candidates that passed on the second seed.
  std::map<unsigned, std::set<Candidate>> checked;
  struct Author {
    Candidate candidate;
    std::string schedule;
  };
  /// By task: whose whole answer others are compared with.
  std::map<unsigned, Author> authors;
  /// By task: digests of default schedules.
  std::map<unsigned, std::string> defaultDigests;
};

/// Text of the schedule of a candidate, the same for every subgraph it is
/// applied to; empty where it cannot be instantiated.
std::string scheduleText(const SearchTask &task, const Candidate &candidate);

/// Digest of that text, as records have it.
std::string scheduleDigest(const SearchTask &task, const Candidate &candidate);

/// The same of the default schedule; where that is plain loops, of no text.
std::string defaultDigest(const SearchTask &task,
                          const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_EVALUATOR_H
