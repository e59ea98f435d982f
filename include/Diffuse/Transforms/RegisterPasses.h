// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool or the plugin registers: one place for both.

#ifndef DIFFUSE_TRANSFORMS_REGISTERPASSES_H
#define DIFFUSE_TRANSFORMS_REGISTERPASSES_H

#include "mlir/IR/DialectRegistry.h"

namespace diffuse {

/// Makes every pass of the project known by its name.
void registerPasses();

/// Adds the dialects, extensions and interfaces that the passes rely on.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace diffuse

#endif // DIFFUSE_TRANSFORMS_REGISTERPASSES_H
