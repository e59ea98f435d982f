// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   d = depthwise convolution x      [b][h][w][c]
//   p = d v                          [b][h][w][k]     sums over c

#ifndef DIFFUSE_LIB_GRAPH_SEPARABLEPATTERN_H
#define DIFFUSE_LIB_GRAPH_SEPARABLEPATTERN_H

#include "Contraction.h"
#include "GroupLinks.h"

namespace diffuse {

/// Group `depthwise`, of a depthwise convolution, and that of the contraction
/// that alone reads it, and reads it image row by image row.
std::optional<GroupNumbers> matchSeparable(const GroupLinks &links,
                                           unsigned depthwise);

/// Whether the anchor of `group` is a depthwise convolution.
bool isDepthwise(const OpGroup &group);

/// Whether `reader`, which walks the dimensions of what the anchor of
/// `depthwise` computes by `walk`, sums over none of the image, which has more
/// than one element.
bool walksImage(const OpGroup &depthwise, const Contraction &reader,
                llvm::ArrayRef<mlir::AffineExpr> walk);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_SEPARABLEPATTERN_H
