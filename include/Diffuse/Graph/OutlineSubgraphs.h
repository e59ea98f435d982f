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

/// Whether named patterns are joined where nothing else is asked for.
inline constexpr bool kJoinsPatternsByDefault = false;

/// How a module is cut.
struct OutlineOptions {
  PadPlacement pads = PadPlacement::Producer;
  /// Whether neighbouring groups that form a named pattern become one subgraph
  /// of several stages, where producers write pads.
  bool patterns = kJoinsPatternsByDefault;

  bool matchesPatterns() const {
    return patterns && pads == PadPlacement::Producer;
  }
};

/// Normalizes `module` and moves everything that computes or moves tensors
/// into subgraph functions; identical subgraphs share one. Ops with side
/// effects and ops that are not on tensors stay where they are.
llvm::LogicalResult outlineSubgraphs(mlir::ModuleOp module,
                                     const OutlineOptions &options = {});

} // namespace diffuse

#endif // DIFFUSE_GRAPH_OUTLINESUBGRAPHS_H
