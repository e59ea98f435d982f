// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants whose data did not come with the module, or not all of it, and
// those that are too large for a library.

#ifndef DIFFUSE_ANALYSIS_CHECKCONSTANTS_H
#define DIFFUSE_ANALYSIS_CHECKCONSTANTS_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// Reports every op below `module` that holds a dense_resource without data
/// (text printed with elided resources) or of another size than its type takes,
/// as an error at the op, and so every constant of more than 2 GiB. Fails when
/// there is one, or where checkSizes does.
llvm::LogicalResult checkConstants(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_CHECKCONSTANTS_H
