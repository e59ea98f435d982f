// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling on a machine whose speed moves, with rigged looks at the speed.

#include "../../lib/Measure/Timing.h"

#include "gtest/gtest.h"

using namespace diffuse;

namespace {
unsigned callsSoFar = 0;

int32_t count(void *const *, const int64_t *, void *) {
  ++callsSoFar;
  return 0;
}

struct Timing : testing::Test {
  Timing() {
    MeasureRequest request;
    request.boundary = {{BoundaryArgument::Kind::Destination, "f32", {4}, "y"}};
    buffers = llvm::cantFail(RunBuffers::create(request));
    policy.minSeconds = 0;
    policy.minRepeats = policy.maxRepeats = 5;
    callsSoFar = 0;
  }

  MeasureResult sample() {
    MeasureResult result;
    CandidateCall call(count, *buffers, nullptr);
    takeSteadySamples(
        call, policy, 60,
        [&] {
          ++looks;
          speed *= isSteady ? 1 : 2;
          return Calibration{speed, 1};
        },
        result);
    return result;
  }

  std::unique_ptr<RunBuffers> buffers;
  RepeatPolicy policy;
  bool isSteady = false;
  double speed = 1;
  unsigned looks = 0;
};
} // namespace

TEST_F(Timing, SamplesAreTakenAgainWhileTheSpeedMoves) {
  MeasureResult result = sample();
  EXPECT_TRUE(result.isUnsteady);
  EXPECT_EQ(looks, 4u);
  EXPECT_EQ(result.samplesMicros.size(), 5u) << "of the last attempt";
}

TEST_F(Timing, ASteadyMachineIsBelievedAtOnce) {
  isSteady = true;
  EXPECT_FALSE(sample().isUnsteady);
  EXPECT_EQ(looks, 2u);
}

TEST_F(Timing, WhatIsDroppedIsNotTakenAgain) {
  policy.dropAboveMicros = 1e-9;
  MeasureResult result = sample();
  EXPECT_TRUE(result.isDropped);
  EXPECT_EQ(looks, 2u);
  EXPECT_EQ(callsSoFar, 1u);
}

TEST_F(Timing, OneDropDoesNotOutliveTheNextSamples) {
  MeasureResult result;
  CandidateCall call(count, *buffers, nullptr);
  policy.dropAboveMicros = 1e-9;
  takeSamples(call, policy, 60, result);
  EXPECT_TRUE(result.isDropped);
  policy.dropAboveMicros = 0;
  takeSamples(call, policy, 60, result);
  EXPECT_FALSE(result.isDropped);
  EXPECT_EQ(result.samplesMicros.size(), 5u);
}
