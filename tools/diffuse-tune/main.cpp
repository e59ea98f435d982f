// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes a module: outlines, hashes and clusters its subgraphs, searches
// schedules for them and writes the module with the best ones.

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
  llvm::Expected<diffuse::TuneOptions> options =
      diffuse::parseTuneOptions(argc, argv);
  if (!options) {
    llvm::WithColor::error(llvm::errs(), "diffuse-tune")
        << llvm::toString(options.takeError()) << '\n';
    return 2;
  }
  diffuse::installInterruptHandler();
  return diffuse::closeStandardStreams("diffuse-tune",
                                       diffuse::runTuneSession(*options));
}
