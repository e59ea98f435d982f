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

/// Whether `group` can be a stage: linalg ops of one result each, of known
/// extents.
bool isPlainStage(const OpGroup &group);

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
  mlir::FailureOr<llvm::SmallVector<unsigned>>
  findReaders(unsigned producer) const;

private:
  llvm::ArrayRef<OpGroup> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

/// Whether the ops of the links' operands can read through all reshapes of
/// `links` at once.
bool canReadThrough(llvm::ArrayRef<GroupLink> links);

/// Makes the operands of `links`, which are all that read their sources, read
/// them without reshapes, which go.
void readThrough(llvm::ArrayRef<GroupLink> links, ParameterValues &parameters);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_GROUPLINKS_H
