// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records in memory, found by candidate, scope and family.

#ifndef DIFFUSE_LIB_RECORDS_RECORDINDEX_H
#define DIFFUSE_LIB_RECORDS_RECORDINDEX_H

#include "Diffuse/Records/RecordStore.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <unordered_map>

namespace diffuse {

class RecordIndex {
public:
  using Matches = RecordStore::Matches;

  void add(MeasurementRecord record);
  /// The first text of a subgraph stays.
  void add(SubgraphRecord record);

  Matches find(const RecordIdentity &identity) const;
  Matches find(const RecordScope &scope) const;
  Matches findFamily(llvm::StringRef familyHash) const;
  std::vector<RecordScope> scopes() const;
  std::optional<llvm::StringRef> findText(llvm::StringRef exactHash) const;
  RecordCounts count(const RecordScope &now) const;

private:
  /// The bits are already those of a good hash.
  struct TakeLow {
    size_t operator()(const StableHash &hash) const { return hash.low; }
  };

  /// Never moves what it holds.
  std::deque<MeasurementRecord> records;
  std::unordered_map<StableHash, Matches, TakeLow> byScope;
  /// The first record of each scope.
  Matches scopeLeaders;
  llvm::StringMap<Matches> byFamily;
  llvm::StringMap<std::string> texts;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_RECORDS_RECORDINDEX_H
