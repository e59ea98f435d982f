// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What diffuse-records can do. Each command returns an exit status and tells
// what was wrong with files and lines on standard error.

#ifndef DIFFUSE_TOOLS_RECORDS_COMMANDS_H
#define DIFFUSE_TOOLS_RECORDS_COMMANDS_H

#include "Options.h"

namespace diffuse {

/// Counts of each file: subgraphs, measurements, failures by kind, targets.
int runStat(const RecordsOptions &options);

/// The best schedule of each subgraph, target and mode.
int runBest(const RecordsOptions &options);

/// All good lines of the files, each once.
int runMerge(const RecordsOptions &options);

/// Runs one measurement of a file again and prints what was recorded and what
/// happened; status 3 where the verdicts differ.
int runReproduce(const RecordsOptions &options);

/// Print `diffuse-records: warning: ...` and `diffuse-records: error: ...`.
void warn(const llvm::Twine &message);
void complain(const llvm::Twine &message);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_RECORDS_COMMANDS_H
