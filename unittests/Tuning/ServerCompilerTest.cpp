// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The client against servers that misbehave: scripts that speak the protocol.

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Tuning/CompileServer.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace diffuse;

namespace {
struct ServerCompilerTest : ::testing::Test {
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("server", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string at(llvm::StringRef name) { return (folder + "/" + name).str(); }

  /// A client of a server that answers as `script` does: it runs for each
  /// request, with the request in $line, its number in $n and the number of
  /// servers started so far in $start.
  ServerCompiler clientOf(llvm::StringRef script) {
    std::string text = "#!/bin/sh\necho x >> " + at("starts") +
                       "\nstart=$(grep -c x " + at("starts") +
                       ")\necho '{\"server\": \"test\"}'\n"
                       "while read -r line; do\n"
                       "n=$(echo \"$line\" | sed "
                       "'s/.*\"request\":\\([0-9]*\\).*/\\1/')\n" +
                       script.str() + "\ndone\n";
    llvm::cantFail(writeFileAtomically(at("server"), text));
    llvm::sys::fs::setPermissions(at("server"), llvm::sys::fs::all_all);
    ServerCompiler::Options options;
    options.program = at("server");
    options.findCores = [this] {
      ++timesAsked;
      return cores;
    };
    return ServerCompiler(options);
  }
  unsigned starts() {
    return llvm::StringRef(llvm::cantFail(readFile(at("starts")))).count('x');
  }

  /// Lines that the server wrote to its log.
  std::string log() {
    llvm::Expected<std::string> text = readFile(at("log"));
    return text ? *text : (llvm::consumeError(text.takeError()), "");
  }

  std::vector<int> cores;
  unsigned timesAsked = 0;
  llvm::SmallString<128> folder;
};
} // namespace

static constexpr llvm::StringLiteral kGood =
    R"(case "$line" in
*'"compile"'*) echo "{\"request\":$n,\"failure\":\"none\",\"message\":\"\",\"symbol\":\"s\",\"workspace_bytes\":0,\"seconds\":0}";;
*) echo "{\"request\":$n}";; esac)";

TEST_F(ServerCompilerTest, AGoodServerIsStartedOnce) {
  ServerCompiler client = clientOf(kGood);
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  EXPECT_EQ(starts(), 1u);
}

TEST_F(ServerCompilerTest, DeathOfTheServerIsNoFaultOfTheCandidate) {
  ServerCompiler client = clientOf(
      R"(case "$line" in *'"compile"'*) exit 1;; *) echo "{\"request\":$n}";; esac)");
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  CompileOutcome outcome = client.compile({"h", "", "", at("x.so")});
  EXPECT_EQ(outcome.failure, FailureKind::Unmeasurable);
  EXPECT_NE(outcome.message.find("the compile server failed"),
            std::string::npos);
  EXPECT_EQ(starts(), 2u) << "tried once more with a new server";
}

TEST_F(ServerCompilerTest, ASingleDeathCostsNothing) {
  ServerCompiler client =
      clientOf((R"(case "$start$line" in 1*'"compile"'*) exit 1;; esac)"
                "\n" +
                kGood)
                   .str());
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).failure,
            FailureKind::None);
}

TEST_F(ServerCompilerTest, AServerThatRefusedItsOptionsIsNotUsed) {
  ServerCompiler client = clientOf(
      (R"(case "$start$line" in 1*'"options"'*) echo "{\"request\":$n,\"error\":\"no\"}"; continue;; esac)"
       "\n" +
       kGood)
          .str());
  llvm::Error error = client.addSubgraph("h", "module {}", "f");
  EXPECT_EQ(llvm::toString(std::move(error)), "no");
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(starts(), 2u);
}

TEST_F(ServerCompilerTest, TheAnswerToAnotherRequestIsNotTaken) {
  ServerCompiler client =
      clientOf((R"(case "$line" in *'"compile"'*) n=$((n - 1));; esac)"
                "\n" +
                kGood)
                   .str());
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  CompileOutcome outcome = client.compile({"h", "", "", at("x.so")});
  EXPECT_EQ(outcome.failure, FailureKind::Unmeasurable);
  EXPECT_NE(outcome.message.find("answered request"), std::string::npos);
}

/// Logs the library of each compilation.
static constexpr llvm::StringLiteral kLogs =
    R"(case "$line" in *'"compile"'*) echo "$line" | sed 's/.*"library":"[^"]*\/\([a-z]*\).so.*/\1/' >> "${0%server}log";; esac
)";

TEST_F(ServerCompilerTest, WhatWasBegunIsCompiledOnce) {
  cores = {0};
  ServerCompiler client = clientOf((kLogs + kGood).str());
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  EXPECT_TRUE(client.compilesAhead());
  client.compileAhead({"h", "", "", at("a.so")});
  EXPECT_EQ(client.compile({"h", "", "", at("a.so")}).symbol, "s");
  EXPECT_EQ(log(), "x\na\n");
  client.compileAhead({"h", "", "", at("b.so")});
  // Others may come first, and leave what was begun as it is.
  EXPECT_FALSE(bool(client.addSubgraph("i", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("c.so")}).symbol, "s");
  EXPECT_EQ(client.compile({"h", "", "", at("b.so")}).symbol, "s");
  EXPECT_EQ(log(), "x\na\nb\nc\n");
}

TEST_F(ServerCompilerTest, DeathOfAServerThatCompilesAheadCostsNothing) {
  cores = {0};
  ServerCompiler client =
      clientOf((R"(case "$start$line" in 1*a.so*) exit 1;; esac)"
                "\n" +
                kGood)
                   .str());
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  client.compileAhead({"h", "", "", at("a.so")});
  EXPECT_EQ(client.compile({"h", "", "", at("a.so")}).symbol, "s");
  EXPECT_EQ(starts(), 2u);
}

TEST_F(ServerCompilerTest, NothingIsBegunWithoutAFreeCore) {
  ServerCompiler client = clientOf((kLogs + kGood).str());
  EXPECT_FALSE(client.compilesAhead());
  client.compileAhead({"h", "", "", at("a.so")});
  EXPECT_EQ(log(), "");
}

TEST_F(ServerCompilerTest, NothingIsBegunOnceOthersMeasureEverywhere) {
  cores = {0};
  ServerCompiler client = clientOf((kLogs + kGood).str());
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  cores = {};
  client.compileAhead({"h", "", "", at("a.so")});
  EXPECT_FALSE(client.compilesAhead());
  EXPECT_EQ(log(), "x\n");
}

TEST_F(ServerCompilerTest, CoresMatterOnlyWhereSomethingWillBeMeasured) {
  ServerCompiler client = clientOf(kGood);
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", ""}).symbol, "s");
  EXPECT_EQ(timesAsked, 0u);
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  EXPECT_EQ(timesAsked, 1u);
}

TEST_F(ServerCompilerTest, WhatNobodyWantsIsNotWaitedFor) {
  cores = {0};
  ServerCompiler client = clientOf(
      (R"(case "$line" in *a.so*) echo > "${0%server}a.so"; sleep 1000;; esac)"
       "\n" +
       kGood)
          .str());
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  client.compileAhead({"h", "", "", at("a.so")});
  client.dropAhead();
  EXPECT_FALSE(llvm::sys::fs::exists(at("a.so")));
  EXPECT_EQ(client.compile({"h", "", "", at("b.so")}).symbol, "s");
  EXPECT_EQ(starts(), 2u);
}

TEST_F(ServerCompilerTest, WhatEndsSoonCostsNoServer) {
  cores = {0};
  ServerCompiler client = clientOf(kGood);
  EXPECT_FALSE(bool(client.addSubgraph("h", "module {}", "f")));
  EXPECT_EQ(client.compile({"h", "", "", at("x.so")}).symbol, "s");
  client.compileAhead({"h", "", "", at("a.so")});
  client.dropAhead();
  EXPECT_EQ(client.compile({"h", "", "", at("b.so")}).symbol, "s");
  EXPECT_EQ(starts(), 1u);
}
