// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GatedPattern.h"

#include "Contraction.h"
#include "OpKinds.h"
#include "TensorTypes.h"

using namespace diffuse;
using namespace mlir;

/// The loops of `b` over the rows that both read, where both read the same
/// value in the same way as one factor; none where they do not.
static llvm::SmallVector<unsigned> findSharedRows(Contraction a,
                                                  Contraction b) {
  llvm::SmallVector<unsigned> ofA = getTensorInputs(a.op);
  llvm::SmallVector<unsigned> ofB = getTensorInputs(b.op);
  for (unsigned factor : {0u, 1u}) {
    OpOperand &left = a.op->getOpOperand(ofA[factor]);
    OpOperand &right = b.op->getOpOperand(ofB[factor]);
    if (left.get() == right.get() && a.op.getMatchingIndexingMap(&left) ==
                                         b.op.getMatchingIndexingMap(&right))
      return factor == 0 ? b.roles.m : b.roles.n;
  }
  return {};
}

/// The rows of contraction `later`, of group `gated`, that the group of `link`
/// computes too; none where `link` does not read it as a gate.
static llvm::SmallVector<unsigned> findGatedRows(const GroupLinks &links,
                                                 const GroupLink &link,
                                                 const OpGroup &gated,
                                                 Contraction later) {
  const OpGroup &gate = links.getGroup(link.producer);
  auto earlier = getContraction(gate.anchor);
  if (!earlier || !links.findOnlyFrom(link.producer) || !isPlainStage(gate) ||
      !link.map.isIdentity() ||
      !llvm::is_contained(gated.epilogue, link.operand->getOwner()) ||
      link.source.getType() != later.op->getResult(0).getType())
    return {};
  llvm::SmallVector<int64_t> extents = later.op.getStaticLoopRanges();
  llvm::SmallVector<unsigned> rows = findSharedRows(*earlier, later);
  bool hasRows =
      llvm::any_of(rows, [&](unsigned row) { return extents[row] != 1; });
  return hasRows ? rows : llvm::SmallVector<unsigned>();
}

/// The group of the contraction that alone reads what group `gated` computes,
/// and sums over all its columns, those that `rows` and batches do not walk.
static std::optional<unsigned> findDownProjection(const GroupLinks &links,
                                                  unsigned gated,
                                                  Contraction producer,
                                                  ArrayRef<unsigned> rows) {
  auto down = findReadingContraction(links, gated);
  if (!down || !isPlainStage(links.getGroup(down->group)))
    return std::nullopt;
  AffineMap result =
      producer.op.getMatchingIndexingMap(producer.op.getDpsInitOperand(0));
  ArrayRef<int64_t> shape = getType(down->link.source).getShape();
  for (auto [written, read, extent] : llvm::zip_equal(
           result.getResults(), down->link.map.getResults(), shape)) {
    unsigned loop = cast<AffineDimExpr>(written).getPosition();
    bool isColumn = !llvm::is_contained(rows, loop) &&
                    !llvm::is_contained(producer.roles.batch, loop);
    if (extent != 1 && isColumn != down->contraction.isSummed(read))
      return std::nullopt;
  }
  return down->group;
}

llvm::SmallVector<GroupNumbers, 2> diffuse::matchGated(const GroupLinks &links,
                                                       unsigned gated) {
  const OpGroup &group = links.getGroup(gated);
  auto contraction = getContraction(group.anchor);
  if (!contraction || group.epilogue.empty() || !isPlainStage(group))
    return {};
  for (const GroupLink &link : links.findInto(gated)) {
    llvm::SmallVector<unsigned> rows =
        findGatedRows(links, link, group, *contraction);
    if (rows.empty())
      continue;
    llvm::SmallVector<GroupNumbers, 2> ways;
    if (auto down = findDownProjection(links, gated, *contraction, rows))
      ways.push_back({link.producer, gated, *down});
    ways.push_back({link.producer, gated});
    return ways;
  }
  return {};
}
