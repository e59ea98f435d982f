// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/FindProgram.h"
#include "Processes.h"
#include "gtest/gtest.h"

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace diffuse;

static ChildCommand shell(std::string script) {
  ChildCommand command;
  command.program = "/bin/sh";
  command.arguments = {"-c", std::move(script)};
  return command;
}

static ChildOutcome run(const ChildCommand &command) {
  return llvm::cantFail(runChild(command));
}

static bool isAlive(int pid) { return kill(pid, 0) == 0; }

TEST(RunChild, CollectsOutputErrorsAndStatus) {
  ChildOutcome outcome = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errorTail, "err\n");
  EXPECT_EQ(outcome.exitStatus, 3);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(outcome.describe(), "exit status 3");
}

TEST(RunChild, FeedsInput) {
  ChildCommand command = shell("cat");
  command.input = std::string(1 << 20, 'x') + "end";
  EXPECT_EQ(run(command).output, command.input);
}

TEST(RunChild, ChildThatReadsNothingIsNoTrouble) {
  ChildCommand command = shell("exit 0");
  command.input = std::string(1 << 20, 'x');
  EXPECT_TRUE(run(command).succeeded());
}

TEST(RunChild, KeepsTheTailOfErrors) {
  ChildOutcome outcome =
      run(shell("yes error | head -c 1000000 >&2; echo last >&2"));
  EXPECT_LE(outcome.errorTail.size(), 4096u);
  EXPECT_EQ(llvm::StringRef(outcome.errorTail).take_back(5), "last\n");
}

TEST(RunChild, NamesTheSignal) {
  ChildOutcome outcome = run(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_EQ(outcome.describe(), "killed by SIGSEGV");
}

TEST(RunChild, StopsTheGroupAtTheWallLimit) {
  ChildCommand command = shell("sleep 1000 & echo $!; wait");
  command.limits.wallSeconds = 0.2;
  ChildOutcome outcome = run(command);
  EXPECT_TRUE(outcome.timedOut);
  int grandchild = std::stoi(outcome.output);
  EXPECT_TRUE(waitUntilGone(grandchild));
}

TEST(RunChild, DiesWithTheCaller) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t caller = fork();
  if (caller == 0) {
    std::string pipe =
        "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends[1]);
    run(shell("echo $$ >" + pipe + "; exec sleep 1000"));
    _exit(0);
  }
  char text[32] = {};
  ASSERT_GT(read(ends[0], text, sizeof(text) - 1), 0);
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  EXPECT_TRUE(waitUntilGone(std::stoi(text)));
  close(ends[0]);
  close(ends[1]);
}

TEST(RunChild, DoesNotWaitForWhatTheChildLeftBehind) {
  ChildCommand command = shell("sleep 1000 & exit 0");
  command.limits.wallSeconds = 500;
  EXPECT_TRUE(run(command).succeeded());
}

TEST(RunChild, StopsAtTheCpuLimit) {
  ChildCommand command = shell("while :; do :; done");
  command.limits.cpuSeconds = 1;
  command.limits.wallSeconds = 60;
  EXPECT_TRUE(run(command).timedOut);
}

TEST(RunChild, MemoryIsLimited) {
  ChildCommand command = shell("sleep 0.2; exec head -c 1000000000 /dev/zero "
                               "| tail | wc -c");
  command.limits.memoryBytes = 64 << 20;
  EXPECT_EQ(run(command).output, "0\n");
}

TEST(RunChild, MissingProgramIsAnError) {
  ChildCommand command;
  command.program = "/no/such/program";
  EXPECT_NE(
      llvm::toString(runChild(command).takeError()).find("/no/such/program"),
      std::string::npos);
}

TEST(RunChild, ThreadsMayRunChildrenAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&outputs, i] {
      for (int round = 0; round < 10; ++round)
        outputs[i] += run(shell("echo " + std::to_string(i))).output;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(outputs[3].size(), 20u);
}

TEST(ChildProcess, AnswersLineByLine) {
  auto child = llvm::cantFail(
      ChildProcess::start(shell("while read line; do echo got $line; done")));
  ASSERT_FALSE(bool(child->writeLine("one")));
  EXPECT_EQ(llvm::cantFail(child->readLine(60)), "got one");
  ASSERT_FALSE(bool(child->writeLine("two")));
  ASSERT_FALSE(bool(child->writeLine("three")));
  EXPECT_EQ(llvm::cantFail(child->readLine(60)), "got two");
  EXPECT_EQ(llvm::cantFail(child->readLine(60)), "got three");
  child->closeInput();
  EXPECT_NE(llvm::toString(child->readLine(60).takeError()).find("ended"),
            std::string::npos);
  EXPECT_TRUE(child->stop().succeeded() || child->stop().signal == SIGKILL);
}

TEST(ChildProcess, SilenceIsAnError) {
  auto child = llvm::cantFail(ChildProcess::start(shell("sleep 1000")));
  EXPECT_NE(llvm::toString(child->readLine(0.05).takeError()).find("in time"),
            std::string::npos);
  int pid = child->processId();
  child.reset();
  EXPECT_FALSE(isAlive(pid));
}

TEST(ChildProcess, WritingToADeadChildIsAnError) {
  auto child = llvm::cantFail(ChildProcess::start(shell("exec <&-; exit 0")));
  EXPECT_NE(llvm::toString(child->readLine(60).takeError()), "");
  EXPECT_NE(llvm::toString(child->writeLine(std::string(1 << 20, 'x'))), "");
}

TEST(FindProgram, LooksOnPathAndNamesWhatIsMissing) {
  EXPECT_EQ(llvm::cantFail(findProgram("/bin/sh")), "/bin/sh");
  EXPECT_NE(llvm::cantFail(findProgram("sh")).find("/sh"), std::string::npos);
  EXPECT_NE(llvm::toString(findProgram("no-such-program").takeError())
                .find("'no-such-program'"),
            std::string::npos);
  EXPECT_NE(llvm::toString(findProgram("/no/such").takeError()), "");
  llvm::StringRef either[] = {"no-such-program", "sh"};
  EXPECT_TRUE(bool(findProgram(either)));
}
