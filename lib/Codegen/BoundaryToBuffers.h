// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boundary of a function from tensors to buffers:
//
//   func @f(%a: tensor<8xf32>, %d: tensor<8xf32> {diffuse.destination})
//       -> tensor<8xf32> {
//     %r = ... %a ...
//     %m = bufferization.materialize_in_destination %r in %d
//     return %m
//
// becomes
//
//   func @f(%a: memref<8xf32>, %d: memref<8xf32> {diffuse.destination}) {
//     %t = bufferization.to_tensor %a restrict
//     %r = ... %t ...
//     bufferization.materialize_in_destination %r in restrict writable %d
//     return
//
// Bufferizing this allocates and copies nothing that the body does not ask for,
// where upstream's function boundaries leave a copy for each result.

#ifndef DIFFUSE_LIB_CODEGEN_BOUNDARYTOBUFFERS_H
#define DIFFUSE_LIB_CODEGEN_BOUNDARYTOBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Converts the boundary of `function`. Results without a destination argument
/// get one appended; scalar results become rank-0 buffers. Reshapes between
/// the value that is returned and the destination become views of the
/// destination.
void boundaryToBuffers(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_BOUNDARYTOBUFFERS_H
