// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that this store writes go into the index at once and are passed over by
// their offset when the file is read again for the lines of others.

#include "Diffuse/Records/RecordStore.h"

#include "Diffuse/Records/RecordFile.h"
#include "RecordIndex.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <unordered_set>

using namespace diffuse;
using llvm::StringRef;

namespace {
/// What went wrong. A file of pictures should not fill the screen: of the lines
/// that are passed over each file tells the first and how many there are.
class ProblemList {
public:
  void add(std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  }

  void passOver(StringRef file, std::string text) {
    auto found =
        std::find_if(files.begin(), files.end(),
                     [&](const File &known) { return known.path == file; });
    if (found == files.end())
      found = files.insert(found, File{file.str(), std::move(text), 0});
    ++found->count;
  }

  uint64_t passedOver() const {
    uint64_t sum = 0;
    for (const File &file : files)
      sum += file.count;
    return sum;
  }

  std::vector<std::string> list() const {
    std::vector<std::string> all = texts;
    for (const File &file : files)
      all.push_back(file.first + "; " +
                    (file.count == 1
                         ? "the line is"
                         : "this and " + std::to_string(file.count - 1) +
                               " more lines are") +
                    " passed over as torn or foreign");
    return all;
  }

private:
  struct File {
    std::string path, first;
    uint64_t count;
  };
  std::vector<std::string> texts;
  std::vector<File> files;
};

/// Files in front, an index behind.
class IndexedRecordStore : public RecordStore {
public:
  explicit IndexedRecordStore(const RecordStoreOptions &options)
      : path(options.path), index([this](StringRef file, std::string reason) {
          problemList.passOver(file, std::move(reason));
        }) {
    for (const std::string &prior : options.priorPaths)
      readPrior(prior);
    refresh();
  }

  Matches lookup(const RecordIdentity &identity) const override {
    return index.find(identity);
  }
  Matches lookup(const RecordScope &scope) const override {
    return index.find(scope);
  }
  Matches lookupSubgraph(StringRef exactHash) const override {
    return index.findSubgraph(exactHash);
  }
  std::vector<RecordScope> scopes() const override { return index.scopes(); }
  std::optional<StringRef> subgraphText(StringRef exactHash) const override {
    return index.findText(exactHash);
  }

  std::vector<SketchRecord> sketches() const override {
    return index.sketches();
  }

  std::string append(const MeasurementRecord &record) override {
    index.add(record);
    return path.empty() ? "" : write(toJson(record));
  }

  void append(const SubgraphRecord &record) override {
    index.add(record);
    refresh();
    // Only what is written counts: a later call tries again.
    if (!path.empty() && !ownTexts.contains(record.exactHash) &&
        write(toJson(record)).empty())
      ownTexts.insert(record.exactHash);
  }

  void append(const SketchRecord &record) override {
    std::string key = record.digest + " " + record.name;
    refresh();
    index.add(record);
    if (!path.empty() && !ownTexts.contains(key) &&
        write(toJson(record)).empty())
      ownTexts.insert(key);
  }

  void refresh() override {
    if (path.empty())
      return;
    RecordVisitor visitor{
        [&](Located<MeasurementRecord> &&line) {
          index.add(std::move(line.record));
        },
        [&](Located<SubgraphRecord> &&line) {
          ownTexts.insert(line.record.exactHash);
          index.add(std::move(line.record));
        },
        [&](std::string reason) {
          problemList.passOver(path, std::move(reason));
        },
        [&](Located<SketchRecord> &&line) {
          ownTexts.insert(line.record.digest + " " + line.record.name);
          index.add(std::move(line.record));
        },
        [&](const Located<StringRef> &line) {
          return ownOffsets.count(line.offset) || skim(path, line);
        }};
    uint64_t before = position.offset;
    if (llvm::Error error = readRecordFile(path, position, visitor))
      problemList.add(llvm::toString(std::move(error)));
    if (position.offset < before) {
      problemList.add("'" + path + "' was cut short while in use");
      ownOffsets.clear();
      ownTexts.clear();
    }
  }

  RecordCounts count(const RecordScope &now) const override {
    RecordCounts counts = index.count(now);
    counts.passedOver = problemList.passedOver();
    return counts;
  }

  std::vector<std::string> problems() const override {
    return problemList.list();
  }

private:
  void readPrior(const std::string &prior) {
    RecordVisitor visitor{
        [&](Located<MeasurementRecord> &&line) {
          index.add(std::move(line.record));
        },
        [&](Located<SubgraphRecord> &&line) {
          index.add(std::move(line.record));
        },
        [&](std::string reason) {
          problemList.passOver(prior, std::move(reason));
        },
        [&](Located<SketchRecord> &&line) {
          index.add(std::move(line.record));
        },
        [&](const Located<StringRef> &line) { return skim(prior, line); }};
    ReadPosition start;
    if (llvm::Error error = readRecordFile(prior, start, visitor))
      problemList.add(llvm::toString(std::move(error)));
    else if (start.line == 0)
      problemList.add("'" + prior + "' is empty or not there");
  }

  /// Takes a line that is plainly a measurement, to be read when it is needed.
  bool skim(const std::string &file, const Located<StringRef> &line) {
    std::optional<SkimmedLine> skimmed = skimMeasurement(line.text);
    if (skimmed)
      index.add(*skimmed, line.text, file, line.line);
    return skimmed.has_value();
  }

  /// Why the file does not hold the line, or nothing.
  std::string write(const Json &line) {
    llvm::Expected<uint64_t> offset = appendRecordLine(path, line);
    if (offset) {
      ownOffsets.insert(*offset);
      return "";
    }
    std::string problem = llvm::toString(offset.takeError());
    problemList.add(problem);
    return problem;
  }

  std::string path;
  ProblemList problemList;
  RecordIndex index;
  ReadPosition position;
  /// Where in the file the lines of this store begin.
  std::unordered_set<uint64_t> ownOffsets;
  /// Subgraphs and sketches whose text the file holds.
  llvm::StringSet<> ownTexts;
};
} // namespace

std::unique_ptr<RecordStore>
diffuse::openRecordStore(const RecordStoreOptions &options) {
  return std::make_unique<IndexedRecordStore>(options);
}
