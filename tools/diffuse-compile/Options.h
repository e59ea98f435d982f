// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_DIFFUSE_COMPILE_OPTIONS_H
#define DIFFUSE_TOOLS_DIFFUSE_COMPILE_OPTIONS_H

#include "Diffuse/Pipelines/ApplyRecords.h"
#include "Diffuse/Pipelines/CompileFile.h"

namespace diffuse {

enum class EmitKind { SharedLibrary, Object, Llvm, Ptx, Cubin, Schedules };

struct CompileOptions {
  std::string input;
  std::string output;
  std::string entry;
  std::string model;
  std::string parameters;
  bool embedParameters = false;
  EmitKind emit = EmitKind::SharedLibrary;
  /// Folder of the CUDA Toolkit as the environment names it, or empty.
  std::string cudaHome;
  CompileFileOptions compile;
  /// Layouts are packed before the module is cut into subgraphs; not for plain
  /// loops, which keep what the module says.
  Layouts layouts = Layouts::Auto;
  /// Without a path: the schedules are those of the module.
  RecordsToApply records;
};

/// Reads and checks the command line; `--help` and `--version` end the program
/// there. Fails on what is unknown, contradictory or not built.
llvm::Expected<CompileOptions> parseCompileOptions(int argc, char **argv);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_COMPILE_OPTIONS_H
