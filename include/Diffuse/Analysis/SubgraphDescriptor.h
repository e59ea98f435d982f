// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the sketches, the models and the tuner know of a subgraph: plain values,
// no IR inside.

#ifndef DIFFUSE_ANALYSIS_SUBGRAPHDESCRIPTOR_H
#define DIFFUSE_ANALYSIS_SUBGRAPHDESCRIPTOR_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace diffuse {

/// What kind of work the anchor does.
enum class AnchorKind {
  Contraction,
  Convolution,
  DepthwiseConvolution,
  Pooling,
  Reduction,
  Elementwise,
  /// Moves data only: pad, concat, pack, transpose, copy.
  Movement,
  Other
};

/// What a loop of the anchor does.
enum class DimRole {
  Batch,
  M,
  N,
  K,
  /// Spatial dimension of a convolution's or pooling's output.
  Image,
  Window,
  /// Input channel, which the convolution sums over.
  Channel,
  /// Output channel.
  Filter,
  /// In input, filter and output: groups, and the channels of depthwise
  /// convolutions and poolings.
  Group,
  Parallel,
  Reduction
};

struct DimInfo {
  DimRole role;
  /// mlir::ShapedType::kDynamic (the smallest int64_t) where unknown.
  int64_t extent;

  bool isDynamic() const { return extent == INT64_MIN; }
};

/// What is known of a subgraph or, in one of several stages, of a stage. Of
/// such a subgraph `stages` describes each, and the rest is of the last one but
/// for names, work, hashes, and what speaks against schedules, which is of all.
struct SubgraphDescriptor {
  std::string name;
  AnchorKind anchor = AnchorKind::Other;
  /// For example "linalg.conv_2d_nchw_fchw" or "linalg.generic".
  std::string anchorOp;
  unsigned anchorResults = 1;
  /// A named op that says the same as an anchor that is a generic, such as
  /// "linalg.matmul"; empty where there is none.
  std::string namedAnchor;
  /// Upstream's specialization of the anchor gives that op. Where not, the
  /// anchor has the loops of the named op in their order, and other operands'
  /// layouts.
  bool isSpecializable = false;
  /// The anchor is the root as well.
  bool isAnchorRoot = false;
  /// Names of all ops, and of all attributes on them, sorted.
  llvm::SmallVector<std::string> opNames, attributeNames;
  /// Loops of the anchor, in loop order.
  llvm::SmallVector<DimInfo> dims;
  /// The anchor's loop that each dimension of the root's result walks.
  llvm::SmallVector<unsigned> resultDims;
  /// The anchor's loop that each loop of the root walks.
  llvm::SmallVector<unsigned> rootDims;
  /// For each shaped operand of the anchor, inputs before inits: the loop that
  /// each of its dimensions walks, or -1 where that is no single loop. Empty
  /// when the anchor is no linalg op.
  llvm::SmallVector<llvm::SmallVector<int>> operandDims;
  /// Of the window dims, in their order; empty without a window.
  llvm::SmallVector<int64_t> strides, dilations;
  /// Of the anchor's first tensor input and of its result: "f32", "i8", ...
  std::string elementType, accumulatorType;
  unsigned elementBits = 0, accumulatorBits = 0;
  unsigned epilogueOps = 0, prologueOps = 0;
  bool hasPad = false, hasIndexSemantics = false, hasSideEffects = false;
  /// Some tensor has elements of no whole number of bytes (i1, i4): memory
  /// holds each in a byte of its own, vectors would pack them.
  bool hasPartialBytes = false;
  /// Some operand is indexed by a quotient, a remainder or a falling function
  /// of the loops: what a tile of the loops touches of it is no slice.
  bool hasScatteredAccess = false;
  /// False for a reduction whose result depends on the order of its steps: no
  /// loop of the reduction may be interchanged, split or run in parallel.
  bool mayReorder = true;
  int64_t calls = 1;
  /// Arithmetic ops of all bodies times iterations, one call; unknown extents
  /// count as 1.
  double flops = 0;
  /// Bytes of every input and result once, one call.
  double bytes = 0;
  std::string exactHash, structureHash, familyHash;
  /// In the order of the data flow; empty for a subgraph of one stage.
  std::vector<SubgraphDescriptor> stages;
  /// Of a stage: loops that a loop around all stages may cut, since what one of
  /// its iterations computes of each stage needs no more of the others: first
  /// those of the batch, which it cuts to 1, then, where there is one, the loop
  /// that it cuts into blocks. Empty where no such loop is possible.
  llvm::SmallVector<unsigned> batchLoops;
  std::optional<unsigned> blockLoop;
};

/// Spellings as in the enum, lower case: "contraction", "image", ...
llvm::StringRef stringifyAnchorKind(AnchorKind kind);
llvm::StringRef stringifyDimRole(DimRole role);

} // namespace diffuse

#endif // DIFFUSE_ANALYSIS_SUBGRAPHDESCRIPTOR_H
