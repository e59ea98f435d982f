// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgraphs that only sketches of a user take: what must not be lost to is
// plain loops then.

#include "TunerFixture.h"

using namespace diffuse;

using NoDefaultSchedule = TunerTest;

TEST_F(NoDefaultSchedule, WithoutADefaultSchedulePlainLoopsAreHeldAgainst) {
  for (SearchTask &task : tasks)
    task.defaultSketches.emplace();
  for (double plain : {50.0, 1e4}) {
    records = openRecordStore({});
    options.stopGain = 0;
    TuningOutcome outcome = run([&](const MeasureRequest &request) {
      MeasureResult result = answer(request);
      if (request.identity.schedule.empty())
        result.samplesMicros.assign(5, plain);
      return result;
    });
    for (const TaskOutcome &task : outcome.tasks) {
      EXPECT_FALSE(task.defaultMicros);
      EXPECT_FALSE(task.defaultFailure);
      EXPECT_EQ(task.plainMicros, plain);
      EXPECT_EQ(task.best.has_value(), plain > 100);
      EXPECT_EQ(task.bestMicros, std::min(plain, 100.0));
    }
  }
}

TEST_F(NoDefaultSchedule, ZeroBudgetWithoutADefaultScheduleGivesPlainLoops) {
  for (SearchTask &task : tasks)
    task.defaultSketches.emplace();
  options.budget.measurements = 0;
  for (const TaskOutcome &task : run().tasks)
    EXPECT_FALSE(task.best);
  EXPECT_EQ(requests, 0u);
}
