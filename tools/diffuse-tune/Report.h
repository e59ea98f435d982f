// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of it: the table for people and the summary for programs.

#ifndef DIFFUSE_TOOLS_TUNE_REPORT_H
#define DIFFUSE_TOOLS_TUNE_REPORT_H

#include "Options.h"

namespace diffuse {

/// Times of whole runs, measured interleaved; empty where they were not taken.
struct ModuleTimes {
  std::optional<double> defaultMicros, tunedMicros, untunedMicros;
  /// The module was slower with tuned schedules, by more than noise, and was so
  /// once more when that was looked at again.
  bool isSlowerAgain = false;
  /// Subgraphs that have their default schedules again: tuned ones were slower
  /// inside the module, now or, where that was not looked at again, before.
  std::vector<std::string> givenBack;
  /// Subgraphs whose tuned schedules were found no slower there.
  std::vector<std::string> notSlower;
};

/// Prints one line for each subgraph, heaviest first, and the module's times.
void printTable(const TuneResult &result, const ModuleTimes &times,
                llvm::raw_ostream &stream);

/// Prints clusters, sizes of spaces and what records would answer.
void printDryRun(const TuneResult &result, llvm::raw_ostream &stream);

/// The summary file's text.
std::string summaryText(const TuneResult &result, const ModuleTimes &times,
                        double seconds);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_TUNE_REPORT_H
