// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the IR of a subgraph function to its descriptor.

#ifndef DIFFUSE_ANALYSIS_DESCRIBESUBGRAPH_H
#define DIFFUSE_ANALYSIS_DESCRIBESUBGRAPH_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Describes `function`, which need not carry hash attributes: hashes are
/// computed. Fails, with a located error, when it has no body of one block or
/// its marks do not fit (verifyAnchorAndRoot).
mlir::FailureOr<SubgraphDescriptor>
describeSubgraph(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_DESCRIBESUBGRAPH_H
