// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Records/RecordFile.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Samples.h"
#include "llvm/ADT/StringSet.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace diffuse;

namespace {
/// What reading a file gives.
struct Content {
  std::vector<std::string> schedules;
  std::vector<uint64_t> lines;
  std::vector<std::string> texts;
  std::vector<std::string> passedOver;
};

class RecordFile : public FolderTest {
protected:
  Content read(ReadPosition &position) {
    Content content;
    RecordVisitor visitor{
        [&](Located<MeasurementRecord> &&line) {
          content.schedules.push_back(line.record.identity.schedule);
          content.lines.push_back(line.line);
        },
        [&](Located<SubgraphRecord> &&line) {
          content.texts.push_back(line.record.text);
        },
        [&](std::string reason) { content.passedOver.push_back(reason); }};
    llvm::Error error = readRecordFile(path(), position, visitor);
    EXPECT_EQ(llvm::toString(std::move(error)), "");
    return content;
  }
  Content read() {
    ReadPosition start;
    return read(start);
  }

  std::string path() { return at("r.jsonl"); }
  std::string lineOf(std::string schedule) {
    return toJson(sampleRecord(std::move(schedule), {1})).dump();
  }
  void append(std::string schedule) {
    Json line = toJson(sampleRecord(std::move(schedule), {1}));
    llvm::cantFail(appendRecordLine(path(), line));
  }
};

using Strings = std::vector<std::string>;
} // namespace

TEST_F(RecordFile, LinesAreReadInOrder) {
  EXPECT_TRUE(read().schedules.empty());
  append("a");
  llvm::cantFail(appendRecordLine(path(), toJson(SubgraphRecord{"h", "ir"})));
  append("b");
  Content content = read();
  EXPECT_EQ(content.schedules, (Strings{"a", "b"}));
  EXPECT_EQ(content.lines, (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(content.texts, Strings{"ir"});
  EXPECT_TRUE(content.passedOver.empty());
}

TEST_F(RecordFile, ForeignLinesArePassedOverWithTheirPlace) {
  append("a");
  addText(path(), "\n# a comment\n{\"kind\":\"gift\",\"format\":1}\n"
                  "{\"kind\":\"measurement\",\"format\":99}\n"
                  "{\"kind\":\"measurement\",\"format\":1}\n[]\n");
  addText(path(), llvm::StringRef("\xff\xfe\0\n", 4));
  addText(path(), lineOf("\xc3") + "\r\n");
  append("b");
  Content content = read();
  EXPECT_EQ(content.schedules, (Strings{"a", "\xef\xbf\xbd", "b"}));
  ASSERT_EQ(content.passedOver.size(), 6u);
  EXPECT_NE(content.passedOver[0].find("r.jsonl:3: "), std::string::npos);
  EXPECT_NE(content.passedOver[1].find("'gift'"), std::string::npos);
  EXPECT_NE(content.passedOver[2].find("newer"), std::string::npos);
  EXPECT_NE(content.passedOver[5].find("r.jsonl:8: "), std::string::npos);
}

TEST_F(RecordFile, AFileOfAnotherKindHoldsNoRecords) {
  auto isRefused = [&] {
    llvm::Error error = checkHoldsRecords(path());
    bool isFailure = bool(error);
    llvm::consumeError(std::move(error));
    return isFailure;
  };
  EXPECT_FALSE(isRefused());
  addText(path(), "\n \n");
  EXPECT_FALSE(isRefused());
  addText(path(), "module {\n}\n");
  EXPECT_TRUE(isRefused());
  // Whose first line was torn, or which holds lines of another tool.
  addText(path(), "{\"kind\":\"meas");
  EXPECT_FALSE(isRefused());
}

TEST_F(RecordFile, InvalidUtf8InALineIsPassedOver) {
  std::string line = lineOf("marker");
  line.replace(line.find("marker"), 2, "\xff\xff");
  addText(path(), line + "\n");
  append("b");
  Content content = read();
  EXPECT_EQ(content.schedules, Strings{"b"});
  EXPECT_EQ(content.passedOver.size(), 1u);
}

TEST_F(RecordFile, TornLineHarmsNoOther) {
  append("a");
  std::string torn = lineOf("torn");
  addText(path(), torn.substr(0, torn.size() / 2));
  append("b");
  Content content = read();
  EXPECT_EQ(content.schedules, (Strings{"a", "b"}));
  EXPECT_EQ(content.passedOver.size(), 1u);
  // What was there is never changed.
  std::string bytes = llvm::cantFail(readFile(path()));
  EXPECT_NE(bytes.find(torn.substr(0, torn.size() / 2) + "\n"),
            std::string::npos);
}

TEST_F(RecordFile, LastLineNeedsNoNewline) {
  addText(path(), lineOf("a"));
  ReadPosition position;
  EXPECT_EQ(read(position).schedules, Strings{"a"});
  append("b");
  Content content = read(position);
  EXPECT_EQ(content.schedules, Strings{"b"});
  EXPECT_EQ(content.lines, std::vector<uint64_t>{2});
  EXPECT_TRUE(content.passedOver.empty());
}

TEST_F(RecordFile, TornLineThatWasReadIsEndedByTheNextWriter) {
  append("a");
  std::string torn = lineOf("torn");
  addText(path(), torn.substr(0, torn.size() / 2));
  ReadPosition position;
  EXPECT_EQ(read(position).passedOver.size(), 1u);
  append("b");
  append("c");
  Content content = read(position);
  EXPECT_EQ(content.schedules, (Strings{"b", "c"}));
  EXPECT_EQ(content.lines, (std::vector<uint64_t>{3, 4}));
  EXPECT_TRUE(content.passedOver.empty());
}

TEST_F(RecordFile, FullDiskLeavesATornLineThatHarmsNoOther) {
  append("a");
  pid_t child = fork();
  if (child == 0) {
    // Room for the beginning of a line only.
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Json line = toJson(sampleRecord(std::string(5000, 'x'), {1}));
    llvm::Expected<uint64_t> offset = appendRecordLine(path(), line);
    _exit(offset ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "a line that is not whole is an error";
  append("b");
  Content content = read();
  EXPECT_EQ(content.schedules, (Strings{"a", "b"}));
  EXPECT_EQ(content.passedOver.size(), 1u);
}

TEST_F(RecordFile, ReadingGoesOnWhereItStopped) {
  append("a");
  ReadPosition position;
  EXPECT_EQ(read(position).schedules, Strings{"a"});
  EXPECT_TRUE(read(position).schedules.empty());
  append("b");
  EXPECT_EQ(read(position).schedules, Strings{"b"});
  ASSERT_EQ(truncate(path().c_str(), 0), 0);
  EXPECT_TRUE(read(position).schedules.empty());
  append("c");
  EXPECT_EQ(read(position).schedules, Strings{"c"});
}

TEST_F(RecordFile, FilesJoinByConcatenation) {
  append("a");
  append("b");
  std::string bytes = llvm::cantFail(readFile(path()));
  addText(path(), bytes);
  EXPECT_EQ(read().schedules, (Strings{"a", "b", "a", "b"}));
}

TEST_F(RecordFile, UnreadablePlacesAreErrors) {
  ReadPosition start;
  llvm::Error error = readRecordFile(folder, start, {});
  EXPECT_NE(llvm::toString(std::move(error)).find("cannot read"),
            std::string::npos);
  auto appended = appendRecordLine(folder, Json::object());
  EXPECT_NE(llvm::toString(appended.takeError()).find("cannot append"),
            std::string::npos);
  appended = appendRecordLine(at("no/such/folder"), Json::object());
  EXPECT_NE(llvm::toString(appended.takeError()), "");
}

TEST_F(RecordFile, PipesAndDevicesAreRefused) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  for (const std::string &path : {at("pipe"), std::string("/dev/full")}) {
    ReadPosition start;
    llvm::Error error = readRecordFile(path, start, {});
    EXPECT_NE(llvm::toString(std::move(error)).find("a pipe or a device"),
              std::string::npos);
    auto appended = appendRecordLine(path, Json::object());
    EXPECT_NE(llvm::toString(appended.takeError()).find("a pipe or a device"),
              std::string::npos);
  }
}

TEST_F(RecordFile, WritersAtOnceLoseNothing) {
  constexpr int writers = 8, lines = 200;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    pid_t child = fork();
    if (child == 0) {
      for (int line = 0; line < lines; ++line)
        append(std::to_string(writer) + "/" + std::to_string(line));
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  Content content = read();
  EXPECT_TRUE(content.passedOver.empty());
  EXPECT_EQ(content.schedules.size(), size_t(writers * lines));
  llvm::StringSet<> different;
  for (const std::string &schedule : content.schedules)
    different.insert(schedule);
  EXPECT_EQ(different.size(), unsigned(writers * lines));
}

TEST_F(RecordFile, KilledWriterLeavesAFileThatGoesOn) {
  for (int round = 0; round < 5; ++round) {
    pid_t child = fork();
    if (child == 0)
      while (true)
        append(std::string(200000, 'k'));
    usleep(20000 + 3000 * round);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    append("after" + std::to_string(round));
  }
  Content content = read();
  size_t survivors = 0;
  for (const std::string &schedule : content.schedules)
    survivors += llvm::StringRef(schedule).starts_with("after");
  EXPECT_EQ(survivors, 5u);
  EXPECT_LE(content.passedOver.size(), 5u);
}
