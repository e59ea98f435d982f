// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ScratchFolder.h"
#include "Diffuse/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;

namespace {
/// A folder for temporary files of this test alone.
class ScratchFolderTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("scratch", temporary));
    setenv("TMPDIR", temporary.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    llvm::sys::fs::remove_directories(temporary);
  }

  llvm::SmallString<128> temporary;
};

/// Makes a folder with a file in it in another process, which is then killed.
std::string abandonFolder() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    ScratchFolder folder = llvm::cantFail(ScratchFolder::create());
    llvm::cantFail(writeScratchFile(folder.file("file"), "bytes"));
    (void)!write(ends[1], folder.path().data(), folder.path().size());
    while (true)
      pause();
  }
  char path[4096] = {};
  EXPECT_GT(read(ends[0], path, sizeof(path) - 1), 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  return path;
}
} // namespace

TEST_F(ScratchFolderTest, GoesWithWhatIsInIt) {
  std::string path;
  {
    ScratchFolder folder = llvm::cantFail(ScratchFolder::create());
    path = folder.path().str();
    ASSERT_FALSE(bool(writeScratchFile(folder.file("file"), "bytes")));
    ScratchFolder moved = std::move(folder);
    EXPECT_TRUE(llvm::sys::fs::exists(moved.file("file")));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

TEST_F(ScratchFolderTest, ThoseOfTheDeadAreSweptAndOthersStay) {
  ScratchFolder alive = llvm::cantFail(ScratchFolder::create());
  std::string dead = abandonFolder();
  EXPECT_TRUE(llvm::sys::fs::exists(dead));
  ScratchFolder sweeper = llvm::cantFail(ScratchFolder::create());
  EXPECT_FALSE(llvm::sys::fs::exists(dead));
  EXPECT_TRUE(llvm::sys::fs::exists(alive.path()));
}

// Whoever is killed while its folder is made or removed leaves the lock file.
TEST_F(ScratchFolderTest, LockWithoutAFolderIsSwept) {
  std::string dead = abandonFolder();
  llvm::sys::fs::remove_directories(dead);
  ASSERT_TRUE(llvm::sys::fs::exists(dead + ".lock"));
  ScratchFolder sweeper = llvm::cantFail(ScratchFolder::create());
  EXPECT_FALSE(llvm::sys::fs::exists(dead + ".lock"));
}

TEST_F(ScratchFolderTest, FoldersWithoutALockAreNotOurs) {
  std::string foreign = llvm::cantFail(scratchRoot()) + "/foreign";
  ASSERT_EQ(mkdir(foreign.c_str(), 0700), 0);
  ScratchFolder folder = llvm::cantFail(ScratchFolder::create());
  EXPECT_TRUE(llvm::sys::fs::exists(foreign));
}

TEST_F(ScratchFolderTest, PlaceThatOthersCanWriteToIsRefused) {
  std::string root = llvm::cantFail(scratchRoot());
  chmod(root.c_str(), 0777);
  EXPECT_NE(llvm::toString(ScratchFolder::create().takeError()).find("TMPDIR"),
            std::string::npos);
}
