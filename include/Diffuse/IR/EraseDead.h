// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rewrite leaves without a use.

#ifndef DIFFUSE_IR_ERASEDEAD_H
#define DIFFUSE_IR_ERASEDEAD_H

#include "mlir/IR/Block.h"

namespace diffuse {

/// Erases the ops of `block` whose results nobody reads and that do nothing
/// else, the last first, so that whole chains go.
void eraseDead(mlir::Block &block);

} // namespace diffuse

#endif // DIFFUSE_IR_ERASEDEAD_H
