// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction.h"

using namespace diffuse;
using namespace mlir;

bool Contraction::isSummed(AffineExpr expr) const {
  auto loop = dyn_cast<AffineDimExpr>(expr);
  return loop && llvm::is_contained(roles.k, loop.getPosition());
}

std::optional<Contraction> diffuse::getContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return std::nullopt;
  FailureOr<ContractionRoles> roles = inferContractionRoles(linalgOp);
  if (failed(roles))
    return std::nullopt;
  return Contraction{linalgOp, *roles};
}

std::optional<ReadingContraction>
diffuse::findReadingContraction(const GroupLinks &links, unsigned producer) {
  std::optional<GroupLink> link = links.findOnlyFrom(producer);
  if (!link)
    return std::nullopt;
  unsigned group = links.getNumber(link->operand->getOwner());
  auto contraction = getContraction(links.getGroup(group).anchor);
  if (!contraction || contraction->op != link->operand->getOwner())
    return std::nullopt;
  return ReadingContraction{*link, group, *contraction};
}
