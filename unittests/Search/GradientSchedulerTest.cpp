// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/GradientScheduler.h"

#include "ToyTasks.h"

using namespace diffuse;

namespace {
/// The toy's three tasks, each in a cluster of its own, so that none is held
/// against the speed of another.
struct GradientSchedulers : ToyTasks {
  GradientSchedulers() {
    for (unsigned task = 0; task < tasks.size(); ++task)
      tasks[task].cluster = task;
  }
};
} // namespace

TEST_F(GradientSchedulers, GiveEachTaskOneRoundFirst) {
  GradientScheduler scheduler(tasks);
  for (unsigned task = 0; task < tasks.size(); ++task) {
    EXPECT_EQ(scheduler.pick(), task);
    scheduler.endRound(task, 100.0);
  }
}

TEST_F(GradientSchedulers, PreferWhatIsCalledMost) {
  tasks[1].descriptor.calls = 10;
  GradientScheduler scheduler(tasks);
  for (unsigned task = 0; task < tasks.size(); ++task)
    scheduler.endRound(task, 100.0);
  EXPECT_EQ(scheduler.pick(), 1u);
}

TEST_F(GradientSchedulers, LeaveATaskThatGainsNoMore) {
  GradientScheduler scheduler(tasks);
  for (unsigned task = 0; task < tasks.size(); ++task)
    scheduler.endRound(task, 100.0);
  for (unsigned round = 0; round < 6; ++round)
    scheduler.endRound(0, 100.0);
  scheduler.endRound(1, 60.0);
  EXPECT_EQ(scheduler.pick(), 2u);
}

TEST_F(GradientSchedulers, ExpectNoMoreThanSimilarTasksReach) {
  // Task 1 does eight times the work of task 0 in eight times its time: there
  // is as little to gain in it as in task 0. Task 2 is far slower per
  // operation.
  for (SearchTask &task : tasks)
    task.cluster = 0;
  GradientScheduler scheduler(tasks);
  for (unsigned round = 0; round < 2; ++round) {
    scheduler.endRound(0, 10.0);
    scheduler.endRound(1, 80.0);
    scheduler.endRound(2, 6400.0);
  }
  EXPECT_EQ(scheduler.pick(), 2u);
}

TEST_F(GradientSchedulers, PutTasksWithoutAWorkingCandidateLast) {
  GradientScheduler scheduler(tasks);
  scheduler.endRound(0, std::nullopt);
  scheduler.endRound(1, 1.0);
  scheduler.endRound(2, std::nullopt);
  EXPECT_EQ(scheduler.pick(), 1u);
}

TEST_F(GradientSchedulers, EndWithTheLastOpenTask) {
  GradientScheduler scheduler(tasks);
  for (unsigned task = 0; task < tasks.size(); ++task)
    scheduler.close(task);
  EXPECT_EQ(scheduler.pick(), std::nullopt);
}
