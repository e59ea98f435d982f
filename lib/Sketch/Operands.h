// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the anchor reads and writes, as far as the loop-nest model needs it:
// which loops each operand walks, and how many bytes a tile of it has.

#ifndef DIFFUSE_LIB_SKETCH_OPERANDS_H
#define DIFFUSE_LIB_SKETCH_OPERANDS_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "llvm/ADT/ArrayRef.h"

namespace diffuse {

/// Extents of a tile by loop of the anchor.
using TileExtents = llvm::SmallVector<int64_t>;

/// One dimension of an operand: `loop`, or `loop * stride + window * dilation`.
struct OperandDim {
  unsigned loop = 0;
  int window = -1;
  int64_t stride = 1, dilation = 1;
};

struct Operand {
  llvm::SmallVector<OperandDim> dims;
  unsigned elementBytes = 4;
  bool isOutput = false;

  bool walks(unsigned loop) const;
  double bytes(llvm::ArrayRef<int64_t> tile) const;
};

/// Inputs first, the output last.
llvm::SmallVector<Operand> describeOperands(const SubgraphDescriptor &);

/// Extents of the whole iteration space.
TileExtents getExtents(const SubgraphDescriptor &descriptor);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_OPERANDS_H
