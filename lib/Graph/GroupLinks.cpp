// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GroupLinks.h"

#include "OpKinds.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

/// The dimension of `group` that is not of one element; the first where all
/// are. Fails where there are several.
static FailureOr<int64_t> findOnlyDim(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> group) {
  int64_t found = group.front();
  bool isFound = false;
  for (int64_t dim : group) {
    if (shape[dim] == 1)
      continue;
    if (isFound || ShapedType::isDynamic(shape[dim]))
      return failure();
    found = dim;
    isFound = true;
  }
  return found;
}

/// How what `reshape` reshapes is walked where its result is walked by `walk`.
/// Fails unless it only adds or only drops dimensions of one element.
static FailureOr<llvm::SmallVector<AffineExpr>>
walkSource(Operation *reshape, ArrayRef<AffineExpr> walk) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
  auto groups = expand ? expand.getReassociationIndices()
                       : collapse.getReassociationIndices();
  RankedTensorType source = getType(reshape->getOperand(0));
  RankedTensorType result = getType(reshape->getResult(0));
  ArrayRef<int64_t> longer = expand ? result.getShape() : source.getShape();
  llvm::SmallVector<AffineExpr> found(
      source.getRank(), getAffineConstantExpr(0, reshape->getContext()));
  // Between rank 0 and dimensions of one element there are no groups.
  for (auto [dim, group] : llvm::enumerate(groups)) {
    FailureOr<int64_t> only = findOnlyDim(longer, group);
    if (failed(only))
      return failure();
    if (expand)
      found[dim] = walk[*only];
    else
      found[*only] = walk[dim];
  }
  return found;
}

GroupLinks::GroupLinks(ArrayRef<OpGroup> groups) : groups(groups) {
  for (auto [number, group] : llvm::enumerate(groups))
    for (Operation *op : group.ops())
      numbers[op] = number;
}

std::optional<GroupLink> GroupLinks::find(OpOperand &operand) const {
  auto reader = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!reader || reader.isDpsInit(&operand))
    return std::nullopt;
  AffineMap map = reader.getMatchingIndexingMap(&operand);
  llvm::SmallVector<AffineExpr> walk(map.getResults());
  Value source = operand.get();
  while (Operation *reshape = source.getDefiningOp()) {
    if (!isReshape(reshape))
      break;
    auto before = walkSource(reshape, walk);
    if (failed(before))
      return std::nullopt;
    walk = *before;
    source = reshape->getOperand(0);
  }
  // The maps of named ops are what their names say.
  if (source != operand.get() && !isa<linalg::GenericOp>(operand.getOwner()))
    return std::nullopt;
  Operation *maker = source.getDefiningOp();
  auto found = maker ? numbers.find(maker) : numbers.end();
  if (found == numbers.end() || groups[found->second].root() != maker ||
      groups[found->second].contains(operand.getOwner()))
    return std::nullopt;
  return GroupLink{
      &operand, found->second, source,
      AffineMap::get(map.getNumDims(), 0, walk, operand.get().getContext())};
}

llvm::SmallVector<GroupLink> GroupLinks::findInto(unsigned reader) const {
  llvm::SmallVector<GroupLink> links;
  for (Operation *op : groups[reader].ops())
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<GroupLink> link = find(operand))
        links.push_back(*link);
  return links;
}

FailureOr<GroupNumbers> GroupLinks::findReaders(unsigned producer) const {
  GroupNumbers readers;
  llvm::SmallVector<Value> values(groups[producer].root()->getResults());
  while (!values.empty()) {
    for (OpOperand &use : values.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isReshape(user)) {
        values.push_back(user->getResult(0));
        continue;
      }
      auto found = numbers.find(user);
      if (found == numbers.end() || !find(use))
        return failure();
      readers.push_back(found->second);
    }
  }
  if (readers.empty())
    return failure();
  llvm::sort(readers);
  readers.erase(llvm::unique(readers), readers.end());
  return readers;
}

std::optional<GroupLink> GroupLinks::findOnlyFrom(unsigned producer) const {
  FailureOr<GroupNumbers> readers = findReaders(producer);
  if (failed(readers) || readers->size() != 1)
    return std::nullopt;
  std::optional<GroupLink> only;
  for (const GroupLink &link : findInto(readers->front())) {
    if (link.producer != producer)
      continue;
    if (only)
      return std::nullopt;
    only = link;
  }
  return only;
}
