// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names by which sketches speak of loops. A sketch is written once for
// anchors with any number of loops, so it names roles ("rows", "image1") and
// this table says which loops they are in a subgraph at hand.

#ifndef DIFFUSE_LIB_SKETCH_DIMENSIONS_H
#define DIFFUSE_LIB_SKETCH_DIMENSIONS_H

#include "Diffuse/Analysis/SubgraphDescriptor.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace diffuse {

/// A named group of the anchor's loops. A tile size given for the name goes to
/// the principal loop; the others are cut to 1.
struct Dimension {
  std::string name;
  /// "m" or "n" for the rows and columns of a contraction, else empty.
  std::string alias;
  /// Loops of the anchor, in loop order.
  llvm::SmallVector<unsigned> loops;
  /// The innermost loop of the group that has more than one iteration, else
  /// its last.
  unsigned principal = 0;
  /// Of the principal loop.
  int64_t extent = 1;
  /// Product over the other loops.
  int64_t others = 1;
  bool reduction = false;
};

/// Every loop of the anchor belongs to exactly one dimension.
///
///   contraction   batch rows cols k; cols holds the loop that walks the
///                 result's contiguous dimension, rows the other of m and n
///   convolution   batch filter image0 image1 channel window0 window1
///   depthwise,    batch group image0 image1 window0 window1
///   pooling
///   movement      outer source inner; inner is the loop of the result's
///                 contiguous dimension, source that of the source's where it
///                 is another
///   else          outer inner reduction
struct DimensionTable {
  llvm::SmallVector<Dimension> dimensions;

  /// By name or alias.
  const Dimension *find(llvm::StringRef name) const;
  /// Extent of the named principal loop, 1 when there is no such dimension.
  int64_t extent(llvm::StringRef name) const;
};

DimensionTable nameDimensions(const SubgraphDescriptor &descriptor);

/// Iterator kind of a role.
bool isReduction(DimRole role);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_DIMENSIONS_H
