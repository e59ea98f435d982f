// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model: a library that diffuse-compile made, or a module that is
// compiled on the way. Checks and times it where asked to.

#include "Options.h"
#include "Session.h"

#include "../common/StandardStreams.h"

#include "Diffuse/Support/Interrupt.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  diffuse::openStandardStreams();
  diffuse::ignoreFileSizeSignal();
  llvm::Expected<diffuse::RunOptions> options =
      diffuse::parseRunOptions(argc, argv);
  if (!options) {
    llvm::WithColor::error(llvm::errs(), "diffuse-run")
        << llvm::toString(options.takeError()) << '\n';
    return 2;
  }
  return diffuse::closeStandardStreams("diffuse-run",
                                       diffuse::runSession(*options));
}
