// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/AtomicFile.h"
#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace diffuse;

namespace {
class AtomicFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("atomic", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }
  std::string at(llvm::StringRef name) { return (folder + "/" + name).str(); }

  /// Names of what lies in the folder.
  std::vector<std::string> list() {
    std::vector<std::string> names;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end;
         it.increment(error))
      names.push_back(it->path());
    return names;
  }

  llvm::SmallString<128> folder;
};
} // namespace

TEST_F(AtomicFile, WritesAndReplaces) {
  ASSERT_FALSE(bool(writeFileAtomically(at("a"), "one")));
  EXPECT_EQ(llvm::cantFail(readFile(at("a"))), "one");
  ASSERT_FALSE(bool(writeFileAtomically(at("a"), "other")));
  EXPECT_EQ(llvm::cantFail(readFile(at("a"))), "other");
  EXPECT_EQ(list().size(), 1u);
}

TEST_F(AtomicFile, KeepsTheMode) {
  ASSERT_FALSE(bool(writeFileAtomically(at("a"), "one")));
  ASSERT_EQ(chmod(at("a").c_str(), 0640), 0);
  ASSERT_FALSE(bool(writeFileAtomically(at("a"), "other")));
  struct stat status;
  ASSERT_EQ(stat(at("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(AtomicFile, NewFilesFollowTheMask) {
  mode_t before = umask(027);
  ASSERT_FALSE(bool(writeFileAtomically(at("a"), "one")));
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(at("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(AtomicFile, FollowsLinks) {
  ASSERT_EQ(symlink("target", at("link").c_str()), 0);
  ASSERT_FALSE(bool(writeFileAtomically(at("link"), "one")));
  ASSERT_FALSE(bool(writeFileAtomically(at("link"), "other")));
  EXPECT_EQ(llvm::cantFail(readFile(at("target"))), "other");
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(at("link")));
}

TEST_F(AtomicFile, RefusesWhatCannotBeWritten) {
  EXPECT_NE(
      llvm::toString(writeFileAtomically(folder, "x")).find("is a directory"),
      std::string::npos);
  EXPECT_NE(llvm::toString(checkWritable(at("no/such/folder"))).find("'"),
            std::string::npos);
  EXPECT_NE(llvm::toString(writeFileAtomically("", "x")), "");
  EXPECT_FALSE(bool(checkWritable(at("new"))));
  EXPECT_TRUE(list().empty());
}

TEST_F(AtomicFile, RespectsReadOnlyFiles) {
  if (geteuid() == 0)
    GTEST_SKIP() << "the superuser may write everywhere";
  ASSERT_FALSE(bool(writeFileAtomically(at("a"), "one")));
  ASSERT_EQ(chmod(at("a").c_str(), 0444), 0);
  EXPECT_NE(llvm::toString(writeFileAtomically(at("a"), "x")), "");
  EXPECT_EQ(llvm::cantFail(readFile(at("a"))), "one");
}

TEST_F(AtomicFile, DevicesAreWrittenDirectly) {
  EXPECT_FALSE(bool(writeFileAtomically("/dev/null", "one")));
  EXPECT_NE(llvm::toString(writeFileAtomically("/dev/full", "one"))
                .find("No space left"),
            std::string::npos);
}

TEST_F(AtomicFile, ScratchFilesAreReplaced) {
  ASSERT_FALSE(bool(writeScratchFile(at("a"), "longer")));
  ASSERT_FALSE(bool(writeScratchFile(at("a"), "one")));
  EXPECT_EQ(llvm::cantFail(readFile(at("a"))), "one");
  EXPECT_NE(llvm::toString(writeScratchFile(at("no/folder"), "")), "");
}

TEST_F(AtomicFile, MissingFilesAreNamed) {
  EXPECT_NE(llvm::toString(readFile(at("absent")).takeError()).find("absent"),
            std::string::npos);
}
