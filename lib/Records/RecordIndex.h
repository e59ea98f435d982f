// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records in memory, found by candidate and scope. A line of a file is kept as
// text until somebody asks for its scope: of a million lines a run asks for
// few.

#ifndef DIFFUSE_LIB_RECORDS_RECORDINDEX_H
#define DIFFUSE_LIB_RECORDS_RECORDINDEX_H

#include "Diffuse/Records/RecordStore.h"
#include "SkimLine.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <functional>
#include <map>
#include <unordered_map>

namespace diffuse {

class RecordIndex {
public:
  using Matches = RecordStore::Matches;

  /// `passOver` hears of lines that turn out not to be read when they are asked
  /// for, by file and `FILE:LINE: reason`.
  explicit RecordIndex(
      std::function<void(llvm::StringRef file, std::string)> passOver)
      : passOver(std::move(passOver)) {}

  void add(MeasurementRecord record);
  /// Adds a line of a file that was skimmed.
  void add(const SkimmedLine &skimmed, llvm::StringRef text,
           llvm::StringRef file, uint64_t line);
  /// The first text of a subgraph stays.
  void add(SubgraphRecord record);
  /// The last text of a name stays.
  void add(SketchRecord record);

  Matches find(const RecordIdentity &identity) const;
  Matches find(const RecordScope &scope) const;
  /// Those of one subgraph in any scope.
  Matches findSubgraph(llvm::StringRef exactHash) const;
  std::vector<RecordScope> scopes() const;
  std::optional<llvm::StringRef> findText(llvm::StringRef exactHash) const;
  std::vector<SketchRecord> sketches() const;
  RecordCounts count(const RecordScope &now) const;

private:
  /// One measurement: a line, or what was read from it.
  struct Entry {
    /// Empty once it was read.
    std::string text;
    llvm::StringRef file;
    uint64_t line = 0;
    bool succeeded = false;
    /// Null before it is read, and where it cannot be.
    std::unique_ptr<MeasurementRecord> record;
  };
  struct Scope {
    RecordScope scope;
    std::vector<Entry *> entries;
  };
  /// The bits are already those of a good hash.
  struct TakeLow {
    size_t operator()(const StableHash &hash) const { return hash.low; }
  };

  Scope &scopeOf(const RecordScope &scope);
  void add(Entry entry, Scope &scope);
  /// Reads an entry; false, after telling, where that cannot be.
  bool read(Entry &entry) const;
  /// Reads entries and collects what they hold.
  Matches readAll(llvm::ArrayRef<Entry *> entries) const;

  std::function<void(llvm::StringRef, std::string)> passOver;
  /// Never move what they hold.
  std::deque<Entry> entries;
  std::deque<Scope> allScopes;
  std::unordered_map<StableHash, Scope *, TakeLow> byKey;
  /// By the text of the scope's members.
  llvm::StringMap<Scope *> byText;
  llvm::StringMap<std::string> texts;
  llvm::StringSet<> files;
  std::map<std::string, SketchRecord> sketchTexts;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_RECORDS_RECORDINDEX_H
