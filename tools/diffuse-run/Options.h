// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_OPTIONS_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_OPTIONS_H

#include "../common/DistinctFiles.h"

#include "Diffuse/Pipelines/CompileFile.h"

#include <optional>

namespace diffuse {

struct RunOptions {
  /// A library (`.so`) or a module.
  std::string input;
  std::string entry;
  std::string parameters;
  std::vector<std::string> inputs;
  /// Values of dynamic extents of arguments, in order.
  std::vector<int64_t> extents;
  std::string outputPrefix;
  std::vector<std::string> expected;
  std::string reference;
  bool check = false;
  std::optional<double> relativeTolerance;
  double absoluteTolerance = 0;
  std::optional<double> benchSeconds;
  bool profile = false;
  /// Where the profile goes as JSON; empty: a table for people.
  std::string profileFile;
  bool json = false;
  uint64_t seed = 0;
  CompileFileOptions compile;
  /// Layouts are packed before the module is cut into subgraphs; not for plain
  /// loops, which keep what the module says.
  Layouts layouts = Layouts::Auto;

  /// What the command line says of the code that a library must agree with:
  /// keys of its provenance.
  std::vector<std::pair<std::string, std::string>> asCompiled;

  /// All that the command line names; how many results are written, only the
  /// model says.
  DistinctFiles files;

  bool inputIsLibrary() const;
};

/// Whether `path` names a library rather than a module.
bool isLibrary(llvm::StringRef path);

/// Reads and checks the command line; `--help` and `--version` end the program
/// there. Fails on what is unknown, contradictory or not built.
llvm::Expected<RunOptions> parseRunOptions(int argc, char **argv);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_OPTIONS_H
