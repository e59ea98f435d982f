// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which groups of a block read one another. Reshapes that only add or drop
// dimensions of one element are read through: the reader can walk what is
// reshaped.
//
//   %c = collapse_shape %v : 1x4x56x56x32 -> 4x56x56x32
//   op(%c) with (a, b, c, d) -> (a, b, c, d)
//     ->  op(%v) with (a, b, c, d) -> (0, a, b, c, d)

#ifndef DIFFUSE_LIB_GRAPH_GROUPLINKS_H
#define DIFFUSE_LIB_GRAPH_GROUPLINKS_H

#include "GroupOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace diffuse {

/// An operand of an op of one group that is what another group computes.
struct GroupLink {
  mlir::OpOperand *operand;
  /// The number of the group that computes it.
  unsigned producer;
  /// The result of that group's root, and how the operand's op walks it.
  mlir::Value source;
  mlir::AffineMap map;
};

/// Numbers of groups of one block.
using GroupNumbers = llvm::SmallVector<unsigned>;

/// The links between groups of one block, by their numbers. Valid while none of
/// their ops changes.
class GroupLinks {
public:
  explicit GroupLinks(llvm::ArrayRef<OpGroup> groups);

  const OpGroup &getGroup(unsigned number) const { return groups[number]; }
  /// The number of the group that `op` is in.
  unsigned getNumber(mlir::Operation *op) const { return numbers.at(op); }

  /// What `operand` reads of another group, if it does so as an input, without
  /// a reshape or through one that can be read through.
  std::optional<GroupLink> find(mlir::OpOperand &operand) const;

  /// All links into group `reader`, in the order of its ops and operands.
  llvm::SmallVector<GroupLink> findInto(unsigned reader) const;

  /// The groups that read what the root of `producer` computes, in order. Fails
  /// where anything but a link of a group reads it, or nothing does.
  mlir::FailureOr<GroupNumbers> findReaders(unsigned producer) const;

  /// The only link from group `producer`, where nothing else reads it.
  std::optional<GroupLink> findOnlyFrom(unsigned producer) const;

private:
  llvm::ArrayRef<OpGroup> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_GROUPLINKS_H
