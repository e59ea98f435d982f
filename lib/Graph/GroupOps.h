// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of a block make one subgraph.

#ifndef DIFFUSE_LIB_GRAPH_GROUPOPS_H
#define DIFFUSE_LIB_GRAPH_GROUPOPS_H

#include "ParameterValues.h"
#include "WriteIntoPads.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace diffuse {

/// Ops of one block that become one subgraph. Values of all members but the
/// root are used inside the group only. There is one anchor, but for a group
/// that several were joined to (NamedPatterns.h).
struct OpGroup {
  mlir::Operation *anchor = nullptr;
  /// Producers of the anchor's operands, used by nothing else.
  llvm::SmallVector<mlir::Operation *, 1> prologue;
  /// Elementwise consumers, each of the value of the one before.
  llvm::SmallVector<mlir::Operation *, 1> epilogue;
  /// The pad whose interior the root writes, or null.
  mlir::Operation *pad = nullptr;
  /// Where the group is the last stage of a named pattern: the stages before
  /// it, in the order of the data flow. They have none before them.
  std::vector<OpGroup> before;
  /// The name of the pattern; empty for a group of one stage.
  llvm::StringRef pattern;

  /// The op whose results the subgraph returns, padded where there is a pad,
  /// and in whose place it is called.
  mlir::Operation *root() const {
    return epilogue.empty() ? anchor : epilogue.back();
  }
  /// The op whose results replace those of the group.
  mlir::Operation *last() const { return pad ? pad : root(); }
  /// Whether `op` is in this stage or one before.
  bool contains(mlir::Operation *op) const;
  /// The ops of this stage but for the pad, each after those that it reads.
  llvm::SmallVector<mlir::Operation *> ops() const;
};

/// Whether `group` can be a stage of a named pattern: linalg ops of one result
/// each, of known extents.
bool isPlainStage(const OpGroup &group);

/// Cuts the outlinable ops of `block` into groups, in the order of their roots.
/// Cheap inits are in no group when every use repeats them. Linear in the
/// number of ops and uses. `written` and `parameters` are those of the
/// block's function.
llvm::SmallVector<OpGroup> groupOps(mlir::Block &block,
                                    const WrittenPads &written,
                                    ParameterValues &parameters);

/// True when outlining repeats the producer of `use` inside the user's group
/// instead of passing its value.
bool isRepeatedUse(mlir::OpOperand &use);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_GROUPOPS_H
