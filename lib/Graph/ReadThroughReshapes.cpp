// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadThroughReshapes.h"

#include "OpKinds.h"

using namespace diffuse;
using namespace mlir;

/// The maps of the op with all its links read through.
static llvm::SmallVector<AffineMap> changeMaps(linalg::LinalgOp op,
                                               ArrayRef<GroupLink> links) {
  llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (const GroupLink &link : links)
    if (link.operand->getOwner() == op)
      maps[link.operand->getOperandNumber()] = link.map;
  return maps;
}

/// A loop that nobody walks any more would have no extent.
bool diffuse::canReadThrough(ArrayRef<GroupLink> links) {
  return llvm::all_of(links, [&](const GroupLink &link) {
    auto op = cast<linalg::LinalgOp>(link.operand->getOwner());
    return static_cast<bool>(inversePermutation(
        concatAffineMaps(changeMaps(op, links), op.getContext())));
  });
}

/// Erases the reshapes of `value`, which nobody reads.
static void eraseReshapes(Value value, ParameterValues &parameters) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    if (!isReshape(user))
      continue;
    eraseReshapes(user->getResult(0), parameters);
    parameters.forget(user);
    user->erase();
  }
}

void diffuse::readThrough(ArrayRef<GroupLink> links,
                          ParameterValues &parameters) {
  for (const GroupLink &link : links) {
    if (link.operand->get() == link.source)
      continue;
    auto op = cast<linalg::GenericOp>(link.operand->getOwner());
    op.setIndexingMapsAttr(
        Builder(op.getContext()).getAffineMapArrayAttr(changeMaps(op, {link})));
    link.operand->set(link.source);
  }
  for (const GroupLink &link : links)
    eraseReshapes(link.source, parameters);
}
