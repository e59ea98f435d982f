// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the project: create functions, options, registration.

#ifndef DIFFUSE_TRANSFORMS_PASSES_H
#define DIFFUSE_TRANSFORMS_PASSES_H

#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace diffuse {

#define GEN_PASS_DECL
#include "Diffuse/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Diffuse/Transforms/Passes.h.inc"

} // namespace diffuse

#endif // DIFFUSE_TRANSFORMS_PASSES_H
