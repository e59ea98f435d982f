// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunPasses.h"

using namespace mlir;

LogicalResult
diffuse::runPasses(Operation *op,
                   llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(op->getContext(), op->getName().getStringRef());
  manager.enableVerifier(false);
  // --mlir-print-ir-* and --mlir-timing; it fails where no tool has them.
  (void)applyPassManagerCLOptions(manager);
  applyDefaultTimingPassManagerCLOptions(manager);
  build(manager);
  return manager.run(op);
}
