// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in program order. A convolution starts a blocked form, every later
// op that can read a blocked operand goes on with it, and only what cannot is
// given the plain form. So there are no pairs of conversions to cancel, and a
// value with several readers (a residual join) is no special case: upstream's
// propagation pushes single pack ops through single uses and stops there.
//
//   %c = conv_2d_nchw_fchw %x, %w     %w' = pack %w        (once, a parameter)
//   %r = relu %c                      %c' = generic %x, %w'
//   %p = pooling_nchw_max %r      ->  %r' = generic %c'
//   return %p                         %p' = generic %r'
//                                     return unpack %p'

#include "Diffuse/Graph/PackLayouts.h"

#include "BlockInsertions.h"
#include "BlockMovements.h"
#include "BlockSizes.h"
#include "BlockedRegions.h"
#include "BlockedTensors.h"
#include "CutLoops.h"
#include "Diffuse/Graph/Normalize.h"
#include "Diffuse/IR/Preparation.h"
#include "NormalizePatterns.h"
#include "OpKinds.h"
#include "PackPanels.h"
#include "ParameterValues.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// Packs one function.
class LayoutPacker {
public:
  LayoutPacker(func::FuncOp function, const LayoutOptions &options)
      : function(function), options(options), parameters(symbols),
        blockSizes(chooseBlockSizes(function, options.target, parameters)),
        rewriter(function.getContext()), tensors(rewriter, parameters) {}
  void run();

private:
  bool pack(Operation *op);
  bool packLinalg(linalg::LinalgOp op);
  bool replaceBy(Operation *op, Value blocked);
  bool packInsertions(tensor::InsertSliceOp last);
  llvm::SmallVector<LoopCut> findCuts(linalg::LinalgOp op) const;
  bool cut(linalg::LinalgOp op, ArrayRef<LoopCut> cuts);
  FailureOr<llvm::SmallVector<DimCut>>
  cutsOf(linalg::LinalgOp op, OpOperand &operand, ArrayRef<LoopCut> cuts);
  Value cutOperand(linalg::LinalgOp op, OpOperand &operand,
                   ArrayRef<DimCut> cuts);
  void finish(linalg::LinalgOp op, Value result, ArrayRef<DimCut> cuts);
  void dropUnprofitable();
  void restorePlain();
  void eraseReplaced();

  func::FuncOp function;
  const LayoutOptions &options;
  SymbolTableCollection symbols;
  ParameterValues parameters;
  const llvm::DenseMap<Operation *, int64_t> blockSizes;
  IRRewriter rewriter;
  BlockedTensors tensors;
  /// Ops that have a blocked form, in program order.
  llvm::SetVector<Operation *> replaced;
  /// Plain results of those that read blocks and write none.
  llvm::DenseMap<Operation *, Value> plainResults;
};
} // namespace

llvm::SmallVector<LoopCut> LayoutPacker::findCuts(linalg::LinalgOp op) const {
  llvm::SmallVector<LoopCut> cuts;
  auto add = [&](OpOperand &operand, int64_t block) {
    int loop = getChannelLoop(op, operand);
    bool isKnown = llvm::any_of(
        cuts, [&](const LoopCut &cut) { return int(cut.loop) == loop; });
    if (loop >= 0 && block && !isKnown)
      cuts.push_back({unsigned(loop), block});
  };
  for (OpOperand *input : op.getDpsInputOperands())
    add(*input, tensors.blockOf(input->get()));
  add(*op.getDpsInitOperand(0), blockSizes.lookup(op));
  return cuts;
}

static bool walksReduction(linalg::LinalgOp op, AffineMap map,
                           const DimCut &cut) {
  auto loop = cast<AffineDimExpr>(map.getResult(cut.dim)).getPosition();
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

/// Vectors run along parallel loops; what a reduction walks is read an element
/// at a time, so its blocks may lie as they are. A parameter is packed ahead of
/// all runs, so its parts come in the order they are read in.
FailureOr<llvm::SmallVector<DimCut>>
LayoutPacker::cutsOf(linalg::LinalgOp op, OpOperand &operand,
                     ArrayRef<LoopCut> cuts) {
  auto found = findDimCuts(op, operand, cuts, CutForm::Last);
  if (failed(found))
    return failure();
  if (parameters.contains(operand.get()))
    return found;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned last = 0;
  for (DimCut &cut : *found) {
    bool isBlocked = cut.dim == kChannelDim && map.getNumResults() == 4 &&
                     tensors.blockOf(operand.get()) == cut.block;
    if (walksReduction(op, map, cut) && !isBlocked)
      cut.form = CutForm::InPlace;
    last += cut.form == CutForm::Last;
  }
  if (last > 1)
    return failure();
  return found;
}

Value LayoutPacker::cutOperand(linalg::LinalgOp op, OpOperand &operand,
                               ArrayRef<DimCut> cuts) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  llvm::SmallVector<DimBlock> sums, vectors;
  for (const DimCut &cut : cuts)
    if (cut.form == CutForm::Last)
      (walksReduction(op, map, cut) ? sums : vectors)
          .push_back({cut.dim, cut.block});
  sums.append(vectors);
  Value value = operand.get();
  if (!sums.empty())
    value = op.isDpsInit(&operand) && !readsInit(op, operand)
                ? tensors.getUnread(value, sums)
                : tensors.get(value, sums);
  for (const DimCut &cut : llvm::reverse(cuts)) {
    if (cut.form == CutForm::Last)
      continue;
    rewriter.setInsertionPointAfterValue(value);
    value = expandDim(rewriter, value, cut.dim, cut.block);
  }
  return value;
}

/// A result in NCHW stays blocked. Any other keeps its form: its channels are
/// its last dimension then, which costs nothing to put together.
static bool placeResult(linalg::LinalgOp op, llvm::SmallVector<DimCut> &cuts) {
  auto type = getType(op->getResult(0));
  for (DimCut &cut : cuts) {
    if (type.getRank() == 4 && cut.dim == kChannelDim)
      continue;
    if (!isInnermost(type, cut.dim))
      return false;
    cut.form = CutForm::InPlace;
  }
  return true;
}

void LayoutPacker::finish(linalg::LinalgOp op, Value result,
                          ArrayRef<DimCut> cuts) {
  bool isBlocked = llvm::any_of(
      cuts, [](const DimCut &cut) { return cut.form == CutForm::Last; });
  if (isBlocked) {
    replaceBy(op, result);
    return;
  }
  for (const DimCut &cut : llvm::reverse(cuts))
    result = collapseDim(rewriter, result, cut.dim);
  plainResults[op] = result;
  replaced.insert(op);
}

bool LayoutPacker::cut(linalg::LinalgOp op, ArrayRef<LoopCut> cuts) {
  llvm::SmallVector<llvm::SmallVector<DimCut>> dimCuts;
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = cutsOf(op, operand, cuts);
    if (failed(found))
      return false;
    dimCuts.push_back(*found);
  }
  if (!placeResult(op, dimCuts.back()))
    return false;
  llvm::SmallVector<Value> operands;
  for (auto [operand, found] : llvm::zip_equal(op->getOpOperands(), dimCuts))
    operands.push_back(cutOperand(op, operand, found));
  rewriter.setInsertionPoint(op);
  auto generic = cutLoops(rewriter, op, cuts, dimCuts, operands);
  finish(op, generic.getResult(0), dimCuts.back());
  return true;
}

bool LayoutPacker::packLinalg(linalg::LinalgOp op) {
  if (!isOutlinable(op) || !canCutLoops(op))
    return false;
  llvm::SmallVector<LoopCut> cuts = findCuts(op);
  // A convolution that cannot write blocks gains nothing from reading them, one
  // whose filters would be packed in a loop loses.
  if (cuts.empty() ||
      (isa<linalg::Conv2DNchwFchwOp>(op) &&
       !(blockSizes.lookup(op) && isInFirstBlock(op->getOperand(1)))))
    return false;
  return cut(op, cuts);
}

/// What some front ends write for a concatenation: parts that are inserted one
/// after the other into a new tensor.
bool LayoutPacker::packInsertions(tensor::InsertSliceOp last) {
  if (isContinued(last))
    return false;
  llvm::SmallVector<tensor::InsertSliceOp> chain = collectInsertions(last);
  int64_t block = tensors.blockOf(chain.front().getSource());
  Value base = chain.front().getDest();
  Operation *producer = base.getDefiningOp();
  bool isCheap =
      producer && (isa<tensor::EmptyOp>(producer) || isCheapInit(producer));
  if (!block || last.getDestType().getDimSize(kChannelDim) % block != 0 ||
      !(isCheap || tensors.blockOf(base) == block))
    return false;
  for (tensor::InsertSliceOp op : chain)
    if (tensors.blockOf(op.getSource()) != block || !insertsBlocks(op, block))
      return false;
  DimBlock form{kChannelDim, block};
  Value whole = tensors.get(base, form);
  for (tensor::InsertSliceOp op : chain) {
    Value source = tensors.get(op.getSource(), form);
    rewriter.setInsertionPoint(last);
    whole = insertBlocks(rewriter, op, source, whole, block);
    replaced.insert(op);
  }
  tensors.record(last.getResult(), whole);
  return true;
}

/// Null for `blocked`: the op keeps its form.
bool LayoutPacker::replaceBy(Operation *op, Value blocked) {
  if (!blocked)
    return false;
  tensors.record(op->getResult(0), blocked);
  return replaced.insert(op);
}

bool LayoutPacker::pack(Operation *op) {
  if (!areStatic(op) || op->getNumResults() != 1)
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return packLinalg(linalgOp);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return replaceBy(pad, padBlocks(rewriter, tensors, pad));
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return replaceBy(concat, concatBlocks(rewriter, tensors, concat));
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    return packInsertions(insertion);
  return false;
}

static void reportRegion(const BlockedRegion &region, bool isBlocked) {
  region.ops.front()->emitRemark()
      << "channels of " << region.ops.size() << " ops "
      << (isBlocked ? "are in blocks" : "stay plain") << ": they compute "
      << llvm::formatv("{0:f3}", region.flops / 1e6).str()
      << " MFLOP, and to and from blocks "
      << llvm::formatv("{0:f3}", region.movedBytes / 1e6).str()
      << " MB are moved in each run";
}

/// Where moving to and fro costs more than blocks save, ops stay as they are.
void LayoutPacker::dropUnprofitable() {
  for (const BlockedRegion &region : findBlockedRegions(replaced, tensors)) {
    bool isBlocked =
        options.layouts == Layouts::Blocked || region.pays(options.target);
    if (options.report)
      reportRegion(region, isBlocked);
    if (!isBlocked)
      for (Operation *op : region.ops)
        replaced.remove(op);
  }
}

/// Readers that stay plain share one plain form.
void LayoutPacker::restorePlain() {
  for (Operation *op : replaced) {
    Value result = op->getResult(0);
    if (Value plain = plainResults.lookup(op)) {
      rewriter.replaceAllUsesWith(result, plain);
      continue;
    }
    auto staysPlain = [&](OpOperand &use) { return readsPlain(use, replaced); };
    if (llvm::none_of(result.getUses(), staysPlain))
      continue;
    Value plain = tensors.toPlain(result);
    rewriter.replaceUsesWithIf(result, plain, staysPlain);
  }
}

/// The plain forms, and whatever nobody reads any more.
void LayoutPacker::eraseReplaced() {
  // In any order: blocks need not stand in the order of their data flow.
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation *op : replaced)
    rewriter.eraseOp(op);
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

void LayoutPacker::run() {
  llvm::SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    return isa<linalg::LinalgOp, tensor::PadOp>(op) ? WalkResult::skip()
                                                    : WalkResult::advance();
  });
  for (Operation *op : ops)
    pack(op);
  dropUnprofitable();
  restorePlain();
  eraseReplaced();
}

LogicalResult diffuse::packLayouts(ModuleOp module,
                                   const LayoutOptions &options) {
  if (options.layouts == Layouts::Plain || options.target.isGpu())
    return success();
  // Where parameters would be packed in each run, nothing is.
  llvm::SmallVector<func::FuncOp> functions;
  llvm::copy_if(module.getOps<func::FuncOp>(), std::back_inserter(functions),
                canPrepare);
  for (func::FuncOp function : functions) {
    if (failed(convertToLinalg(function)))
      return failure();
    LayoutPacker(function, options).run();
  }
  // Contractions are found in normal form, whatever they were written as.
  if (failed(normalizeModule(module)))
    return failure();
  bool arePacked = false;
  for (func::FuncOp function : functions)
    arePacked |= packPanels(function, options.target);
  // A panel that is the only one leaves a loop of one iteration.
  return arePacked ? normalizeModule(module) : success();
}
