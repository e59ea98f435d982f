// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TunerFixture.h"

#include "Diffuse/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>

using namespace diffuse;

namespace {
/// Notes what it is asked for.
struct NotingCompiler : NullCompiler {
  bool compilesAhead() const override { return hasFreeCore; }
  void compileAhead(const CompileRequest &request) override {
    begun.push_back(request.libraryPath);
    log.push_back("begin");
  }
  void dropAhead() override { log.push_back("drop"); }
  CompileOutcome compile(const CompileRequest &request) override {
    compiled.push_back(request.libraryPath);
    if (writesFiles)
      llvm::cantFail(writeScratchFile(request.libraryPath, "library"));
    return {};
  }

  bool hasFreeCore = true, writesFiles = false;
  std::vector<std::string> begun, compiled, log;
};
} // namespace

TEST_F(TunerTest, TheNextCandidateIsBegunBeforeOneIsMeasured) {
  NotingCompiler noting;
  compiler = &noting;
  runReal([&](const MeasureRequest &request) {
    noting.log.push_back("measure");
    return answer(request);
  });
  EXPECT_GT(noting.begun.size(), 20u);
  // All that was begun is wanted, but for what the budget cut off.
  unsigned unwanted = 0;
  for (const std::string &path : noting.begun)
    unwanted += !llvm::is_contained(noting.compiled, path);
  EXPECT_LE(unwanted, 1u);
  // The search over, nothing is begun any more, and nothing waited for.
  auto dropped = llvm::find(noting.log, "drop");
  EXPECT_NE(dropped, noting.log.end());
  EXPECT_EQ(std::find(dropped, noting.log.end(), "begin"), noting.log.end());
  // Each time a measurement follows.
  for (size_t i = 0; i + 1 < noting.log.size(); ++i)
    EXPECT_TRUE(noting.log[i] != "begin" || noting.log[i + 1] == "measure");
}

TEST_F(TunerTest, WithoutAFreeCoreNothingIsBegun) {
  NotingCompiler noting;
  noting.hasFreeCore = false;
  compiler = &noting;
  runReal([&](const MeasureRequest &request) { return answer(request); });
  EXPECT_TRUE(noting.begun.empty());
}

TEST_F(TunerTest, ADecisionCompilesEachCandidateOnce) {
  NotingCompiler noting;
  noting.hasFreeCore = false;
  compiler = &noting;
  options.budget.measurements = 100;
  std::vector<std::string> measured;
  TuningOutcome outcome = runReal([&](const MeasureRequest &request) {
    measured.push_back(request.library);
    return answer(request);
  });
  unsigned decisions = 0;
  for (size_t i = 3; i < measured.size(); ++i)
    if (measured[i - 3] == measured[i - 1] && measured[i - 2] == measured[i] &&
        measured[i - 1] != measured[i])
      ++decisions;
  EXPECT_GT(decisions, 0u) << "no two candidates were measured in turn";
  EXPECT_LT(noting.compiled.size(), measured.size());
}

TEST_F(TunerTest, ALibraryThatVanishedIsCompiledAgain) {
  NotingCompiler noting;
  noting.hasFreeCore = false;
  noting.writesFiles = true;
  compiler = &noting;
  options.budget.measurements = 100;
  unsigned missing = 0;
  runReal([&](const MeasureRequest &request) {
    missing += !llvm::sys::fs::exists(request.library);
    // Somebody cleans up, and leaves what is in use.
    for (const std::string &library : noting.compiled)
      if (library != request.library)
        llvm::sys::fs::remove(library);
    return answer(request);
  });
  EXPECT_GT(noting.compiled.size(), 50u);
  EXPECT_EQ(missing, 0u);
}
