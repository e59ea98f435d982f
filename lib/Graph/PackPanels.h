// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of contractions in panels: what layouts are to convolutions.

#ifndef DIFFUSE_LIB_GRAPH_PACKPANELS_H
#define DIFFUSE_LIB_GRAPH_PACKPANELS_H

#include "Diffuse/Target/TargetDescription.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Packs the parameter of each contraction of `function` that has several rows
/// into panels of a few vectors of columns, [k][n] or [n][k] to [n/b][k][b],
/// which a register tile reads from its first to its last element. The columns
/// become two loops, of the contraction and of the elementwise ops that read it
/// in its order; activations keep their layouts, seen through free reshapes.
/// `function` is in normal form, and canPrepare. True where something was
/// packed: loops of one iteration may be left then.
bool packPanels(mlir::func::FuncOp function, const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_PACKPANELS_H
