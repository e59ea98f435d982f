// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops upstream cannot cut into tiles.

#ifndef DIFFUSE_ANALYSIS_SCATTEREDACCESS_H
#define DIFFUSE_ANALYSIS_SCATTEREDACCESS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace diffuse {

/// Whether an operand is indexed by anything but sums of loops times positive
/// factors, and constants: by quotients, remainders or falling indices.
/// Upstream cuts tiles of operands by the first and last index only, without a
/// look at those between.
bool hasScatteredAccess(mlir::linalg::LinalgOp op);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_SCATTEREDACCESS_H
