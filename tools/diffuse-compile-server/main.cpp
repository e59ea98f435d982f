// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process in which candidates are compiled. The tuner starts it and talks
// to it in JSON lines; it is of no use to people.

#include "LinkInProcess.h"

#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/Version.h"
#include "Diffuse/Tuning/CompileServer.h"

#include "mlir/InitAllPasses.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

/// What LLD alone cannot link the system's linker may, and it has the message
/// where nobody can.
static llvm::Error linkQuickly(llvm::StringRef object,
                               llvm::StringRef library) {
  return diffuse::linkInProcess(object, library)
             ? llvm::Error::success()
             : diffuse::linkCandidate(object, library);
}

int main(int argc, char **argv) {
  diffuse::ignoreFileSizeSignal();
  if (argc > 1) {
    bool isVersion = llvm::StringRef(argv[1]) == "--version";
    if (isVersion)
      llvm::outs() << "diffuse-compile-server " << diffuse::toolVersion()
                   << '\n';
    else
      llvm::errs() << "diffuse-compile-server takes no arguments; diffuse-tune "
                      "starts it\n";
    return isVersion ? 0 : 2;
  }
  // A user's schedule may run passes by name.
  mlir::registerAllPasses();
  return diffuse::runCompileServer(STDIN_FILENO, STDOUT_FILENO, linkQuickly);
}
