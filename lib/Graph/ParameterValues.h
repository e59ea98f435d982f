// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values do not change between runs.

#ifndef DIFFUSE_LIB_GRAPH_PARAMETERVALUES_H
#define DIFFUSE_LIB_GRAPH_PARAMETERVALUES_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace diffuse {

/// Answers for the values of one function, and remembers what it found on the
/// way: all answers together take time linear in the function. Whoever erases
/// ops says so; replacing values by equal ones changes no answer.
class ParameterValues {
public:
  /// `symbols` are those of calls' callees.
  explicit ParameterValues(mlir::SymbolTableCollection &symbols)
      : symbols(symbols) {}

  /// True for a constant of rank 1 or more, an argument marked
  /// `diffuse.parameter`, and what is computed from such and constant scalars
  /// alone, not from scalars only, also seen through free reshapes.
  bool contains(mlir::Value value);

  /// `op` is going to be erased: another may get its address.
  void forget(mlir::Operation *op);

private:
  /// What a value is computed from: the last of these that it reads.
  enum class Origin { Scalars, Parameters, Run };

  Origin findOwn(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &read);
  bool isInSubgraph(mlir::Operation *op);

  mlir::SymbolTableCollection &symbols;
  llvm::DenseMap<mlir::Value, Origin> origins;
};

/// Whether `value` is made in the first block of its function: only there, what
/// reads parameters alone is done ahead of all runs.
bool isInFirstBlock(mlir::Value value);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_PARAMETERVALUES_H
