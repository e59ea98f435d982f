// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of activations over a whole function: channels in blocks, so that
// vectors run along them whatever the image's extents are.

#ifndef DIFFUSE_GRAPH_PACKLAYOUTS_H
#define DIFFUSE_GRAPH_PACKLAYOUTS_H

#include "Diffuse/Target/TargetDescription.h"
#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// How activations lie in memory: as the module says, in blocks where the time
/// that convolutions save exceeds that of what has to be moved, or in blocks
/// wherever they can.
enum class Layouts { Plain, Auto, Blocked };

struct LayoutOptions {
  Layouts layouts = Layouts::Plain;
  /// What layouts are for.
  TargetDescription target;
  /// Emits a remark for each connected part of a network that can be in blocks,
  /// at its first convolution: what it computes, what has to be moved, and
  /// whether it is in blocks.
  bool report = false;
};

/// Rewrites convolutions in NCHW whose filters are parameters so that they
/// write their results with channels in blocks of a few vectors of the target,
/// and everything that follows (elementwise ops, pads, poolings, depthwise
/// convolutions, concatenations, reductions) as long as it can read that form.
/// What cannot gets a linalg.unpack, made once for all readers. Filters are
/// packed by ops on parameters alone. Values are kept, sums keep their order.
/// For a GPU, for plain layouts and where extents are unknown, nothing is done.
/// A second run
/// changes nothing. Needs the dialects of registerGraphDialects loaded.
llvm::LogicalResult packLayouts(mlir::ModuleOp module,
                                const LayoutOptions &options);

} // namespace diffuse

#endif // DIFFUSE_GRAPH_PACKLAYOUTS_H
