// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything a candidate may do wrong, and that the next one does not notice.

#include "CandidateTest.h"
#include "Diffuse/Measure/Worker.h"

#include <unistd.h>

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

namespace {
class ForkFailures : public CandidateTest {
protected:
  void TearDown() override {
    // Whatever happened, a good candidate still measures.
    MeasureResult result = measurer.measure(request(compile(kAdd)));
    EXPECT_TRUE(result.succeeded()) << result.message;
    CandidateTest::TearDown();
  }
  MeasureResult run(const MeasureRequest &request) {
    return measurer.measure(request);
  }
  MeasureResult runBody(llvm::StringRef body) {
    return run(request(compile(body)));
  }
  MeasureResult runBriefly(llvm::StringRef body) {
    MeasureRequest r = request(compile(body));
    r.limits.seconds = 0.3;
    return run(r);
  }

  ForkMeasurer measurer;
};
} // namespace

TEST_F(ForkFailures, CrashIsNamed) {
  EXPECT_FAILURE(runBody("*(volatile int *)16 = 1;"), FailureKind::RunCrash,
                 "killed by SIGSEGV at address 0x10");
  EXPECT_FAILURE(runBody("abort();"), FailureKind::RunCrash, "SIGABRT");
  EXPECT_FAILURE(runBody("volatile int zero = 0; y[0] = 1000 / zero;"),
                 FailureKind::RunCrash, "SIGFPE");
  EXPECT_FAILURE(runBody("__builtin_trap();"), FailureKind::RunCrash, "SIG");
  EXPECT_FAILURE(runBody("raise(SIGUSR1);"), FailureKind::RunCrash, "SIGUSR1");
  EXPECT_FAILURE(runBody("raise(SIGSEGV);"), FailureKind::RunCrash, "SIGSEGV");
}

TEST_F(ForkFailures, StackOverflowIsNamed) {
  std::string library =
      compile("y[0] = sink(1000000000);",
              "static int sink(int n) { volatile char block[4096]; "
              "block[n % 4096] = n; return n ? sink(n - 1) + block[0] : 0; }");
  EXPECT_FAILURE(run(request(library)), FailureKind::RunCrash,
                 "the stack overflowed");
}

TEST_F(ForkFailures, ErrorCodeAndExitAreFailures) {
  EXPECT_FAILURE(runBody("return 42;"), FailureKind::RunCrash,
                 "returned error code 42");
  EXPECT_FAILURE(runBody("_exit(0);"), FailureKind::RunCrash,
                 "ended the process with exit status 0");
  EXPECT_FAILURE(runBody("exit(3);"), FailureKind::RunCrash, "exit status 3");
}

TEST_F(ForkFailures, HangIsStopped) {
  EXPECT_FAILURE(runBriefly("while (1) usleep(1000);"), FailureKind::RunTimeout,
                 "stopped at its limit of 0.3 s");
  EXPECT_FAILURE(
      runBriefly("signal(SIGTERM, SIG_IGN); for (int i = 3; i < 50; ++i) "
                 "close(i); while (1) usleep(1000);"),
      FailureKind::RunTimeout, "stopped");
}

TEST_F(ForkFailures, ProcessesLeftBehindAreNoTrouble) {
  MeasureResult result = runBody("static int once; if (!once++ && fork() == 0)"
                                 " { sleep(1000); _exit(0); }");
  EXPECT_TRUE(result.succeeded()) << result.message;
}

TEST_F(ForkFailures, WritesOutsideAreFound) {
  EXPECT_FAILURE(runBody("y[N] = 1;"), FailureKind::OutOfBounds,
                 "wrote outside result 'y' (argument 2)");
  EXPECT_FAILURE(runBody("y[-1] = 1;"), FailureKind::OutOfBounds,
                 "wrote outside result 'y'");
  EXPECT_FAILURE(runBody("y[N + 4096] = 1;"), FailureKind::OutOfBounds,
                 "bytes past the end of result 'y' (argument 2)");
  EXPECT_FAILURE(runBody("y[-4096] = 1;"), FailureKind::OutOfBounds,
                 "memory 16384 bytes before result 'y'");
}

TEST_F(ForkFailures, ReadsFarOutsideAreFound) {
  EXPECT_FAILURE(runBody("y[0] = x[N + 2000];"), FailureKind::OutOfBounds,
                 "past the end of input 'x' (argument 0)");
  EXPECT_FAILURE(runBody("y[0] = w[N + 2000];"), FailureKind::OutOfBounds,
                 "past the end of parameter 'w'");
}

TEST_F(ForkFailures, WritesToInputsAreFound) {
  EXPECT_FAILURE(runBody("((float *)x)[3] = 1;"), FailureKind::OutOfBounds,
                 "to input 'x' (argument 0)");
  EXPECT_FAILURE(runBody("((float *)w)[3] = 1;"), FailureKind::OutOfBounds,
                 "to parameter 'w' (argument 1)");
}

TEST_F(ForkFailures, WritesOutsideTheWorkspaceAreFound) {
  MeasureRequest r = request(compile("((char *)space)[100] = 1;"));
  r.workspaceBytes = 100;
  EXPECT_FAILURE(run(r), FailureKind::OutOfBounds,
                 "wrote outside its workspace");
  r.library = compile("((char *)space)[10000] = 1;");
  EXPECT_FAILURE(run(r), FailureKind::OutOfBounds, "its workspace");
}

TEST_F(ForkFailures, MemoryHogIsStopped) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer has a malloc of its own";
#endif
  MeasureRequest r =
      request(compile("while (1) memset(malloc(1 << 20), 1, 1 << 20);"));
  r.limits.memoryBytes = 100 << 20;
  EXPECT_FAILURE(run(r), FailureKind::RunMemory, "refused memory");
}

TEST_F(ForkFailures, OutputOfCandidatesGoesElsewhere) {
  testing::internal::CaptureStdout();
  MeasureResult result =
      runBody("static int once; if (!once++) { fputs(\"{}\\n\", stdout); "
              "fflush(stdout); write(1, \"x\\n\", 2); }");
  EXPECT_TRUE(result.succeeded()) << result.message;
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(ForkFailures, LibrariesThatDoNotLoadAreNamed) {
  MeasureRequest r = request(compile(""));
  r.symbol = "g";
  EXPECT_FAILURE(run(r), FailureKind::CompileError, "undefined symbol: g");
  r = request(compile("missing();", "void missing(void);"));
  EXPECT_FAILURE(run(r), FailureKind::CompileError, "missing");
  r.library = at("absent.so");
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "absent.so");
  std::ofstream(at("text.so")) << "not a library";
  r.library = at("text.so");
  EXPECT_FAILURE(run(r), FailureKind::CompileError, "text.so");
}

TEST_F(ForkFailures, ReferencesThatDoNotFitAreRefused) {
  MeasureRequest r = request(compile(kAdd));
  r.references = {{at("reference"), {}, 1}};
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "cannot read");
  MeasureRequest other = r;
  other.references.clear();
  other.dataSeed = 5;
  other.writeOutputs = at("reference");
  EXPECT_TRUE(run(other).succeeded());
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable,
                 "not for this boundary and seed");
  r.dataSeed = 5;
  EXPECT_TRUE(run(r).succeeded());
  ASSERT_EQ(truncate(at("reference").c_str(), 1000), 0);
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "cut short");
}

TEST_F(ForkFailures, OutputsThatCannotBeWrittenAreRefused) {
  MeasureRequest r = request(compile(kAdd));
  r.writeOutputs = at("no/such/folder");
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "no/such/folder");
}

TEST_F(ForkFailures, BoundariesThatCannotBeFilledAreRefused) {
  MeasureRequest r = request(compile(""));
  r.boundary[0].elementType = "f8E5M2";
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "'f8E5M2'");
  r = request(r.library);
  r.boundary[0].extents = {int64_t(1) << 50};
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "half of the memory");
  r = request(r.library);
  r.boundary[0].extents = {kDynamicExtent};
  EXPECT_FAILURE(run(r), FailureKind::Unmeasurable, "1 dynamic extents");
}

TEST_F(ForkFailures, EmptyTensorsAreFine) {
  MeasureRequest r = request(compile(""));
  for (BoundaryArgument &argument : r.boundary)
    argument.extents = {0, 3};
  EXPECT_TRUE(run(r).succeeded());
}
