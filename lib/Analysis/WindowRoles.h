// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of the loops of convolutions and poolings.

#ifndef DIFFUSE_LIB_ANALYSIS_WINDOWROLES_H
#define DIFFUSE_LIB_ANALYSIS_WINDOWROLES_H

#include "Diffuse/Analysis/DimRoles.h"

namespace diffuse {

/// Fills `roles`, whose dims are set, when the first tensor input of `op` is
/// read through a window (an image loop plus a window loop, each with a factor)
/// and the second is the filter, or gives the window's extents. Returns false
/// and leaves `roles` as it is otherwise.
bool setWindowRoles(mlir::linalg::LinalgOp op, DimRoles &roles);

} // namespace diffuse

#endif // DIFFUSE_LIB_ANALYSIS_WINDOWROLES_H
