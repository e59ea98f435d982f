// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %c = contraction %a, %w : [m][k] x [k][n] -> [m][n]
//   %r = gelu %c
// ->
//   %p = pack %w : [k][n] -> [n/b][k][b]              (once, a parameter)
//   %c = contraction %a, %p -> [m][n/b][b]
//   %r = collapse_shape (gelu %c) : [m][n/b][b] -> [m][n]

#include "PackPanels.h"

#include "BlockedTensors.h"
#include "CutLoops.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "OpKinds.h"
#include "ParameterValues.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace diffuse;
using namespace mlir;

/// Fewer rows read each element of the parameter too few times for its order to
/// matter.
static constexpr int64_t kLeastRows = 4;

/// The operand that is packed. Its loops are the columns: in normal form the
/// result's innermost dimension is the second factor's.
static constexpr unsigned kParameter = 1;

namespace {
/// A contraction that can be cut into panels.
struct Panels {
  linalg::GenericOp op;
  /// The loop of the columns, and how it is cut.
  LoopCut cut;
};
} // namespace

static bool areFloatsOfOneType(linalg::GenericOp op) {
  Type element = getType(op.getDpsInits()[0]).getElementType();
  return isa<Float32Type, Float64Type>(element) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           auto type = dyn_cast<RankedTensorType>(operand.getType());
           return type && type.hasStaticShape() && type.getNumElements() > 0 &&
                  type.getElementType() == element;
         });
}

static int64_t countIterations(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  int64_t count = 1;
  for (unsigned loop : loops)
    count *= op.getStaticLoopRanges()[loop];
  return count;
}

/// One panel whose columns are contiguous already: no order is better.
static bool isPanel(linalg::GenericOp op, LoopCut columns) {
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(kParameter));
  return op.getStaticLoopRanges()[columns.loop] == columns.block &&
         map.getNumResults() > 0 &&
         map.getResults().back() ==
             getAffineDimExpr(columns.loop, op.getContext());
}

/// Columns are the loop along which results are contiguous; the parameter walks
/// it and no row. It is made in the function's first block, where it can be
/// packed ahead of all runs. What is itself computed there, from parameters
/// alone, stays.
static std::optional<Panels> findPanels(linalg::GenericOp op,
                                        const TargetDescription &target,
                                        ParameterValues &parameters) {
  if (!isOutlinable(op) || op.getNumDpsInputs() != 2 || !canCutLoops(op) ||
      !areFloatsOfOneType(op))
    return std::nullopt;
  auto roles = inferContractionRoles(op);
  if (failed(roles) || !roles->batch.empty() || roles->n.size() != 1 ||
      countIterations(op, roles->m) < kLeastRows)
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned columns = roles->n.front();
  Value parameter = op->getOperand(kParameter);
  if (result.getResults().back() !=
          getAffineDimExpr(columns, op.getContext()) ||
      !isInFirstBlock(parameter) || !parameters.contains(parameter) ||
      parameters.contains(op->getResult(0)))
    return std::nullopt;
  LoopCut cut{columns,
              chooseBlock(target, getType(parameter).getElementTypeBitWidth(),
                          op.getStaticLoopRanges()[columns])};
  if (!cut.block || isPanel(op, cut))
    return std::nullopt;
  return Panels{op, cut};
}

/// The parameter with its panels outermost and their columns innermost, packed
/// where it is made: whoever reads it may be in a loop.
static Value packParameter(OpBuilder &builder, Value value, unsigned columnDim,
                           int64_t block) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  RankedTensorType type = getType(value);
  llvm::SmallVector<int64_t> order{int64_t(columnDim)};
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != int64_t(columnDim))
      order.push_back(dim);
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(type.getDimSize(dim) / (dim == order[0] ? block : 1));
  shape.push_back(block);
  Value empty = tensor::EmptyOp::create(builder, value.getLoc(), shape,
                                        type.getElementType());
  OpFoldResult size = builder.getIndexAttr(block);
  return linalg::PackOp::create(builder, value.getLoc(), value, empty, order[0],
                                size, std::nullopt, order)
      .getResult();
}

/// Has `op` read its parameter, whose dimension `dim`, the panels,
/// packParameter put before the others.
static void putPanelsFirst(linalg::GenericOp op, unsigned dim) {
  llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[kParameter];
  llvm::SmallVector<AffineExpr> results(map.getResults());
  std::rotate(results.begin(), results.begin() + dim,
              results.begin() + dim + 1);
  map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// `value` as an operand whose dimensions are cut in place: what costs nothing
/// is made anew, so that no reshape parts it from its reader.
static Value expandOperand(OpBuilder &builder, Value value,
                           ArrayRef<DimCut> cuts) {
  Operation *producer = value.getDefiningOp();
  bool isFill = isa_and_nonnull<linalg::FillOp>(producer);
  bool isEmpty = isa_and_nonnull<tensor::EmptyOp>(producer);
  if (!isFill && !isEmpty) {
    for (const DimCut &cut : llvm::reverse(cuts))
      value = expandDim(builder, value, cut.dim, cut.block);
    return value;
  }
  llvm::SmallVector<int64_t> shape(getType(value).getShape());
  for (const DimCut &cut : llvm::reverse(cuts)) {
    shape[cut.dim] /= cut.block;
    shape.insert(shape.begin() + cut.dim + 1, cut.block);
  }
  Value empty = tensor::EmptyOp::create(builder, value.getLoc(), shape,
                                        getType(value).getElementType());
  if (isEmpty)
    return empty;
  return linalg::FillOp::create(builder, value.getLoc(),
                                cast<linalg::FillOp>(producer).value(), empty)
      .getResult(0);
}

/// The only reader of `value` where that is an elementwise op on known extents
/// that reads it in its own order, else null.
static linalg::GenericOp getOnlyReader(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  auto reader = dyn_cast<linalg::GenericOp>(*value.getUsers().begin());
  if (!reader || reader->getBlock() != value.getParentBlock() ||
      !areStatic(reader) || !isOutlinable(reader) || !isElementwiseOp(reader) ||
      !canCutLoops(reader))
    return nullptr;
  OpOperand &use = *value.getUses().begin();
  bool inOrder = !reader.isDpsInit(&use) &&
                 reader.getMatchingIndexingMap(&use).isIdentity();
  return inOrder ? reader : nullptr;
}

/// Cuts the columns, the last loop, of an elementwise op whose operand `from`
/// is there already as `cut`. Null where an operand walks them otherwise.
static linalg::GenericOp cutReader(OpBuilder &builder, linalg::GenericOp reader,
                                   Value from, Value cut, int64_t block) {
  LoopCut columns{reader.getNumLoops() - 1, block};
  auto dimCuts = findSingleCuts(reader, columns, CutForm::InPlace);
  if (failed(dimCuts))
    return nullptr;
  builder.setInsertionPoint(reader);
  llvm::SmallVector<Value> operands;
  for (auto [value, cuts] : llvm::zip_equal(reader->getOperands(), *dimCuts))
    operands.push_back(value == from ? cut
                                     : expandOperand(builder, value, cuts));
  return cutLoops(builder, reader, columns, *dimCuts, operands);
}

static linalg::GenericOp cutContraction(OpBuilder &builder,
                                        const Panels &panels) {
  linalg::GenericOp op = panels.op;
  llvm::SmallVector<llvm::SmallVector<DimCut>> dimCuts;
  llvm::SmallVector<Value> operands;
  unsigned columnDim = 0;
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    bool isPacked = operand.getOperandNumber() == kParameter;
    auto cuts = *findDimCuts(op, operand, panels.cut,
                             isPacked ? CutForm::Last : CutForm::InPlace);
    if (isPacked) {
      columnDim = cuts.front().dim;
      operands.push_back(
          packParameter(builder, operand.get(), columnDim, panels.cut.block));
    } else {
      operands.push_back(expandOperand(builder, operand.get(), cuts));
    }
    dimCuts.push_back(cuts);
  }
  auto cut = cutLoops(builder, op, panels.cut, dimCuts, operands);
  putPanelsFirst(cut, columnDim);
  return cut;
}

/// Cuts a contraction and what reads it in order; behind the last of them the
/// plain form is a free reshape.
static void rewrite(IRRewriter &rewriter, const Panels &panels) {
  linalg::GenericOp plain = panels.op;
  linalg::GenericOp cut = cutContraction(rewriter, panels);
  llvm::SmallVector<Operation *> dead{plain};
  while (auto reader = getOnlyReader(plain.getResult(0))) {
    auto next = cutReader(rewriter, reader, plain.getResult(0),
                          cut.getResult(0), panels.cut.block);
    if (!next)
      break;
    plain = reader;
    cut = next;
    dead.push_back(plain);
  }
  unsigned last = getType(plain.getResult(0)).getRank() - 1;
  rewriter.setInsertionPointAfter(cut);
  rewriter.replaceAllUsesWith(plain.getResult(0),
                              collapseDim(rewriter, cut.getResult(0), last));
  for (Operation *op : llvm::reverse(dead))
    rewriter.eraseOp(op);
}

bool diffuse::packPanels(func::FuncOp function,
                         const TargetDescription &target) {
  SymbolTableCollection symbols;
  ParameterValues parameters(symbols);
  llvm::SmallVector<Panels> found;
  function.walk([&](linalg::GenericOp op) {
    if (auto panels = findPanels(op, target, parameters))
      found.push_back(*panels);
  });
  IRRewriter rewriter(function.getContext());
  for (const Panels &panels : found)
    rewrite(rewriter, panels);
  return !found.empty();
}
