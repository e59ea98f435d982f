// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgraphs of several stages as text, in the form outlining leaves.

#ifndef DIFFUSE_UNITTESTS_SKETCH_STAGEDSUBGRAPHS_H
#define DIFFUSE_UNITTESTS_SKETCH_STAGEDSUBGRAPHS_H

#include <cstdint>
#include <string>

namespace diffuse::test {

/// Extents of an attention: `heads` of `rows` queries and `keys` keys, whose
/// products run over `depth`.
struct AttentionShape {
  int64_t heads = 1, rows = 1, keys = 1, depth = 1;
};

/// Scores twice over, their maximum along the keys, what scores are above eight
/// less than it, the sum of that, both added, and the product with values: six
/// stages of the shape that a softmax has, and all numbers stay whole.
std::string printAttention(const AttentionShape &shape);

/// A depthwise 3x3 convolution and a pointwise one behind it, both with the
/// maximum with zero, on channels in `blocks` blocks of `block`.
struct SeparableShape {
  int64_t block = 1, blocks = 1, filters = 1, image = 1, stride = 1;
};
std::string printSeparable(const SeparableShape &shape);

/// Two products of x[rows][inner] with [inner][cols], the first one's maximum
/// with zero times the second, and the product of that with [cols][outer].
struct GatedShape {
  int64_t rows = 1, inner = 1, cols = 1, outer = 1;
};
std::string printGated(const GatedShape &shape);

} // namespace diffuse::test

#endif // DIFFUSE_UNITTESTS_SKETCH_STAGEDSUBGRAPHS_H
