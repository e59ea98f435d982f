// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is known of measurements, from this run, its record file and
// the files of earlier runs. A store never fails to open: a file that cannot be
// read or written becomes a problem to tell the user, and tuning goes on.

#ifndef DIFFUSE_RECORDS_RECORDSTORE_H
#define DIFFUSE_RECORDS_RECORDSTORE_H

#include "Diffuse/Records/MeasurementRecord.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>

namespace diffuse {

/// How the lines of a store relate to the code that is being tuned now.
struct RecordCounts {
  uint64_t subgraphs = 0;
  uint64_t measurements = 0;
  /// Of the measurements, those that are failures.
  uint64_t failures = 0;
  /// Of the measurements, those of another target, codegen or protocol number:
  /// they serve as priors only.
  uint64_t stale = 0;
  /// Lines that were torn or foreign and passed over.
  uint64_t passedOver = 0;
};

/// The best schedule of a scope.
struct BestRecord {
  /// One of its records, from the machine on which it was fastest.
  const MeasurementRecord *record = nullptr;
  /// latencyMicros of the samples of all of its records from that machine.
  double micros = 0;
};

/// Records that are handed out stay valid as long as the store. Not for use
/// from two threads at once; several processes may share a file.
class RecordStore {
public:
  using Matches = std::vector<const MeasurementRecord *>;
  virtual ~RecordStore() = default;

  /// All measurements of exactly this candidate, oldest first.
  virtual Matches lookup(const RecordIdentity &identity) const = 0;
  /// All measurements in one scope, oldest first.
  virtual Matches lookup(const RecordScope &scope) const = 0;
  /// All measurements of one subgraph, in any scope, scope by scope.
  virtual Matches lookupSubgraph(llvm::StringRef exactHash) const = 0;
  /// Every scope that has a measurement, in order of first appearance.
  virtual std::vector<RecordScope> scopes() const = 0;
  /// Text of a subgraph where a line holds it.
  virtual std::optional<llvm::StringRef>
  subgraphText(llvm::StringRef exactHash) const = 0;

  /// The texts of users' sketches, the last one of a name where several lines
  /// hold one.
  virtual std::vector<SketchRecord> sketches() const = 0;

  /// Adds a measurement, on disk too where the store has a file. It is kept in
  /// memory even when writing fails; that is told by problems(). Returns why
  /// the file does not hold the line, or nothing.
  virtual std::string append(const MeasurementRecord &record) = 0;
  /// Adds the text of a subgraph unless the store's own file holds it.
  virtual void append(const SubgraphRecord &record) = 0;
  /// The same for the text of a sketch.
  virtual void append(const SketchRecord &record) = 0;
  /// Takes in what other processes appended since.
  virtual void refresh() = 0;

  /// Stale are measurements that differ from `now` in target, codegen or
  /// protocol number.
  virtual RecordCounts count(const RecordScope &now) const = 0;
  /// What went wrong with files and lines so far, for people; one text for all
  /// torn and foreign lines of a file, with their count and the first.
  virtual std::vector<std::string> problems() const = 0;
};

/// The records of one scope without successes that prove nothing: their answers
/// were compared with those of a schedule that was found to answer wrong,
/// earlier or later, on whatever machine.
RecordStore::Matches withoutRefuted(RecordStore::Matches records);

/// The succeeded schedule of least latency in a scope. A schedule that failed
/// in any of its measurements is passed over: its answers cannot be trusted.
/// So are measurements that were dropped early, and on one machine what is not
/// faster than a schedule that was slower inside a network when it was last
/// compared there, but for default schedules and what was compared there and
/// not slower. Samples of several machines are not mixed.
std::optional<BestRecord> findBest(const RecordStore &store,
                                   const RecordScope &scope);

struct RecordStoreOptions {
  /// File that is read and appended to, created with the first line; empty
  /// keeps records in memory only.
  std::string path;
  /// Files that are read and never written.
  std::vector<std::string> priorPaths;
};

std::unique_ptr<RecordStore> openRecordStore(const RecordStoreOptions &options);

} // namespace diffuse

#endif // DIFFUSE_RECORDS_RECORDSTORE_H
