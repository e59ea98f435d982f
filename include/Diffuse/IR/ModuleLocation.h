// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_IR_MODULELOCATION_H
#define DIFFUSE_IR_MODULELOCATION_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Where to report what is wrong with a module as a whole. The parser puts a
/// module without `module {}` on line 0, which no editor finds: then the first
/// op stands for it, or line 1 where there is none.
mlir::Location moduleLocation(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_IR_MODULELOCATION_H
