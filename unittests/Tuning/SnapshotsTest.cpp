// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Snapshots.h"

#include "TunerFixture.h"

using namespace diffuse;

namespace {
struct Snapshots : TunerTest {
  SnapshotMarks::Sink sink() {
    return [this](const Snapshot &snapshot) {
      names.push_back(snapshot.name);
      states.push_back(snapshot.state);
    };
  }

  std::vector<std::string> names;
  std::vector<TuningState> states;
};
} // namespace

TEST_F(Snapshots, AMarkHasTheStateThatWasSoThen) {
  Budget budget;
  budget.seconds = 60;
  SnapshotMarks marks(budget, sink());
  unsigned count = 0;
  for (double seconds : {0.0, 0.4, 1.5, 1.9, 2.0, 9.0})
    marks.advance({seconds, count++, 100.0 - count, {}});
  EXPECT_EQ(names, std::vector<std::string>({"1s", "2s", "4s", "8s"}));
  EXPECT_EQ(states[0].seconds, 0.4) << "what came after 1 s is not in it";
  EXPECT_EQ(states[1].seconds, 2.0);
  EXPECT_EQ(states[2].seconds, 2.0);
  EXPECT_EQ(states[3].measurements, 4u);
  marks.finish();
  EXPECT_EQ(names.size(), 4u);
}

TEST_F(Snapshots, ABudgetInMeasurementsIsMarkedByMeasurements) {
  options.budget.measurements = 20;
  SnapshotMarks marks(options.budget, sink());
  options.advanced = [&](const TuningState &state) { marks.advance(state); };
  TuningOutcome outcome = run();
  marks.finish();
  EXPECT_EQ(names, std::vector<std::string>({"1", "2", "4", "8", "16"}));
  double before = INFINITY;
  for (const auto &[name, state] : llvm::zip(names, states)) {
    EXPECT_EQ(std::to_string(state.measurements), name);
    ASSERT_EQ(state.tasks.size(), outcome.tasks.size());
    for (const TaskOutcome &task : state.tasks)
      EXPECT_TRUE(task.best) << "at least the default schedule";
    if (state.measurements >= 4) {
      EXPECT_LE(state.moduleMicros, before);
      before = state.moduleMicros;
    }
  }
}

TEST_F(Snapshots, OneThatEndsAtAMarkIsToldOfIt) {
  Budget budget;
  budget.measurements = 2;
  SnapshotMarks marks(budget, sink());
  for (unsigned count : {0, 1, 2})
    marks.advance({0, count, 1, {}});
  EXPECT_EQ(names, std::vector<std::string>({"1"}));
  marks.finish();
  EXPECT_EQ(names, std::vector<std::string>({"1", "2"}));
}
