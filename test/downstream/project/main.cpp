// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the installed library: compiles the module named on the command line
// with default schedules and says what came out.

#include "Diffuse/Pipelines/CompileFile.h"
#include "Diffuse/Target/TargetDescription.h"

#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: downstream model.mlir\n";
    return 2;
  }
  auto file = diffuse::ModuleFile::load(argv[1], /*entry=*/"", /*layouts=*/{});
  if (mlir::failed(file))
    return 1;
  diffuse::CompileFileOptions options;
  options.schedules = diffuse::ScheduleChoice::Default;
  options.codegen.target = diffuse::describeHost();
  auto compiled = diffuse::compileFile(**file, options);
  if (mlir::failed(compiled))
    return 1;
  llvm::outs() << compiled->subgraphs.size() << " subgraphs, "
               << compiled->boundary.size() << " arguments and results, for "
               << options.codegen.target.key << "\n";
  return compiled->subgraphs.empty() ? 1 : 0;
}
