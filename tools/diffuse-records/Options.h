// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_RECORDS_OPTIONS_H
#define DIFFUSE_TOOLS_RECORDS_OPTIONS_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace diffuse {

struct RecordsOptions {
  /// `stat`, `best`, `merge` or `reproduce`.
  std::string command;
  std::vector<std::string> files;
  /// Of the one file, counted from 1, for `reproduce`.
  uint64_t line = 0;
  /// Only records of this target; empty for all.
  std::string target;
  bool json = false;
  /// `-` is standard output.
  std::string output = "-";
};

/// Reads the command line. Fails with a message for people; the tool then ends
/// with status 2.
llvm::Expected<RecordsOptions> parseRecordsOptions(int argc, char **argv);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_RECORDS_OPTIONS_H
