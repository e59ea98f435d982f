// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole loop under rigged measurements: no code is compiled or run.

#ifndef DIFFUSE_UNITTESTS_TUNING_TUNERFIXTURE_H
#define DIFFUSE_UNITTESTS_TUNING_TUNERFIXTURE_H

#include "ToyTasks.h"

#include "Diffuse/Measure/FakeMeasurer.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Support/MachineId.h"
#include "Diffuse/Tuning/NullCompiler.h"
#include "Diffuse/Tuning/Tuner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace diffuse {

struct TunerTest : ToyTasks {
  TunerTest() {
    for (SearchTask &task : tasks) {
      // Different subgraphs must not share records.
      task.descriptor.exactHash[0] =
          static_cast<char>('b' + tuningTasks.size());
      tuningTasks.push_back({task.descriptor.name, "module {}", {}, {}});
    }
    for (int64_t a : {1, 2, 4, 8, 16, 32})
      for (int64_t b : {1, 2, 4, 8, 16}) {
        Candidate candidate{"toy", {{"a", a}, {"b", b}}};
        candidates[digestOf(candidate)] = candidate;
      }
    options.clock = [] { return 0.0; };
    options.budget.measurements = 60;
    options.scratch = ::testing::TempDir();
    records = openRecordStore({});
  }

  std::string digestOf(const Candidate &candidate) {
    auto schedule =
        instantiate(tasks[0].sketches[0], candidate.choices, "schedule");
    EXPECT_TRUE(mlir::succeeded(schedule));
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*schedule)->print(stream);
    return stableHash(text).str();
  }

  /// A line of this machine on a candidate, which says nothing yet.
  MeasurementRecord recordOf(const SearchTask &task,
                             const Candidate &candidate) {
    MeasurementRecord record;
    record.identity = {recordScopeOf(task, target, options),
                       digestOf(candidate)};
    record.sketch = candidate.sketch;
    record.choices = candidate.choices;
    record.machine = machineId();
    return record;
  }

  /// Answers with the bowl of ToyTasks.
  MeasureResult answer(const MeasureRequest &request) {
    ++requests;
    MeasureResult result;
    if (request.checkOnly || request.identity.schedule.empty())
      return result;
    auto found = candidates.find(request.identity.schedule);
    EXPECT_NE(found, candidates.end());
    result.samplesMicros.assign(5, rigged(found->second));
    return result;
  }

  /// A fake that is taken for a real one.
  struct RealMeasurer : FakeMeasurer {
    using FakeMeasurer::FakeMeasurer;
    bool isReal() const override { return true; }
  };

  TuningOutcome runReal(FakeMeasurer::Rig rig) {
    RealMeasurer measurer(std::move(rig));
    return run(measurer);
  }
  TuningOutcome run(FakeMeasurer::Rig rig) {
    FakeMeasurer measurer(std::move(rig));
    return run(measurer);
  }
  TuningOutcome run(Measurer &measurer) {
    ProgressSink progress;
    return run(measurer, progress);
  }
  TuningOutcome run(Measurer &measurer, ProgressSink &progress) {
    auto strategy = llvm::cantFail(
        createStrategy(options.strategy, tasks, target, options.seed));
    NullCompiler none;
    return tune(&context, tuningTasks, tasks, target, options, *strategy,
                compiler ? *compiler : none, measurer, *records, progress);
  }
  TuningOutcome run() {
    return run(
        [this](const MeasureRequest &request) { return answer(request); });
  }

  /// All records, scope by scope.
  RecordStore::Matches allRecords() const {
    RecordStore::Matches all;
    for (const RecordScope &scope : records->scopes())
      llvm::append_range(all, records->lookup(scope));
    return all;
  }

  std::string recordsText() {
    std::string text;
    for (const MeasurementRecord *record : allRecords())
      text += toJson(*record).dump() + "\n";
    return text;
  }

  std::vector<TuningTask> tuningTasks;
  std::map<std::string, Candidate> candidates;
  TunerOptions options;
  /// Compiles where it is set.
  CandidateCompiler *compiler = nullptr;
  std::unique_ptr<RecordStore> records;
  unsigned requests = 0;
};

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_TUNING_TUNERFIXTURE_H
