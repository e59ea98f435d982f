// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box of elements of one result: what Codegen cuts out and Measure compares.

#ifndef DIFFUSE_SUPPORT_OUTPUTTILE_H
#define DIFFUSE_SUPPORT_OUTPUTTILE_H

#include "Diffuse/Support/Json.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace diffuse {

struct OutputTile {
  /// Which destination, counted among the destinations.
  unsigned result = 0;
  /// Of each dimension: the first index and how many.
  std::vector<int64_t> offsets, sizes;

  int64_t elements() const;
  /// Whether it lies in a result of these extents.
  bool liesIn(llvm::ArrayRef<int64_t> extents) const;
};

bool operator==(const OutputTile &a, const OutputTile &b);

Json toJson(llvm::ArrayRef<OutputTile> tiles);
llvm::Error fromJson(const Json &value, std::vector<OutputTile> &tiles);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_OUTPUTTILE_H
