// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padded results without a copy.

#ifndef DIFFUSE_LIB_CODEGEN_WRITEBORDERS_H
#define DIFFUSE_LIB_CODEGEN_WRITEBORDERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Where a subgraph returns a pad of what it writes into slices of the
/// destination, turns the pad into fills of the destination's borders. Other
/// pads are left alone. Comes after the schedule, which sees the pad.
void writeBorders(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_WRITEBORDERS_H
