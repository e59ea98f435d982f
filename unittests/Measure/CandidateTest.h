// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for the tests of this layer: small C functions, compiled on the
// spot.

#ifndef DIFFUSE_UNITTESTS_MEASURE_CANDIDATETEST_H
#define DIFFUSE_UNITTESTS_MEASURE_CANDIDATETEST_H

#include "Diffuse/Measure/Measurer.h"
#include "Diffuse/Support/ChildProcess.h"
#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include <fstream>

namespace diffuse {

class CandidateTest : public testing::Test {
protected:
  static constexpr int64_t kCount = 1000;

  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("measure", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string at(llvm::StringRef name) { return (folder + "/" + name).str(); }

  /// A library whose function `f` has this body; it sees `x` (input), `w`
  /// (parameter), `y` (result), `slots`, `space` and kCount as N.
  std::string compile(llvm::StringRef body, llvm::StringRef globals = "") {
    std::string name = at("c" + std::to_string(libraries++));
    std::ofstream(name + ".c")
        << "#include <math.h>\n#include <signal.h>\n#include <stdint.h>\n"
           "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
           "#include <unistd.h>\n#define N "
        << kCount << "\n"
        << globals.str()
        << "\nint32_t f(void *const *buffers, const int64_t *slots, "
           "void *space) {\n"
           "const float *x = buffers[0]; const float *w = buffers[1];\n"
           "float *y = buffers[2];\n"
        << body.str() << "\nreturn 0; }\n";
    ChildCommand cc;
    cc.program = DIFFUSE_TEST_CC;
    cc.arguments = {"-shared", "-fPIC",      "-O1",       "-w",
                    "-o",      name + ".so", name + ".c", "-lm"};
    ChildOutcome outcome = llvm::cantFail(runChild(cc));
    EXPECT_TRUE(outcome.succeeded()) << outcome.errorTail;
    return name + ".so";
  }

  MeasureRequest request(std::string library) {
    using Kind = BoundaryArgument::Kind;
    MeasureRequest request;
    request.library = std::move(library);
    request.symbol = "f";
    request.boundary = {{Kind::Input, "f32", {kCount}, "x"},
                        {Kind::Parameter, "f32", {kCount}, "w"},
                        {Kind::Destination, "f32", {kCount}, "y"}};
    request.tolerances = {{0, 1e-6}};
    request.repeats.minSeconds = 1e-4;
    request.repeats.maxRepeats = 5;
    request.limits.seconds = 60;
    return request;
  }

  /// Runs `body` against the outputs of `right`.
  MeasureResult against(Measurer &measurer, llvm::StringRef right,
                        llvm::StringRef body) {
    MeasureRequest reference = request(compile(right));
    reference.writeOutputs = at("reference");
    reference.checkOnly = true;
    MeasureResult written = measurer.measure(reference);
    EXPECT_TRUE(written.succeeded()) << written.message;
    MeasureRequest candidate = request(compile(body));
    candidate.references = {{at("reference"), {}, 1}};
    return measurer.measure(candidate);
  }

  static constexpr llvm::StringLiteral kAdd =
      "for (int i = 0; i < N; ++i) y[i] = x[i] + w[i];";

  llvm::SmallString<128> folder;
  int libraries = 0;
};

} // namespace diffuse

/// Expects a failure of this kind whose message holds a text.
#define EXPECT_FAILURE(result, kind, text)                                     \
  do {                                                                         \
    MeasureResult seen = (result);                                             \
    EXPECT_EQ(printFailureKind(seen.failure), printFailureKind(kind));         \
    EXPECT_NE(seen.message.find(text), std::string::npos) << seen.message;     \
    EXPECT_TRUE(seen.samplesMicros.empty());                                   \
  } while (false)

#endif // DIFFUSE_UNITTESTS_MEASURE_CANDIDATETEST_H
