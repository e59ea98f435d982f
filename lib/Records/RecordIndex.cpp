// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate is found in the records of its scope: there are at most a few
// thousand, and an index of its own would double the memory.

#include "RecordIndex.h"

using namespace diffuse;
using llvm::StringRef;

//===-- reading -----------------------------------------------------------===//

static llvm::Expected<MeasurementRecord> parseLine(StringRef text) {
  llvm::Expected<Json> json = Json::parse(text);
  if (!json)
    return json.takeError();
  return parseMeasurement(*json);
}

bool RecordIndex::read(Entry &entry) const {
  if (entry.text.empty())
    return entry.record != nullptr;
  llvm::Expected<MeasurementRecord> record = parseLine(entry.text);
  entry.text = std::string();
  if (record)
    entry.record = std::make_unique<MeasurementRecord>(std::move(*record));
  else
    passOver(entry.file, (entry.file + ":" + llvm::Twine(entry.line) + ": " +
                          llvm::toString(record.takeError()))
                             .str());
  return entry.record != nullptr;
}

RecordIndex::Matches
RecordIndex::readAll(llvm::ArrayRef<Entry *> wanted) const {
  Matches matches;
  for (Entry *entry : wanted)
    if (read(*entry))
      matches.push_back(entry->record.get());
  return matches;
}

//===-- adding ------------------------------------------------------------===//

RecordIndex::Scope &RecordIndex::scopeOf(const RecordScope &scope) {
  Scope *&found = byKey[scope.key()];
  if (!found)
    found = &allScopes.emplace_back(Scope{scope, {}});
  return *found;
}

void RecordIndex::add(Entry entry, Scope &scope) {
  scope.entries.push_back(&entries.emplace_back(std::move(entry)));
}

void RecordIndex::add(MeasurementRecord record) {
  Scope &scope = scopeOf(record.identity.scope);
  Entry entry;
  entry.succeeded = record.succeeded();
  entry.record = std::make_unique<MeasurementRecord>(std::move(record));
  add(std::move(entry), scope);
}

void RecordIndex::add(const SkimmedLine &skimmed, StringRef text,
                      StringRef file, uint64_t line) {
  Entry entry;
  entry.text = text.str();
  entry.file = files.insert(file).first->getKey();
  entry.line = line;
  entry.succeeded = skimmed.succeeded;
  auto known = byText.find(skimmed.scope);
  if (known != byText.end())
    return add(std::move(entry), *known->second);
  // What the members of a scope mean is for the parser to say.
  if (!read(entry))
    return;
  Scope &scope = scopeOf(entry.record->identity.scope);
  byText[skimmed.scope] = &scope;
  add(std::move(entry), scope);
}

void RecordIndex::add(SubgraphRecord record) {
  texts.try_emplace(record.exactHash, std::move(record.text));
}

void RecordIndex::add(SketchRecord record) {
  std::string name = record.name;
  sketchTexts.insert_or_assign(std::move(name), std::move(record));
}

std::vector<SketchRecord> RecordIndex::sketches() const {
  std::vector<SketchRecord> all;
  for (const auto &[name, sketch] : sketchTexts)
    all.push_back(sketch);
  return all;
}

//===-- finding -----------------------------------------------------------===//

RecordIndex::Matches RecordIndex::find(const RecordScope &scope) const {
  auto found = byKey.find(scope.key());
  return found == byKey.end() ? Matches() : readAll(found->second->entries);
}

RecordIndex::Matches RecordIndex::find(const RecordIdentity &identity) const {
  Matches matches = find(identity.scope);
  llvm::erase_if(matches, [&](const MeasurementRecord *record) {
    return record->identity.schedule != identity.schedule;
  });
  return matches;
}

RecordIndex::Matches RecordIndex::findSubgraph(StringRef exactHash) const {
  Matches matches;
  for (const Scope &scope : allScopes)
    if (scope.scope.exactHash == exactHash)
      llvm::append_range(matches, readAll(scope.entries));
  return matches;
}

std::vector<RecordScope> RecordIndex::scopes() const {
  std::vector<RecordScope> all;
  for (const Scope &scope : allScopes)
    all.push_back(scope.scope);
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
  for (const Scope &each : allScopes) {
    const RecordScope &scope = each.scope;
    bool isStale = scope.target != now.target || scope.codegen != now.codegen ||
                   scope.protocol != now.protocol;
    for (const Entry *entry : each.entries) {
      if (entry->text.empty() && !entry->record)
        continue;
      ++counts.measurements;
      counts.failures += !entry->succeeded;
      counts.stale += isStale;
    }
  }
  return counts;
}
