// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that no machine can hold: counting their elements would overflow.

#ifndef DIFFUSE_ANALYSIS_CHECKSIZES_H
#define DIFFUSE_ANALYSIS_CHECKSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace diffuse {

/// More bytes than a process can address.
inline constexpr uint64_t kAddressLimit = uint64_t(1) << 47;

/// Bytes that one element takes where tensors are stored: elements narrower
/// than a byte take one, those whose width the target decides take 8.
uint64_t storageBytes(mlir::Type element);

/// Reports every op below `module` with a result, or a block argument, whose
/// static extents alone make it larger than kAddressLimit, as an error at the
/// op. Fails when there is one. Behind this check 64 bits hold the elements and
/// bytes of any tensor.
llvm::LogicalResult checkSizes(mlir::ModuleOp module);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_CHECKSIZES_H
