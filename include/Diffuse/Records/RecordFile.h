// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and appending the lines of a record file. Several processes may
// append to one file: each line is written by one call under a lock.

#ifndef DIFFUSE_RECORDS_RECORDFILE_H
#define DIFFUSE_RECORDS_RECORDFILE_H

#include "Diffuse/Records/MeasurementRecord.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace diffuse {

/// A line and where it stands, counted from 1.
template <typename Record> struct Located {
  Record record;
  uint64_t line = 0;
};

/// Receives what a record file holds, in order of lines.
struct RecordVisitor {
  llvm::function_ref<void(Located<MeasurementRecord>)> measurement;
  llvm::function_ref<void(Located<SubgraphRecord>)> subgraph;
  /// A line that is torn or foreign, and why, as `FILE:LINE: reason`.
  llvm::function_ref<void(std::string)> passedOver;
};

/// Where reading a file stopped, to go on from there.
struct ReadPosition {
  uint64_t offset = 0;
  uint64_t line = 0;
};

/// Reads the complete lines of a file from `position` on and moves it behind
/// them. A last line without newline is read as well, and counts as passed over
/// where it does not parse; it is read again next time only where it does not
/// parse. A file that is not there holds no lines. Fails where it cannot be
/// read.
llvm::Error readRecordFile(llvm::StringRef path, ReadPosition &position,
                           const RecordVisitor &visitor);

/// Appends one line and syncs it, creating the file where there is none. Where
/// the file ends in a torn line, a newline is written first, so that the torn
/// line harms no other.
llvm::Error appendRecordLine(llvm::StringRef path, const Json &line);

} // namespace diffuse

#endif // DIFFUSE_RECORDS_RECORDFILE_H
