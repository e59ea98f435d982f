// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in two forms: plain, and with one dimension cut into blocks whose
// elements lie together, as the last dimension:
//
//   tensor<1x64x56x56xf32>, dimension 1 in blocks of 16
//     -> tensor<1x4x56x56x16xf32>

#ifndef DIFFUSE_LIB_GRAPH_BLOCKEDTENSORS_H
#define DIFFUSE_LIB_GRAPH_BLOCKEDTENSORS_H

#include "Diffuse/Target/TargetDescription.h"
#include "ParameterValues.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace diffuse {

/// The dimension of an activation that is cut: channels, in NCHW.
inline constexpr unsigned kChannelDim = 1;

/// A dimension in blocks of `size` elements.
struct DimBlock {
  unsigned dim;
  int64_t size;
  bool operator==(const DimBlock &other) const {
    return dim == other.dim && size == other.size;
  }
};

/// Knows which plain tensors have a blocked form and makes those that are
/// missing. Everything new stands right after what it is made from, so it may
/// be used wherever that may.
class BlockedTensors {
public:
  BlockedTensors(mlir::RewriterBase &rewriter, ParameterValues &parameters)
      : rewriter(rewriter), parameters(parameters) {}

  /// `blocked` holds the elements of `plain` with channels in blocks.
  void record(mlir::Value plain, mlir::Value blocked);

  /// The block of the form recorded for `plain`, 0 where there is none.
  int64_t blockOf(mlir::Value plain) const;

  /// `plain` with the dimensions of `blocks` cut, whose elements become the
  /// last dimensions in this order: what is recorded, else what a fill or
  /// broadcast gives from the start, a free reshape where nothing lies inside
  /// the dimension, and a linalg.pack where that is all there is. `plain` has
  /// static extents, which the blocks divide.
  mlir::Value get(mlir::Value plain, llvm::ArrayRef<DimBlock> blocks);

  /// The same for a tensor that is only written: of `plain`, nothing but its
  /// extents matters.
  mlir::Value getUnread(mlir::Value plain, llvm::ArrayRef<DimBlock> blocks);

  /// The plain form of what record was told of: a free reshape where nothing
  /// lies inside the channels, else a linalg.unpack.
  mlir::Value toPlain(mlir::Value plain);

  /// Bytes that toPlain moves in each run.
  uint64_t unpackedBytes(mlir::Value plain) const;

  /// Bytes that linalg.pack moves in each run for the forms made of `plain`.
  uint64_t packedBytes(mlir::Value plain) const;

private:
  /// A form of a plain tensor; without blocks, the plain form itself.
  struct Form {
    llvm::SmallVector<DimBlock, 2> blocks;
    mlir::Value value;
  };

  mlir::Value find(mlir::Value plain, llvm::ArrayRef<DimBlock> blocks) const;
  mlir::Value make(mlir::Value plain, llvm::ArrayRef<DimBlock> blocks);
  mlir::Value makeFromInit(mlir::Operation *init, DimBlock block);

  mlir::RewriterBase &rewriter;
  ParameterValues &parameters;
  llvm::DenseMap<mlir::Value, mlir::Value> recorded;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Form, 1>> made;
};

/// The type of `plain` with the dimensions of `blocks` cut, whose elements are
/// the last dimensions.
mlir::RankedTensorType getBlockedType(mlir::RankedTensorType plain,
                                      llvm::ArrayRef<DimBlock> blocks);

/// No dimension of `type` inside `dim` has more than one element.
bool isInnermost(mlir::RankedTensorType type, unsigned dim);

/// The width of a block along `extent` elements of `bits` bits: two vectors of
/// the target, one, or half of one, whichever divides first; 0 where none does.
int64_t chooseBlock(const TargetDescription &target, unsigned bits,
                    int64_t extent);

/// `value` with dimension `dim` as two dimensions, blocks and their elements: a
/// free reshape.
mlir::Value expandDim(mlir::OpBuilder &builder, mlir::Value value, unsigned dim,
                      int64_t block);

/// The reverse: dimension `dim` and the one after it as one.
mlir::Value collapseDim(mlir::OpBuilder &builder, mlir::Value value,
                        unsigned dim);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_BLOCKEDTENSORS_H
