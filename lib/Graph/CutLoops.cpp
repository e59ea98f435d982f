// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's linalg::pack does the like with pack ops around every operand and
// puts all inner loops last, which changes the order of sums. Here the caller
// says what operands there are, and most need no conversion.
//
//   (n, f, h, w, c) -> f and c cut -> (n, fo, h, w, fi, co, ci)

#include "CutLoops.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// The loops after cutting, seen from those before.
struct NewLoops {
  /// Of each old loop: the loop over its blocks, or itself.
  llvm::SmallVector<AffineExpr> outer;
  /// Of each old loop: the loop inside a block, null where it is not cut.
  llvm::SmallVector<AffineExpr> inner;
  llvm::SmallVector<utils::IteratorType> iterators;

  NewLoops(linalg::LinalgOp op, ArrayRef<LoopCut> cuts,
           ArrayRef<DimCut> resultCuts);

  bool isParallel(AffineExpr loop) const {
    return iterators[cast<AffineDimExpr>(loop).getPosition()] ==
           utils::IteratorType::parallel;
  }

private:
  void addOuter(unsigned loop, utils::IteratorType type) {
    outer[loop] = getAffineDimExpr(iterators.size(), context);
    iterators.push_back(type);
  }
  void addInner(unsigned loop, utils::IteratorType type) {
    inner[loop] = getAffineDimExpr(iterators.size(), context);
    iterators.push_back(type);
  }

  MLIRContext *context;
};
} // namespace

static bool isCut(ArrayRef<LoopCut> cuts, unsigned loop) {
  return llvm::any_of(cuts,
                      [&](const LoopCut &cut) { return cut.loop == loop; });
}

NewLoops::NewLoops(linalg::LinalgOp op, ArrayRef<LoopCut> cuts,
                   ArrayRef<DimCut> resultCuts)
    : context(op.getContext()) {
  outer.resize(op.getNumLoops());
  inner.resize(op.getNumLoops());
  constexpr auto parallel = utils::IteratorType::parallel;
  llvm::SmallVector<unsigned> last;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [dim, expr] : llvm::enumerate(result.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    addOuter(loop, parallel);
    const DimCut *cut = llvm::find_if(
        resultCuts, [&](const DimCut &found) { return found.dim == dim; });
    if (cut == resultCuts.end())
      continue;
    if (cut->form == CutForm::InPlace)
      addInner(loop, parallel);
    else
      last.push_back(loop);
  }
  for (unsigned loop : last)
    addInner(loop, parallel);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (type == parallel)
      continue;
    addOuter(loop, type);
    if (isCut(cuts, loop))
      addInner(loop, type);
  }
}

static AffineMap cutMap(AffineMap map, const NewLoops &loops,
                        ArrayRef<DimCut> cuts) {
  llvm::SmallVector<AffineExpr> results, sums, vectors;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    results.push_back(expr.replaceDims(loops.outer));
    const DimCut *cut = llvm::find_if(
        cuts, [&](const DimCut &found) { return found.dim == dim; });
    if (cut == cuts.end())
      continue;
    AffineExpr inner = loops.inner[cast<AffineDimExpr>(expr).getPosition()];
    if (cut->form == CutForm::InPlace)
      results.push_back(inner);
    else
      (loops.isParallel(inner) ? vectors : sums).push_back(inner);
  }
  results.append(sums);
  results.append(vectors);
  return AffineMap::get(loops.iterators.size(), 0, results, map.getContext());
}

FailureOr<llvm::SmallVector<DimCut>>
diffuse::findDimCuts(linalg::LinalgOp op, OpOperand &operand,
                     ArrayRef<LoopCut> cuts, CutForm form) {
  llvm::SmallVector<DimCut> found;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    for (const LoopCut &cut : cuts) {
      if (!expr.isFunctionOfDim(cut.loop))
        continue;
      if (!isa<AffineDimExpr>(expr))
        return failure();
      found.push_back({unsigned(dim), cut.block, form});
    }
  return found;
}

FailureOr<llvm::SmallVector<llvm::SmallVector<DimCut>>>
diffuse::findSingleCuts(linalg::LinalgOp op, LoopCut cut, CutForm form) {
  llvm::SmallVector<llvm::SmallVector<DimCut>> all;
  for (OpOperand &operand : op->getOpOperands()) {
    auto cuts = findDimCuts(op, operand, cut, form);
    if (failed(cuts) || cuts->size() > 1)
      return failure();
    all.push_back(*cuts);
  }
  return all;
}

bool diffuse::canCutLoops(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // The verifier of linalg takes results that walk loops of a reduction.
  auto types = op.getIteratorTypesArray();
  return map.isProjectedPermutation() &&
         map.getNumResults() == op.getNumParallelLoops() &&
         llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           return types[cast<AffineDimExpr>(expr).getPosition()] ==
                  utils::IteratorType::parallel;
         });
}

linalg::GenericOp diffuse::cutLoops(OpBuilder &builder, linalg::LinalgOp op,
                                    ArrayRef<LoopCut> cuts,
                                    ArrayRef<llvm::SmallVector<DimCut>> dimCuts,
                                    ValueRange operands) {
  assert(canCutLoops(op) && "asked before");
  NewLoops loops(op, cuts, dimCuts.back());
  llvm::SmallVector<AffineMap> maps;
  for (auto [operand, dims] : llvm::zip_equal(op->getOpOperands(), dimCuts))
    maps.push_back(cutMap(op.getMatchingIndexingMap(&operand), loops, dims));
  auto cut = linalg::GenericOp::create(
      builder, op.getLoc(), operands.take_back(1).getTypes(),
      operands.drop_back(1), operands.take_back(1), maps, loops.iterators);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&cut.getRegion(), mapping);
  return cut;
}
