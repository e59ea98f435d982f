// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_TUNE_OPTIONS_H
#define DIFFUSE_TOOLS_TUNE_OPTIONS_H

#include "Diffuse/Graph/PackLayouts.h"
#include "Diffuse/Tuning/TuneSubgraphs.h"

namespace diffuse {

enum class ProgressStyle { Auto, Plain, Json, None };

struct TuneOptions {
  std::string input, output;
  std::string entry;
  std::string summary;
  /// Folder for the module at several times of the run; empty for none.
  std::string snapshots;
  ProgressStyle progress = ProgressStyle::Auto;
  bool dryRun = false;
  bool measureUntuned = false;
  TuneRequest request;
  /// Layouts are packed before the module is cut into subgraphs.
  Layouts layouts = Layouts::Auto;
};

/// Reads the command line. Fails with a message for people; the tool then ends
/// with status 2.
llvm::Expected<TuneOptions> parseTuneOptions(int argc, char **argv);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_TUNE_OPTIONS_H
