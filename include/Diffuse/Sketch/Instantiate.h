// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a bound sketch and choices to plain transform IR with nothing open.

#ifndef DIFFUSE_SKETCH_INSTANTIATE_H
#define DIFFUSE_SKETCH_INSTANTIATE_H

#include "Diffuse/Sketch/SketchLibrary.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace diffuse {

/// Returns `module attributes {transform.with_named_sequence}` that holds
/// `@NAME__tensor` and, where the sketch has one, `@NAME__vector`. The
/// attribute `diffuse.selected` of the former says what was chosen. It needs no
/// op or attribute of the project: mlir-opt replays it. Fails with a
/// diagnostic on a choice that is missing, unknown or outside its domain.
/// Legality beyond the domains is checkCandidate's business.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
instantiate(const BoundSketch &sketch, const Choices &choices,
            llvm::StringRef name);

} // namespace diffuse

#endif // DIFFUSE_SKETCH_INSTANTIATE_H
