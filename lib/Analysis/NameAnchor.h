// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_ANALYSIS_NAMEANCHOR_H
#define DIFFUSE_LIB_ANALYSIS_NAMEANCHOR_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "mlir/IR/Operation.h"

namespace diffuse {

/// Sets `namedAnchor` and `isSpecializable` for an anchor that is a generic;
/// roles of the loops are those of the descriptor.
void nameAnchor(mlir::Operation *anchor, SubgraphDescriptor &descriptor);

} // namespace diffuse

#endif // DIFFUSE_LIB_ANALYSIS_NAMEANCHOR_H
