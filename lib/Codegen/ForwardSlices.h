// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_FORWARDSLICES_H
#define DIFFUSE_LIB_CODEGEN_FORWARDSLICES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Lets whoever computes a part of a concatenation write it there: an
/// allocation that is copied to a contiguous slice of another, which nothing
/// else writes, becomes that slice. Both become views of bytes, since a slice
/// that does not begin at the first element has a type that no callee takes.
///
///   %a = memref.alloc() : memref<1x4xf32>
///   call @f(%x, %a)
///   %c = memref.alloc() : memref<1x8xf32>
///   %s = memref.subview %c[0, 4] [1, 4] [1, 1]
///   memref.copy %a, %s
///
/// becomes
///
///   %bytes = memref.alloc() : memref<32xi8>
///   %a = memref.view %bytes[16][] : memref<32xi8> to memref<1x4xf32>
///   call @f(%x, %a)
///   %c = memref.view %bytes[0][] : memref<32xi8> to memref<1x8xf32>
void forwardSlices(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_FORWARDSLICES_H
