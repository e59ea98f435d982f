// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate is found in the records of its scope: there are at most a few
// thousand, and an index of its own would double the memory.

#include "RecordIndex.h"

using namespace diffuse;
using llvm::StringRef;

void RecordIndex::add(MeasurementRecord record) {
  const MeasurementRecord &kept = records.emplace_back(std::move(record));
  Matches &scope = byScope[kept.identity.scope.key()];
  if (scope.empty())
    scopeLeaders.push_back(&kept);
  scope.push_back(&kept);
  if (!kept.familyHash.empty())
    byFamily[kept.familyHash].push_back(&kept);
}

void RecordIndex::add(SubgraphRecord record) {
  texts.try_emplace(record.exactHash, std::move(record.text));
}

RecordIndex::Matches RecordIndex::find(const RecordScope &scope) const {
  auto found = byScope.find(scope.key());
  return found == byScope.end() ? Matches() : found->second;
}

RecordIndex::Matches RecordIndex::find(const RecordIdentity &identity) const {
  auto found = byScope.find(identity.scope.key());
  Matches matches;
  if (found != byScope.end())
    for (const MeasurementRecord *record : found->second)
      if (record->identity.schedule == identity.schedule)
        matches.push_back(record);
  return matches;
}

RecordIndex::Matches RecordIndex::findFamily(StringRef familyHash) const {
  auto found = byFamily.find(familyHash);
  return found == byFamily.end() ? Matches() : found->second;
}

std::vector<RecordScope> RecordIndex::scopes() const {
  std::vector<RecordScope> all;
  for (const MeasurementRecord *record : scopeLeaders)
    all.push_back(record->identity.scope);
  return all;
}

std::optional<StringRef> RecordIndex::findText(StringRef exactHash) const {
  auto found = texts.find(exactHash);
  if (found == texts.end())
    return std::nullopt;
  return StringRef(found->second);
}

RecordCounts RecordIndex::count(const RecordScope &now) const {
  RecordCounts counts;
  counts.subgraphs = texts.size();
  counts.measurements = records.size();
  for (const MeasurementRecord &record : records) {
    const RecordScope &scope = record.identity.scope;
    counts.failures += !record.succeeded();
    counts.stale += scope.target != now.target ||
                    scope.codegen != now.codegen ||
                    scope.protocol != now.protocol;
  }
  return counts;
}
