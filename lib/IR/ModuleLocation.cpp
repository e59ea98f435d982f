// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/IR/ModuleLocation.h"

using namespace mlir;

Location diffuse::moduleLocation(ModuleOp module) {
  auto own = dyn_cast<FileLineColLoc>(module.getLoc());
  if (!own || own.getLine() != 0)
    return module.getLoc();
  if (!module.getBody()->empty())
    return module.getBody()->front().getLoc();
  return FileLineColLoc::get(own.getFilename(), 1, 1);
}
