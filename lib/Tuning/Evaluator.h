// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a candidate to what happened to it: looked up, or instantiated,
// compiled, measured against the reference, and recorded.

#ifndef DIFFUSE_LIB_TUNING_EVALUATOR_H
#define DIFFUSE_LIB_TUNING_EVALUATOR_H

#include "Diffuse/Tuning/Tuner.h"

#include <string>
#include <vector>

namespace diffuse {

/// What is known of one candidate after its evaluation.
struct Evaluation {
  FailureKind failure = FailureKind::None;
  std::string message;
  /// Set where it succeeded.
  std::optional<double> micros;
  /// The records knew it; nothing was measured.
  bool fromRecords = false;
};

/// The parts that an evaluation needs. All are borrowed.
struct EvaluatorParts {
  mlir::MLIRContext *context;
  llvm::ArrayRef<TuningTask> tasks;
  llvm::ArrayRef<SearchTask> searchTasks;
  const TargetDescription &target;
  const TunerOptions &options;
  CandidateCompiler &compiler;
  Measurer &measurer;
  RecordStore &records;
};

class Evaluator {
public:
  explicit Evaluator(const EvaluatorParts &parts);

  /// Scope of the records of a task.
  RecordScope scopeOf(unsigned task) const;

  /// Evaluates a candidate. One slower than `dropAboveMicros` is measured
  /// briefly; 0 measures all alike. With `afresh` the records are not asked.
  Evaluation evaluate(unsigned task, const Candidate &candidate,
                      double dropAboveMicros, bool afresh = false);

  /// Makes sure that answers of the task can be checked. Returns an empty
  /// string, or why they cannot.
  std::string ensureReference(unsigned task);

  /// Time of the unscheduled lowering; empty where it cannot be measured.
  std::optional<double> timePlainLoops(unsigned task);

private:
  /// What a task needs once before its first measurement.
  struct Prepared {
    bool tried = false;
    std::string reference;
    std::string problem;
  };

  std::string makeReference(unsigned task);
  /// Compiles the unscheduled lowering into a library.
  CompileOutcome compilePlainLoops(unsigned task, const std::string &library);
  MeasureRequest requestFor(unsigned task, const CompileOutcome &compiled,
                            const std::string &library) const;
  MeasurementRecord recordFor(unsigned task, const Candidate &candidate,
                              const std::string &digest) const;
  std::optional<Evaluation> recall(const RecordIdentity &identity) const;
  /// Compiles and measures; fills failure, samples and times of `record`.
  void run(unsigned task, const std::string &schedule, double dropAboveMicros,
           const Candidate &candidate, MeasurementRecord &record);
  std::string pathFor(unsigned task, llvm::StringRef suffix) const;

  EvaluatorParts parts;
  std::vector<Prepared> prepared;
};

/// Guess of the time of plain loops.
double estimatePlainMicros(const SubgraphDescriptor &descriptor);

/// Text of the schedule of a candidate, the same for every subgraph it is
/// applied to; empty where it cannot be instantiated.
std::string scheduleText(const SearchTask &task, const Candidate &candidate);

/// Name of the sequences in that text, without suffix.
inline constexpr llvm::StringLiteral kScheduleName = "schedule";

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_EVALUATOR_H
