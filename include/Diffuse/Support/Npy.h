// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in NumPy's .npy files: inputs and outputs of a run.

#ifndef DIFFUSE_SUPPORT_NPY_H
#define DIFFUSE_SUPPORT_NPY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace diffuse {

/// A row-major array, little-endian.
struct NpyArray {
  /// In MLIR's spelling. NumPy has no bf16: such arrays are written as u2 with
  /// their bits, and an array of u2 reads as `ui16`. `i2` to `i7` are written
  /// as int8 or uint8 with their values, which read as `i8` and `ui8`.
  std::string elementType;
  std::vector<int64_t> extents;
  std::string bytes;
};

/// Reads versions 1 to 3 of the format. Fails on Fortran order, big-endian
/// numbers, other element types and files shorter than their header says.
llvm::Expected<NpyArray> parseNpy(llvm::StringRef file);
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Version 1, or 2 where the header needs it. The array must hold as many bytes
/// as its extents say.
llvm::Expected<std::string> printNpy(const NpyArray &array);
llvm::Error writeNpy(llvm::StringRef path, const NpyArray &array);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_NPY_H
