// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of activations over a whole function: channels in blocks, so that
// vectors run along them whatever the image's extents are.

#ifndef DIFFUSE_GRAPH_PACKLAYOUTS_H
#define DIFFUSE_GRAPH_PACKLAYOUTS_H

#include "Diffuse/Target/TargetDescription.h"
#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Rewrites convolutions in NCHW whose filters are parameters so that they
/// write their results with channels in blocks of a few vectors of `target`,
/// and everything that follows (elementwise ops, pads, poolings, depthwise
/// convolutions, concatenations, reductions) as long as it can read that form.
/// What cannot gets a linalg.unpack, made once for all readers. Filters are
/// packed by ops on parameters alone. Values are kept, sums keep their order.
/// For a GPU, and where extents are unknown, nothing is done. A second run
/// changes nothing. Needs the dialects of registerGraphDialects loaded.
llvm::LogicalResult packLayouts(mlir::ModuleOp module,
                                const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_PACKLAYOUTS_H
