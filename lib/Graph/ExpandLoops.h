// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The opposite of CollapseLoops: a loop becomes several, one inside the other.

#ifndef DIFFUSE_LIB_GRAPH_EXPANDLOOPS_H
#define DIFFUSE_LIB_GRAPH_EXPANDLOOPS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace diffuse {

/// Makes what `expand` reshapes in the shape it has after it, together with the
/// contractions whose epilogue it is, and replaces `expand`. Needs static
/// extents and an innermost dimension that stays one: vectors run along it.
/// Returns false where the loops of an op cannot be expanded; then nothing
/// changes.
bool expandProducer(mlir::OpBuilder &builder,
                    mlir::tensor::ExpandShapeOp expand);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_EXPANDLOOPS_H
