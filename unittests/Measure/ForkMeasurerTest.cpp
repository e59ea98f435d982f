// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CandidateTest.h"
#include "Diffuse/Measure/TestData.h"
#include "Diffuse/Measure/Worker.h"
#include "Diffuse/Support/AtomicFile.h"

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

namespace {
class ForkMeasurerTest : public CandidateTest {
protected:
  MeasureResult run(const MeasureRequest &request) {
    return measurer.measure(request);
  }
  MeasureResult runBody(llvm::StringRef body) {
    return run(request(compile(body)));
  }
  MeasureResult compare(llvm::StringRef right, llvm::StringRef body) {
    return against(measurer, right, body);
  }

  ForkMeasurer measurer;
};
} // namespace

TEST_F(ForkMeasurerTest, RightAnswerIsTimed) {
  MeasureResult result = compare(kAdd, kAdd);
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_EQ(result.maxRelativeError, 0);
  EXPECT_GE(result.samplesMicros.size(), 5u);
  for (double sample : result.samplesMicros)
    EXPECT_GT(sample, 0);
  EXPECT_GT(result.callsPerSample, 1u);
  EXPECT_GT(result.seconds, 0);
}

TEST_F(ForkMeasurerTest, SmallErrorsPassAndAreTold) {
  MeasureResult result = compare(
      kAdd, "for (int i = 0; i < N; ++i) y[i] = (x[i] + w[i]) * 1.0000002f;");
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_GT(result.maxRelativeError, 0);
}

TEST_F(ForkMeasurerTest, WrongAnswersAreNamed) {
  EXPECT_FAILURE(compare(kAdd, "for (int i = 0; i < N; ++i) y[i] = x[i];"),
                 FailureKind::WrongAnswer, "1000 of 1000 values of result 'y'");
  EXPECT_FAILURE(
      compare(kAdd, "for (int i = 0; i < N - 1; ++i) y[i] = x[i] + w[i];"),
      FailureKind::WrongAnswer, "the first at [999]: nan instead of");
}

TEST_F(ForkMeasurerTest, NanAndInfinityEqualThemselvesOnly) {
  llvm::StringRef special =
      "for (int i = 0; i < N; ++i) y[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? "
      "INFINITY : x[i];";
  EXPECT_TRUE(compare(special, special).succeeded());
  EXPECT_FAILURE(compare(special, kAdd), FailureKind::WrongAnswer,
                 "instead of nan");
  EXPECT_FAILURE(compare(kAdd, special), FailureKind::WrongAnswer,
                 "nan instead of");
  EXPECT_FAILURE(
      compare(special,
              "for (int i = 0; i < N; ++i) y[i] = i % 3 == 0 ? NAN : i % 3 == "
              "1 ? -INFINITY : x[i];"),
      FailureKind::WrongAnswer, "-inf instead of inf");
}

TEST_F(ForkMeasurerTest, StateBetweenCallsIsFound) {
  MeasureRequest reference = request(compile(kAdd));
  reference.writeOutputs = at("reference");
  ASSERT_TRUE(run(reference).succeeded());
  MeasureRequest candidate = request(
      compile("for (int i = 0; i < N; ++i) y[i] = x[i] + w[i] + (calls > 0);"
              "++calls;",
              "static int calls;"));
  candidate.references = {{at("reference"), {}, 1}};
  EXPECT_FAILURE(run(candidate), FailureKind::WrongAnswer,
                 "when called again: ");
}

TEST_F(ForkMeasurerTest, EachDestinationHasItsOwnTolerance) {
  auto twoResults = [&](llvm::StringRef body) {
    MeasureRequest r = request(compile(body));
    r.boundary[1].kind = BoundaryArgument::Kind::Destination;
    r.boundary[1].name = "z";
    r.tolerances = {{0, 0.1}, {0, 1e-6}};
    return r;
  };
  MeasureRequest reference =
      twoResults("for (int i = 0; i < N; ++i) ((float *)w)[i] = y[i] = x[i];");
  reference.writeOutputs = at("reference");
  ASSERT_TRUE(run(reference).succeeded());
  MeasureRequest loose = twoResults(
      "for (int i = 0; i < N; ++i) ((float *)w)[i] = 1.01 * (y[i] = x[i]);");
  MeasureRequest tight = twoResults(
      "for (int i = 0; i < N; ++i) y[i] = 1.01 * (((float *)w)[i] = x[i]);");
  loose.references = tight.references = {{at("reference"), {}, 1}};
  EXPECT_TRUE(run(loose).succeeded()) << run(loose).message;
  EXPECT_FAILURE(run(tight), FailureKind::WrongAnswer, "result 'y'");
}

TEST_F(ForkMeasurerTest, IntegersAreExact) {
  auto integers = [&](llvm::StringRef body) {
    MeasureRequest r = request(compile(body));
    r.boundary[0].elementType = r.boundary[2].elementType = "i32";
    r.tolerances = {{10, 10}};
    return r;
  };
  MeasureRequest reference =
      integers("for (int i = 0; i < N; ++i) ((int *)y)[i] = ((int *)x)[i];");
  reference.writeOutputs = at("reference");
  ASSERT_TRUE(run(reference).succeeded());
  MeasureRequest candidate = integers(
      "for (int i = 0; i < N; ++i) ((int *)y)[i] = ((int *)x)[i] + (i == 7);");
  candidate.references = {{at("reference"), {}, 1}};
  EXPECT_FAILURE(run(candidate), FailureKind::WrongAnswer,
                 "1 of 1000 values of result 'y' (argument 2) differ, the "
                 "first at [7]");
}

TEST_F(ForkMeasurerTest, SlotsHoldScalarsAndExtentsInOrder) {
  MeasureRequest r = request(compile(
      "float scale; memcpy(&scale, slots, 4);"
      "if (slots[0] >> 32) return 1;"
      "if (slots[1] != 20 || slots[2] != 50 || slots[3] != 60) return 2;"
      "if (scale < 0.5f || scale > 1.5f) return 3;"));
  r.boundary = {{Kind::Scalar, "f32", {}, "scale"},
                {Kind::Input, "f32", {20, kDynamicExtent}, "x"},
                {Kind::Parameter, "f32", {4}, "w"},
                {Kind::Destination, "f32", {kDynamicExtent}, "y"}};
  r.boundary[1].extents = {kDynamicExtent, kDynamicExtent};
  r.dynamicExtents = {20, 50, 60};
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded()) << result.message;
}

TEST_F(ForkMeasurerTest, DataIsThatOfTheLibraryFunction) {
  MeasureRequest r = request(compile("memcpy(y, w, 4 * N);"));
  r.dataSeed = 11;
  r.writeOutputs = at("reference");
  ASSERT_TRUE(run(r).succeeded());
  std::vector<float> expected(kCount);
  ASSERT_FALSE(
      bool(fillArgument(r.boundary[1], r.dataSeed, 1, expected.data())));
  std::string file = llvm::cantFail(readFile(at("reference")));
  EXPECT_EQ(
      llvm::StringRef(file).take_back(4 * kCount),
      llvm::StringRef(reinterpret_cast<char *>(expected.data()), 4 * kCount));
}

TEST_F(ForkMeasurerTest, WorkspaceIsThereAndFullOfNans) {
  MeasureRequest r = request(
      compile("unsigned char *p = space; if ((uintptr_t)p % 64) return 1;"
              "for (int i = 0; i < 100; ++i) if (p[i] != 255 && !calls) "
              "return 2; memset(p, 0, 100); ++calls;",
              "static int calls;"));
  r.workspaceBytes = 100;
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded()) << result.message;
}

TEST_F(ForkMeasurerTest, CallsGoRoundCopiesOfTheParameters) {
  MeasureRequest r =
      request(compile("if (w == last) return 1; last = w; y[0] = w[0];",
                      "static const float *last;"));
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_GT(result.parameterCopies, 1u);
}

TEST_F(ForkMeasurerTest, SlowCandidatesAreDropped) {
  MeasureRequest r = request(compile("usleep(2000);"));
  r.repeats.dropAboveMicros = 10;
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_TRUE(result.isDropped);
  EXPECT_EQ(result.samplesMicros.size(), 1u);
}

TEST_F(ForkMeasurerTest, WhatIsBehindIsSampledBriefly) {
  MeasureRequest r = request(compile("usleep(200);"));
  r.repeats.minSeconds = 1e6;
  r.repeats.minRepeats = 5;
  r.repeats.maxRepeats = 7;
  r.repeats.briefAboveMicros = 100;
  MeasureResult behind = run(r);
  EXPECT_EQ(behind.samplesMicros.size(), 5u);
  EXPECT_FALSE(behind.isDropped);
  r.repeats.briefAboveMicros = 1e6;
  EXPECT_EQ(run(r).samplesMicros.size(), 7u);
}

TEST_F(ForkMeasurerTest, SamplingEndsBeforeTheTimeLimit) {
  MeasureRequest r = request(compile("usleep(200000);"));
  r.repeats.minRepeats = r.repeats.maxRepeats = 1000;
  r.limits.seconds = 3;
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_LT(result.samplesMicros.size(), 1000u);
}

TEST_F(ForkMeasurerTest, SpeedOfTheMachineIsTakenOnRequest) {
  MeasureRequest r = request(compile(kAdd));
  MeasureResult without = run(r);
  EXPECT_EQ(without.calibration.computeMicros, 0);
  r.calibrate = true;
  MeasureResult with = run(r);
  EXPECT_TRUE(with.succeeded()) << with.message;
  EXPECT_GT(with.calibration.computeMicros, 0);
  EXPECT_GT(with.calibration.copyMicros, 0);
  EXPECT_GE(with.samplesMicros.size(), 5u);
  EXPECT_LE(with.samplesMicros.size(), r.repeats.maxRepeats);
}

TEST_F(ForkMeasurerTest, DataThatIsKeptIsNotMixedUp) {
  MeasureRequest one = request(compile(kAdd)), other = one;
  other.dataSeed = 5;
  for (uint64_t keptBytes : {0, 1 << 30}) {
    ForkMeasurer measurer(keptBytes);
    for (int round = 0; round < 3; ++round)
      for (MeasureRequest *r : {&one, &other}) {
        r->references.clear();
        if (!r->writeOutputs.empty())
          r->references = {{r->writeOutputs, {}, 1}};
        r->writeOutputs = at("reference" + std::to_string(r->dataSeed));
        MeasureResult result = measurer.measure(*r);
        EXPECT_TRUE(result.succeeded()) << result.message;
        EXPECT_EQ(result.maxRelativeError, 0);
      }
  }
  EXPECT_NE(llvm::cantFail(readFile(at("reference0"))),
            llvm::cantFail(readFile(at("reference5"))));
}

TEST_F(ForkMeasurerTest, LibraryMayLieInTheWorkingFolder) {
  MeasureRequest r = request(compile(kAdd));
  llvm::SmallString<128> before;
  ASSERT_FALSE(llvm::sys::fs::current_path(before));
  ASSERT_FALSE(llvm::sys::fs::set_current_path(folder));
  r.library = r.library.substr(r.library.rfind('/') + 1);
  MeasureResult result = run(r);
  ASSERT_FALSE(llvm::sys::fs::set_current_path(before));
  EXPECT_TRUE(result.succeeded()) << result.message;
}

TEST_F(ForkMeasurerTest, CheckOnlyTakesNoSamples) {
  MeasureRequest r = request(compile(kAdd));
  r.checkOnly = true;
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded());
  EXPECT_TRUE(result.samplesMicros.empty());
}

TEST_F(ForkMeasurerTest, ScratchMemoryMayBeAllocated) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer has a malloc of its own";
#endif
  MeasureRequest r = request(compile("void *p = malloc(100 << 20);"
                                     "if (!p) return 1;"
                                     "memset(p, 1, 100 << 20); free(p);"));
  r.limits.memoryBytes = 200 << 20;
  MeasureResult result = run(r);
  EXPECT_TRUE(result.succeeded()) << result.message;
}

TEST_F(ForkMeasurerTest, DenormalsAreFlushedOnRequest) {
#if defined(__x86_64__)
  MeasureRequest r =
      request(compile("volatile float tiny = 1e-38f; tiny = tiny * 0.01f;"
                      "y[0] = tiny; if (tiny != 0) return 5;"));
  EXPECT_FAILURE(run(r), FailureKind::RunCrash, "error code 5");
  r.flushDenormals = true;
  EXPECT_TRUE(run(r).succeeded());
#endif
}
