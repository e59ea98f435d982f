// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cutting a module into subgraph functions and calls to them.

#ifndef DIFFUSE_GRAPH_OUTLINESUBGRAPHS_H
#define DIFFUSE_GRAPH_OUTLINESUBGRAPHS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace diffuse {

/// Dialects that outlining creates ops of, with the interfaces it needs.
void registerGraphDialects(mlir::DialectRegistry &registry);

/// Who writes the tensor that pads a value.
enum class PadPlacement {
  /// The subgraph that computes the value, into the interior: nothing is
  /// copied, the border alone is filled.
  Producer,
  /// The subgraph that reads it, into a buffer of its own.
  Consumer
};

/// Which named patterns become one subgraph of several stages.
enum class PatternJoining {
  Never,
  /// Attention that hands on more than a core's caches hold
  /// (docs/subgraphs.md).
  WherePays,
  Always
};

/// How a module is cut.
struct OutlineOptions {
  PadPlacement pads = PadPlacement::Producer;
  /// None where consumers write pads, which is how modules are cut for whoever
  /// has no use for patterns: schedules of a user name the module's ops as they
  /// stand, one anchor a subgraph, and no sketch for GPUs composes stages.
  PatternJoining patterns = PatternJoining::WherePays;

  bool matchesPatterns() const {
    return patterns != PatternJoining::Never && pads == PadPlacement::Producer;
  }
};

/// Normalizes `module` and moves everything that computes or moves tensors
/// into subgraph functions; identical subgraphs share one. Ops with side
/// effects and ops that are not on tensors stay where they are.
llvm::LogicalResult outlineSubgraphs(mlir::ModuleOp module,
                                     const OutlineOptions &options = {});

} // namespace diffuse

#endif // DIFFUSE_GRAPH_OUTLINESUBGRAPHS_H
