// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Records/RecordStore.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Samples.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace diffuse;

namespace {
class RecordStoreTest : public FolderTest {
protected:
  std::unique_ptr<RecordStore> open(std::vector<std::string> priors = {}) {
    return openRecordStore({at("r.jsonl"), std::move(priors)});
  }
  static std::unique_ptr<RecordStore> openMemory() {
    return openRecordStore({});
  }
  static size_t countIn(const RecordStore &store, std::string schedule) {
    return store.lookup(RecordIdentity{sampleScope(), schedule}).size();
  }
};
} // namespace

TEST_F(RecordStoreTest, FindsByCandidateAndScope) {
  auto store = openMemory();
  store->append(sampleRecord("a", {1}));
  store->append(sampleRecord("a", {2}));
  store->append(sampleRecord("b", {3}));
  MeasurementRecord other = sampleRecord("a", {4});
  other.identity.scope.target = "cpu:other";
  store->append(other);
  EXPECT_EQ(countIn(*store, "a"), 2u);
  EXPECT_EQ(countIn(*store, "c"), 0u);
  EXPECT_EQ(store->lookup(sampleScope()).size(), 3u);
  RecordCounts counts = store->count(sampleScope());
  EXPECT_EQ(counts.measurements, 4u);
  EXPECT_EQ(counts.stale, 1u);
}

TEST_F(RecordStoreTest, ScopesAreListedInOrder) {
  auto store = openMemory();
  MeasurementRecord other = sampleRecord("a", {1});
  other.identity.scope.threads = 2;
  store->append(other);
  store->append(sampleRecord("a", {1}));
  store->append(other);
  std::vector<RecordScope> scopes = store->scopes();
  ASSERT_EQ(scopes.size(), 2u);
  EXPECT_EQ(scopes[0].threads, 2u);
  EXPECT_EQ(scopes[1].key(), sampleScope().key());
}

TEST_F(RecordStoreTest, SecondRunKnowsWhatTheFirstWrote) {
  open()->append(sampleRecord("a", {1}));
  auto store = open();
  EXPECT_EQ(countIn(*store, "a"), 1u);
  store->append(sampleRecord("b", {1}));
  store->refresh();
  EXPECT_EQ(countIn(*store, "b"), 1u) << "own lines are not read twice";
  EXPECT_EQ(open()->count(sampleScope()).measurements, 2u);
}

TEST_F(RecordStoreTest, TunersSeeEachOthersLines) {
  auto one = open(), other = open();
  one->append(sampleRecord("a", {1}));
  other->append(sampleRecord("b", {1}));
  one->append(sampleRecord("c", {1}));
  one->refresh();
  other->refresh();
  EXPECT_EQ(one->count(sampleScope()).measurements, 3u);
  EXPECT_EQ(other->count(sampleScope()).measurements, 3u);
}

TEST_F(RecordStoreTest, SubgraphTextIsWrittenOnce) {
  auto one = open(), other = open();
  one->append(SubgraphRecord{"h", "ir"});
  one->append(SubgraphRecord{"h", "ir"});
  other->append(SubgraphRecord{"h", "ir"});
  std::string bytes = llvm::cantFail(readFile(at("r.jsonl")));
  EXPECT_EQ(llvm::StringRef(bytes).count('\n'), 1u);
  EXPECT_EQ(open()->subgraphText("h"), llvm::StringRef("ir"));
  EXPECT_EQ(open()->subgraphText("i"), std::nullopt);
}

TEST_F(RecordStoreTest, SubgraphTextIsWrittenOnceTheFileTakesIt) {
  // A folder stands where the file belongs, and goes.
  ASSERT_EQ(mkdir(at("r.jsonl").c_str(), 0700), 0);
  auto store = open();
  store->append(SubgraphRecord{"h", "ir"});
  ASSERT_EQ(rmdir(at("r.jsonl").c_str()), 0);
  store->append(SubgraphRecord{"h", "ir"});
  EXPECT_EQ(open()->subgraphText("h"), llvm::StringRef("ir"));
}

TEST_F(RecordStoreTest, SubgraphTextIsWrittenAgainToAFileCutShort) {
  auto store = open();
  store->append(SubgraphRecord{"h", "ir"});
  store->refresh();
  ASSERT_EQ(truncate(at("r.jsonl").c_str(), 0), 0);
  store->append(SubgraphRecord{"h", "ir"});
  EXPECT_EQ(open()->subgraphText("h"), llvm::StringRef("ir"));
}

TEST_F(RecordStoreTest, TextIsCopiedFromPriorFiles) {
  openRecordStore({at("prior.jsonl"), {}})->append(SubgraphRecord{"h", "ir"});
  open({at("prior.jsonl")})->append(SubgraphRecord{"h", "ir"});
  EXPECT_EQ(open()->subgraphText("h"), llvm::StringRef("ir"))
      << "a file alone suffices";
}

TEST_F(RecordStoreTest, PriorFilesAreNeverWritten) {
  openRecordStore({at("prior.jsonl"), {}})->append(sampleRecord("a", {1}));
  std::string before = llvm::cantFail(readFile(at("prior.jsonl")));
  auto store = open({at("prior.jsonl")});
  store->append(sampleRecord("b", {1}));
  EXPECT_EQ(store->count(sampleScope()).measurements, 2u);
  EXPECT_EQ(llvm::cantFail(readFile(at("prior.jsonl"))), before);
  EXPECT_EQ(open()->count(sampleScope()).measurements, 1u);
}

TEST_F(RecordStoreTest, TuningGoesOnWithoutAFile) {
  auto store = openRecordStore({folder.str().str(), {at("missing.jsonl")}});
  store->append(sampleRecord("a", {1}));
  store->append(sampleRecord("a", {1}));
  EXPECT_EQ(countIn(*store, "a"), 2u);
  std::vector<std::string> problems = store->problems();
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_NE(problems[0].find("missing.jsonl"), std::string::npos);
  EXPECT_NE(problems[1].find("cannot read"), std::string::npos);
  EXPECT_NE(problems[2].find("cannot append"), std::string::npos);
}

TEST_F(RecordStoreTest, ReadOnlyFileIsAProblemOnce) {
  if (geteuid() == 0)
    GTEST_SKIP() << "the superuser may write everywhere";
  open()->append(sampleRecord("a", {1}));
  ASSERT_EQ(chmod(at("r.jsonl").c_str(), 0444), 0);
  auto store = open();
  EXPECT_TRUE(store->problems().empty());
  store->append(sampleRecord("b", {1}));
  store->append(sampleRecord("c", {1}));
  EXPECT_EQ(store->count(sampleScope()).measurements, 3u);
  EXPECT_EQ(store->problems().size(), 1u);
}

TEST_F(RecordStoreTest, ManyForeignLinesAreCountedNotListed) {
  for (int i = 0; i < 100; ++i)
    addText(at("r.jsonl"), "junk " + std::to_string(i) + "\n");
  auto store = open();
  EXPECT_EQ(store->count(sampleScope()).passedOver, 100u);
  ASSERT_EQ(store->problems().size(), 1u);
  std::vector<std::string> problems = store->problems();
  llvm::StringRef problem = problems.front();
  EXPECT_TRUE(problem.contains("r.jsonl:1: ")) << problem.str();
  EXPECT_TRUE(problem.contains("this and 99 more lines")) << problem.str();
}

TEST_F(RecordStoreTest, EveryTornLineIsFound) {
  MeasurementRecord record = sampleRecord("a", {1.5, 2e-3});
  record.choices = {{"m", 4}};
  record.facts = {{"spills", 0.5}};
  record.message = "it \"said\" so\n";
  std::string line = toJson(record).dump();
  record.message = "";
  std::string plain = toJson(record).dump();
  uint64_t torn = 0;
  for (const std::string &text : {line, plain})
    for (size_t length = 1; length < text.size(); ++length, ++torn)
      addText(at("r.jsonl"), text.substr(0, length) + "\n");
  // What another's line ran into.
  for (size_t length = 1; length < plain.size(); ++length, ++torn)
    addText(at("r.jsonl"), plain.substr(0, length) + plain + "\n");
  for (const std::string &text : {line, plain})
    addText(at("r.jsonl"), text + "\n");
  RecordCounts counts = open()->count(sampleScope());
  EXPECT_EQ(counts.passedOver, torn);
  EXPECT_EQ(counts.measurements, 2u);
}

TEST_F(RecordStoreTest, UnusualLinesAreReadAsTheParserDoes) {
  std::string plain = toJson(sampleRecord("a", {1})).dump();
  std::string spaced = " " + plain + " ", escaped = plain, doubled = plain,
              other = plain;
  escaped.replace(escaped.find("\"schedule\":\"a"), 13,
                  "\"schedule\":\"\\u0061");
  doubled.insert(1, "\"target\":\"elsewhere\",");
  other.insert(1, "\"new member\":[{\"x\":[true,null,-1e5]},{}],");
  for (const std::string &text : {plain, spaced, escaped, doubled, other})
    addText(at("r.jsonl"), text + "\n");
  auto store = open();
  EXPECT_EQ(countIn(*store, "a"), 5u);
  EXPECT_TRUE(store->problems().empty());
}

TEST_F(RecordStoreTest, WhatIsBrokenInsideIsToldOfWhenItIsAskedFor) {
  std::string good = toJson(sampleRecord("a", {1})).dump();
  std::string number = toJson(sampleRecord("b", {1.25})).dump();
  std::string negative = toJson(sampleRecord("c", {1.25})).dump();
  number.replace(number.find("1.25"), 4, "1.2.5");
  negative.replace(negative.find("1.25"), 4, "-1.25");
  for (const std::string &text : {good, number, negative, good})
    addText(at("r.jsonl"), text + "\n");
  auto store = open();
  EXPECT_EQ(countIn(*store, "a"), 2u);
  EXPECT_EQ(countIn(*store, "b"), 0u);
  EXPECT_EQ(countIn(*store, "c"), 0u);
  RecordCounts counts = store->count(sampleScope());
  EXPECT_EQ(counts.measurements, 2u);
  EXPECT_EQ(counts.passedOver, 2u);
  ASSERT_EQ(store->problems().size(), 1u);
  EXPECT_NE(store->problems()[0].find("r.jsonl:2: "), std::string::npos);
}

TEST_F(RecordStoreTest, FileCutShortIsNoDisaster) {
  auto store = open();
  store->append(sampleRecord("a", {1}));
  store->refresh();
  ASSERT_EQ(truncate(at("r.jsonl").c_str(), 0), 0);
  store->refresh();
  open()->append(sampleRecord("b", {1}));
  store->refresh();
  EXPECT_EQ(store->count(sampleScope()).measurements, 2u);
  EXPECT_EQ(store->problems().size(), 1u);
}

TEST_F(RecordStoreTest, BestIsOfAllSamplesAndFailedOnceIsOut) {
  auto store = openMemory();
  EXPECT_FALSE(findBest(*store, sampleScope()));
  store->append(sampleRecord("lucky", {1, 9}));
  store->append(sampleRecord("lucky", {9, 9, 9, 9, 9}));
  store->append(sampleRecord("steady", {5, 5}));
  store->append(sampleRecord("broken", {1}));
  store->append(sampleFailure("broken", FailureKind::WrongAnswer));
  store->append(sampleFailure("steady", FailureKind::Unmeasurable));
  std::optional<BestRecord> best = findBest(*store, sampleScope());
  ASSERT_TRUE(best);
  EXPECT_EQ(best->record->identity.schedule, "steady");
  EXPECT_EQ(best->micros, 5);
}

TEST_F(RecordStoreTest, BestMixesNoMachinesAndTakesNoDroppedRun) {
  auto store = openMemory();
  auto add = [&](std::string schedule, std::string machine, double micros,
                 bool isDropped = false) {
    MeasurementRecord record = sampleRecord(std::move(schedule), {micros});
    record.machine = std::move(machine);
    record.isDropped = isDropped;
    store->append(record);
  };
  add("a", "fast", 4);
  add("a", "slow", 8);
  add("b", "slow", 6);
  add("c", "fast", 1, true);
  std::optional<BestRecord> best = findBest(*store, sampleScope());
  ASSERT_TRUE(best);
  EXPECT_EQ(best->record->identity.schedule, "a");
  EXPECT_EQ(best->record->machine, "fast");
  EXPECT_EQ(best->micros, 4);
}

namespace {
/// What a network says of a schedule beside the default one.
struct Verdicts : RecordStoreTest {
  Verdicts() : store(openMemory()) {
    store->append(sampleRecord("default", {9}));
  }
  void judge(std::string schedule, bool isSlower) {
    MeasurementRecord record =
        sampleFailure(std::move(schedule), FailureKind::SlowerInNetwork);
    record.defaultSchedule = "default";
    record.isWithdrawn = !isSlower;
    store->append(record);
  }
  std::string best() const {
    return findBest(*store, sampleScope())->record->identity.schedule;
  }
  std::unique_ptr<RecordStore> store;
};
} // namespace

TEST_F(Verdicts, WhatWasGivenBackCountsOnceItIsComparedAgain) {
  store->append(sampleRecord("tuned", {5}));
  judge("tuned", /*isSlower=*/true);
  EXPECT_EQ(best(), "default");
  store->append(sampleRecord("tuned", {6}));
  EXPECT_EQ(best(), "default") << "by itself it was fast before";
  judge("tuned", /*isSlower=*/false);
  EXPECT_EQ(best(), "tuned");
  judge("tuned", /*isSlower=*/true);
  EXPECT_EQ(best(), "default");
}

TEST_F(Verdicts, WhatWasComparedNeedNotBeFaster) {
  store->append(sampleRecord("slower inside", {5}));
  store->append(sampleRecord("compared", {6}));
  store->append(sampleRecord("untried", {5.5}));
  judge("slower inside", /*isSlower=*/true);
  EXPECT_EQ(best(), "default") << "the others are no faster by themselves";
  judge("compared", /*isSlower=*/false);
  EXPECT_EQ(best(), "compared");
}

TEST_F(RecordStoreTest, WhoAppendsHearsWhetherTheFileHoldsTheLine) {
  EXPECT_EQ(openMemory()->append(sampleRecord("a", {1})), "");
  EXPECT_EQ(open()->append(sampleRecord("a", {1})), "");
  auto store = openRecordStore({folder.str().str(), {}});
  for (unsigned time = 0; time < 2; ++time)
    EXPECT_NE(store->append(sampleRecord("a", {1})).find("cannot append"),
              std::string::npos)
        << "every time";
}

TEST_F(RecordStoreTest, WhatAgreedWithAWrongAnswerIsNotTheBest) {
  MeasurementRecord agreed = sampleRecord("agreed", {1});
  agreed.comparedWith = "author";
  auto store = openRecordStore({at("a.jsonl"), {}});
  store->append(sampleRecord("author", {2}));
  store->append(agreed);
  store->append(sampleRecord("slow", {9}));
  EXPECT_EQ(findBest(*store, sampleScope())->micros, 1);
  store->append(sampleFailure("author", FailureKind::WrongAnswer));
  EXPECT_EQ(findBest(*store, sampleScope())->micros, 9);
  store->append(agreed);
  EXPECT_EQ(findBest(*store, sampleScope())->micros, 9) << "before or after";
  auto again = openRecordStore({at("a.jsonl"), {}});
  EXPECT_EQ(findBest(*again, sampleScope())->micros, 9);
  agreed.comparedWith = "slow";
  again->append(agreed);
  EXPECT_EQ(findBest(*again, sampleScope())->micros, 1);
}

TEST_F(RecordStoreTest, TextsOfSketchesAreWrittenOnce) {
  {
    auto store = open();
    store->append(SketchRecord{"d1", "mine", "old text"});
    store->append(SketchRecord{"d1", "mine", "old text"});
    store->append(SketchRecord{"d1", "other", "old text"});
    store->append(SketchRecord{"d2", "mine", "new text"});
    MeasurementRecord record = sampleRecord("a", {1});
    record.sketchText = "d2";
    store->append(record);
  }
  auto store = open();
  store->append(SketchRecord{"d2", "mine", "new text"});
  std::vector<SketchRecord> sketches = open()->sketches();
  ASSERT_EQ(sketches.size(), 2u);
  EXPECT_EQ(sketches[0].name, "mine");
  EXPECT_EQ(sketches[0].text, "new text") << "the last one of a name counts";
  EXPECT_EQ(sketches[1].name, "other");
  auto again = open();
  EXPECT_EQ(again->lookup(sampleScope()).front()->sketchText, "d2");
  EXPECT_EQ(again->count(sampleScope()).passedOver, 0u);
  llvm::Expected<SketchRecord> broken =
      parseSketch(Json::object().set("digest", "d").set("name", "n"));
  ASSERT_FALSE(broken);
  EXPECT_NE(llvm::toString(broken.takeError()).find("text"), std::string::npos);
}
