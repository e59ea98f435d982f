// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and appending the lines of a record file. Several processes may
// append to one file: each line is written by one call under a lock.

#ifndef DIFFUSE_RECORDS_RECORDFILE_H
#define DIFFUSE_RECORDS_RECORDFILE_H

#include "Diffuse/Records/MeasurementRecord.h"
#include <functional>

namespace diffuse {

/// A record and the line that holds it.
template <typename Record> struct Located {
  Record record;
  /// Counted from 1.
  uint64_t line = 0;
  /// Of the line's first byte in the file.
  uint64_t offset = 0;
  /// The line without its newline, valid during the call.
  llvm::StringRef text;
};

/// Receives what a record file holds, in order of lines.
struct RecordVisitor {
  std::function<void(Located<MeasurementRecord> &&)> measurement;
  std::function<void(Located<SubgraphRecord> &&)> subgraph;
  /// A line that is torn or foreign, and why, as `FILE:LINE: reason`.
  std::function<void(std::string)> passedOver;
  /// Where it is not set, such lines are passed over in silence.
  std::function<void(Located<SketchRecord> &&)> sketch = nullptr;
  /// May take a line before it is read, by returning true; the others do not
  /// hear of it then.
  std::function<bool(const Located<llvm::StringRef> &)> takeUnread = {};
};

/// Where reading a file stopped, to go on from there.
struct ReadPosition {
  uint64_t offset = 0;
  /// Lines that began before `offset`.
  uint64_t line = 0;
  /// The last of them had no newline yet.
  bool isMidLine = false;
};

/// Reads the lines of a file from `position` on and moves it to the end. A last
/// line without newline counts as a line. Empty lines are passed over in
/// silence. A file that is not there holds no lines; one that became shorter
/// than `position` is read from its new end on. Fails where the file cannot be
/// read.
llvm::Error readRecordFile(llvm::StringRef path, ReadPosition &position,
                           const RecordVisitor &visitor);

/// Fails where a file of some other kind is at `path`, which lines appended to
/// it would damage: it holds something, and no line of it begins as one of JSON
/// does. What is not there, cannot be read or is no file passes.
llvm::Error checkHoldsRecords(llvm::StringRef path);

/// Appends one line and syncs it, creating the file where there is none.
/// Returns the offset of the line. Where the file ends in a torn line, a
/// newline is written first, so that the torn line harms no other.
llvm::Expected<uint64_t> appendRecordLine(llvm::StringRef path,
                                          const Json &line);

} // namespace diffuse

#endif // DIFFUSE_RECORDS_RECORDFILE_H
