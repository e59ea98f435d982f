// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worker that runs candidates: jobs as JSON lines on standard input,
// answers on standard output. It links no MLIR, so it starts in milliseconds
// and can be copied to another machine.

#include "Diffuse/Measure/Worker.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/Version.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace diffuse;

static constexpr llvm::StringLiteral usage =
    "usage: diffuse-measure [--version | --help]\n"
    "Reads jobs as JSON lines on standard input and answers each on standard\n"
    "output, until the input ends. docs/measuring.md describes the lines.\n";

int main(int argc, char **argv) {
  ignoreFileSizeSignal();
  if (argc == 1)
    return runWorker(STDIN_FILENO, STDOUT_FILENO);
  llvm::StringRef option = argv[1];
  if (argc == 2 && option == "--version") {
    llvm::outs() << "diffuse-measure " << toolVersion() << "\n"
                 << "measuring protocol " << kMeasuringProtocol << "\n"
                 << "worker protocol " << kWorkerProtocol << "\n"
                 << "LLVM " << llvmVersion() << "\n";
    return 0;
  }
  if (argc == 2 && option == "--help") {
    llvm::outs() << usage;
    return 0;
  }
  llvm::errs() << "diffuse-measure: unknown option '" << option << "'\n"
               << usage;
  return 2;
}
