// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What patterns ask of the contractions in them.

#ifndef DIFFUSE_LIB_GRAPH_CONTRACTION_H
#define DIFFUSE_LIB_GRAPH_CONTRACTION_H

#include "Diffuse/Analysis/DimRoles.h"
#include "GroupLinks.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace diffuse {

/// A contraction with the roles of its loops.
struct Contraction {
  mlir::linalg::LinalgOp op;
  ContractionRoles roles;

  /// Whether `expr` is a loop that is summed over.
  bool isSummed(mlir::AffineExpr expr) const;
};

/// None where `op` is no contraction.
std::optional<Contraction> getContraction(mlir::Operation *op);

/// The contraction of group `group` that alone reads, by `link`, what another
/// group computes.
struct ReadingContraction {
  GroupLink link;
  unsigned group;
  Contraction contraction;
};

/// None where others read what group `producer` computes, or another op does.
std::optional<ReadingContraction>
findReadingContraction(const GroupLinks &links, unsigned producer);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_CONTRACTION_H
