// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The server with linkers that refuse: whose fault that is.

#include "Diffuse/Tuning/CompileServer.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Json.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <unistd.h>

using namespace diffuse;

static constexpr llvm::StringLiteral kFunction = R"mlir(
func.func private @f(%x: tensor<8xf32>, %d: tensor<8xf32> {diffuse.destination}) -> tensor<8xf32> {
  %r = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
})mlir";

namespace {
struct CompileServerTest : ::testing::Test {
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("linked", folder));
    // No linker but the one given.
    path = getenv("PATH");
    setenv("PATH", folder.c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path.c_str(), 1);
    llvm::sys::fs::remove_directories(folder);
  }

  /// The failure of a good candidate with this linker.
  std::string failureWith(CandidateLinker link) {
    int requests[2], answers[2];
    EXPECT_EQ(pipe(requests), 0);
    EXPECT_EQ(pipe(answers), 0);
    Json subgraph = Json::object(), compile = Json::object();
    subgraph.set("request", 1)
        .set("subgraph", "h")
        .set("text", kFunction)
        .set("function", "f");
    compile.set("request", 2)
        .set("compile", "h")
        .set("schedule", "")
        .set("sequence", "")
        .set("library", (folder + "/x.so").str());
    std::string lines = subgraph.dump() + "\n" + compile.dump() + "\n";
    EXPECT_EQ(write(requests[1], lines.data(), lines.size()),
              ssize_t(lines.size()));
    close(requests[1]);
    EXPECT_EQ(runCompileServer(requests[0], answers[1], link), 0);
    close(answers[1]);
    std::string text(65536, ' ');
    text.resize(std::max<ssize_t>(0, read(answers[0], text.data(), 65536)));
    close(answers[0]);
    llvm::StringRef last = llvm::StringRef(text).trim().rsplit('\n').second;
    Json answer = llvm::cantFail(Json::parse(last));
    const Json *failure = answer.find("failure");
    return failure ? *failure->asString() : last.str();
  }

  std::string path;
  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(CompileServerTest, ALinkerThatTakesOthersRefusesTheCandidate) {
  EXPECT_EQ(failureWith([](llvm::StringRef object, llvm::StringRef library) {
              std::string bytes = llvm::cantFail(readFile(object));
              return llvm::StringRef(bytes).contains("diffuse_candidate")
                         ? makeError("undefined symbol")
                         : writeScratchFile(library, "linked");
            }),
            "compile-error");
  std::error_code error;
  llvm::sys::fs::directory_iterator left(folder, error);
  EXPECT_TRUE(left == llvm::sys::fs::directory_iterator())
      << left->path() << " was left behind";
}

TEST_F(CompileServerTest, ALinkerThatTakesNothingIsNoFaultOfTheCandidate) {
  EXPECT_EQ(failureWith([](llvm::StringRef, llvm::StringRef) {
              return makeError("no linker");
            }),
            "unmeasurable");
}
