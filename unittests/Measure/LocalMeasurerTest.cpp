// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/LocalMeasurer.h"

#include "CandidateTest.h"

#include <csignal>

using namespace diffuse;

namespace {
class LocalMeasurerTest : public CandidateTest {};
} // namespace

TEST_F(LocalMeasurerTest, WorkerIsFoundAndKept) {
  LocalMeasurer measurer;
  MeasureResult result = against(measurer, kAdd, kAdd);
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_FALSE(result.samplesMicros.empty());
  EXPECT_EQ(measurer.starts(), 1u);
}

TEST_F(LocalMeasurerTest, WorkerSurvivesItsCandidates) {
  LocalMeasurer measurer;
  EXPECT_FAILURE(measurer.measure(request(compile("abort();"))),
                 FailureKind::RunCrash, "SIGABRT");
  EXPECT_FAILURE(measurer.measure(request(compile("kill(getpid(), SIGKILL);"))),
                 FailureKind::RunMemory, "killed");
  EXPECT_FAILURE(measurer.measure(request(compile("kill(0, SIGKILL);"))),
                 FailureKind::RunMemory, "killed");
  EXPECT_TRUE(measurer.measure(request(compile(kAdd))).succeeded());
  EXPECT_EQ(measurer.starts(), 1u);
}

TEST_F(LocalMeasurerTest, DeadWorkerIsStartedAgain) {
  LocalMeasurer measurer;
  MeasureRequest r = request(compile(kAdd));
  EXPECT_TRUE(measurer.measure(r).succeeded());
  kill(measurer.workerProcessId(), SIGKILL);
  EXPECT_TRUE(measurer.measure(r).succeeded());
  EXPECT_EQ(measurer.starts(), 2u);
}

TEST_F(LocalMeasurerTest, CandidateThatKillsTheWorkerIsUnmeasurable) {
  LocalMeasurer measurer;
  MeasureRequest r = request(compile("kill(getppid(), SIGKILL); sleep(5);"));
  EXPECT_FAILURE(measurer.measure(r), FailureKind::Unmeasurable,
                 "does not answer");
  EXPECT_TRUE(measurer.measure(request(compile(kAdd))).succeeded());
}

TEST_F(LocalMeasurerTest, StrangersAreNotTakenForWorkers) {
  MeasureRequest r = request("unused.so");
  LocalMeasurer missing({"no-such-worker"});
  EXPECT_FAILURE(missing.measure(r), FailureKind::Unmeasurable,
                 "no-such-worker");
  LocalMeasurer silent({"/bin/sh", "-c", "echo trouble >&2; exit 1"});
  EXPECT_FAILURE(silent.measure(r), FailureKind::Unmeasurable,
                 "it wrote: trouble");
  LocalMeasurer other({"/bin/sh", "-c", "echo hello; sleep 100"});
  EXPECT_FAILURE(other.measure(r), FailureKind::Unmeasurable, "bad JSON");
  LocalMeasurer old(
      {"/bin/sh", "-c",
       "echo '{\"worker\":\"diffuse-measure\",\"protocol\":0}'; sleep 100"});
  EXPECT_FAILURE(old.measure(r), FailureKind::Unmeasurable,
                 "version unknown speaks protocol 0, this program " +
                     std::to_string(kWorkerProtocol));
  LocalMeasurer differing(
      {"/bin/sh", "-c",
       "echo '{\"worker\":\"diffuse-measure\",\"version\":\"7\",\"protocol\":" +
           std::to_string(kWorkerProtocol) +
           ",\"measuring_protocol\":99}'; sleep 100"});
  EXPECT_FAILURE(differing.measure(r), FailureKind::Unmeasurable,
                 "version 7 measures by protocol 99");
}

TEST_F(LocalMeasurerTest, OnceInterruptedNoWorkerIsStarted) {
  LocalMeasurer measurer({}, [] { return true; });
  EXPECT_FAILURE(measurer.measure(request("unused.so")),
                 FailureKind::Unmeasurable, "interrupted");
  EXPECT_EQ(measurer.starts(), 0u);
}

TEST_F(LocalMeasurerTest, OnlyMeasuringTriesAWorkerThatDidNotStartAgain) {
  unsigned asked = 0;
  // The first one is given up while it starts.
  LocalMeasurer measurer({}, [&] { return asked++ == 0; });
  EXPECT_FALSE(measurer.core());
  ASSERT_EQ(measurer.starts(), 1u);
  EXPECT_FALSE(measurer.core());
  EXPECT_EQ(measurer.starts(), 1u);
  EXPECT_TRUE(measurer.measure(request(compile(kAdd))).succeeded());
  EXPECT_EQ(measurer.starts(), 2u);
}

TEST_F(LocalMeasurerTest, PrintingCandidateDoesNotStall) {
  LocalMeasurer measurer;
  MeasureResult result = measurer.measure(request(compile(
      "static int once; if (!once++) for (int i = 0; i < 100000; ++i) "
      "printf(\"%d and a long line of text\\n\", i); fflush(stdout);")));
  EXPECT_TRUE(result.succeeded()) << result.message;
}
