// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits are tried in random order until one applies; there is always one.

#include "RandomEdits.h"

#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>

using namespace diffuse;
using namespace mlir;

template <typename T>
static T &pick(llvm::SmallVectorImpl<T> &from, std::mt19937_64 &random) {
  return from[random() % from.size()];
}

//===-- changes without meaning -------------------------------------------===//

/// True when an op of `left` makes what `op` or its regions use.
static bool waits(Operation *op, const llvm::DenseSet<Operation *> &left) {
  bool found = false;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      found |= value.getDefiningOp() && value.getDefiningOp() != op &&
               left.contains(value.getDefiningOp());
  });
  return found;
}

static void shuffleBlock(Block &block, std::mt19937_64 &random) {
  llvm::SmallVector<Operation *> left;
  for (Operation &op : block.without_terminator())
    left.push_back(&op);
  Operation *end = block.getTerminator();
  while (!left.empty()) {
    llvm::DenseSet<Operation *> unplaced(left.begin(), left.end());
    llvm::SmallVector<Operation *> ready;
    llvm::copy_if(left, std::back_inserter(ready),
                  [&](Operation *op) { return !waits(op, unplaced); });
    Operation *next = pick(ready, random);
    next->moveBefore(end);
    llvm::erase(left, next);
  }
}

void diffuse::disguise(func::FuncOp function, std::mt19937_64 &random) {
  MLIRContext *context = function.getContext();
  function.setName("renamed_" + std::to_string(random()));
  function->setAttr(
      kCallsAttr, Builder(context).getI64IntegerAttr(int64_t(random() % 100)));
  llvm::SmallVector<Block *> blocks;
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    op->setLoc(FileLineColLoc::get(context, "elsewhere.mlir",
                                   unsigned(random() % 1000), 1));
    if (op != function && random() % 2)
      op->setDiscardableAttr("foreign.note", Builder(context).getI64IntegerAttr(
                                                 int64_t(random() % 100)));
  });
  for (Block *block : blocks)
    shuffleBlock(*block, random);
}

//===-- changes with meaning ----------------------------------------------===//

using Edit = std::string (*)(func::FuncOp, std::mt19937_64 &);

template <typename... Ops>
static llvm::SmallVector<Operation *> collect(func::FuncOp function) {
  llvm::SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<Ops...>(op))
      ops.push_back(op);
  });
  return ops;
}

static std::string replaceOp(func::FuncOp function, std::mt19937_64 &random) {
  auto ops =
      collect<arith::AddFOp, arith::MulFOp, arith::SubFOp, arith::MaximumFOp>(
          function);
  if (ops.empty())
    return "";
  Operation *op = pick(ops, random);
  OpBuilder builder(op);
  Value other;
  if (isa<arith::AddFOp>(op))
    other = arith::SubFOp::create(builder, op->getLoc(), op->getOperand(0),
                                  op->getOperand(1));
  else
    other = arith::AddFOp::create(builder, op->getLoc(), op->getOperand(0),
                                  op->getOperand(1));
  std::string what = "replaced " + op->getName().getStringRef().str();
  op->getResult(0).replaceAllUsesWith(other);
  op->erase();
  return what;
}

static std::string setFastMath(func::FuncOp function, std::mt19937_64 &random) {
  auto ops = collect<arith::AddFOp, arith::MulFOp, arith::CmpFOp, math::ExpOp>(
      function);
  if (ops.empty())
    return "";
  Operation *op = pick(ops, random);
  auto flags = random() % 2 ? arith::FastMathFlags::contract
                            : arith::FastMathFlags::nnan;
  op->setAttr("fastmath",
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
  return "fast-math flags";
}

static std::string changeConstant(func::FuncOp function,
                                  std::mt19937_64 &random) {
  auto ops = collect<arith::ConstantOp>(function);
  if (ops.empty())
    return "";
  auto op = cast<arith::ConstantOp>(pick(ops, random));
  auto number = dyn_cast<FloatAttr>(op.getValue());
  if (!number)
    return "";
  // Another sign is another constant, also that of zero.
  bool negate = random() % 2;
  llvm::APFloat value = number.getValue();
  if (negate)
    value.changeSign();
  else
    value.next(/*nextDown=*/!value.isInfinity() || value.isNegative() == false);
  op.setValueAttr(FloatAttr::get(number.getType(), value));
  return negate ? "sign of a constant" : "last bit of a constant";
}

static std::string toggleParameter(func::FuncOp function,
                                   std::mt19937_64 &random) {
  unsigned i = unsigned(random() % (function.getNumArguments() - 1));
  if (function.getArgAttr(i, kParameterAttr))
    function.removeArgAttr(i, kParameterAttr);
  else
    function.setArgAttr(i, kParameterAttr,
                        UnitAttr::get(function.getContext()));
  return "parameter mark";
}

static std::string changeExtent(func::FuncOp function,
                                std::mt19937_64 &random) {
  BlockArgument argument =
      function.getArgument(unsigned(random() % function.getNumArguments()));
  auto type = cast<RankedTensorType>(argument.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  int64_t &extent = pick(shape, random);
  if (ShapedType::isDynamic(extent))
    extent = 7;
  else
    extent = random() % 4 ? extent + 1 + int64_t(random() % 5)
                          : ShapedType::kDynamic;
  argument.setType(type.clone(shape));
  return "extent of an argument";
}

static std::string changeElementType(func::FuncOp function,
                                     std::mt19937_64 &random) {
  BlockArgument argument =
      function.getArgument(unsigned(random() % function.getNumArguments()));
  auto type = cast<RankedTensorType>(argument.getType());
  MLIRContext *context = function.getContext();
  Type other = random() % 2 ? Type(Float16Type::get(context))
                            : Type(BFloat16Type::get(context));
  argument.setType(type.clone(other));
  return "element type of an argument";
}

static std::string swapOperands(func::FuncOp function,
                                std::mt19937_64 &random) {
  auto ops = collect<arith::SubFOp, arith::DivFOp, arith::CmpFOp, arith::AddFOp,
                     arith::MulFOp>(function);
  if (ops.empty())
    return "";
  Operation *op = pick(ops, random);
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (left == right)
    return "";
  op->setOperands({right, left});
  return "order of operands";
}

static std::string changePredicate(func::FuncOp function,
                                   std::mt19937_64 &random) {
  auto ops = collect<arith::CmpFOp>(function);
  if (ops.empty())
    return "";
  cast<arith::CmpFOp>(ops.front())
      .setPredicate(random() % 2 ? arith::CmpFPredicate::OGT
                                 : arith::CmpFPredicate::UGE);
  return "predicate";
}

static std::string changeMap(func::FuncOp function, std::mt19937_64 &random) {
  auto ops = collect<linalg::GenericOp>(function);
  if (ops.empty())
    return "";
  auto op = cast<linalg::GenericOp>(pick(ops, random));
  llvm::SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = pick(maps, random);
  if (map.getNumResults() < 2)
    return "";
  llvm::SmallVector<AffineExpr> results(map.getResults());
  std::swap(results.front(), results.back());
  map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  return "indexing map";
}

static std::string changeStrides(func::FuncOp function,
                                 std::mt19937_64 &random) {
  auto ops = collect<linalg::Conv2DNchwFchwOp>(function);
  if (ops.empty())
    return "";
  auto op = cast<linalg::Conv2DNchwFchwOp>(ops.front());
  auto values =
      Builder(op.getContext()).getI64TensorAttr({1 + int64_t(random() % 2), 3});
  if (random() % 2)
    op.setStridesAttr(values);
  else
    op.setDilationsAttr(values);
  return "strides or dilations";
}

static std::string changePadding(func::FuncOp function,
                                 std::mt19937_64 &random) {
  auto ops = collect<tensor::PadOp>(function);
  if (ops.empty())
    return "";
  auto op = cast<tensor::PadOp>(ops.front());
  op.setStaticLow({0, 0, int64_t(2 + random() % 3), 1});
  return "padding";
}

static std::string moveMark(func::FuncOp function, std::mt19937_64 &random) {
  llvm::SmallVector<std::pair<Operation *, llvm::StringRef>> marks;
  function.walk([&](Operation *op) {
    for (llvm::StringRef mark :
         {llvm::StringRef(kAnchorAttr), llvm::StringRef(kRootAttr),
          llvm::StringRef(kEpilogueAttr), llvm::StringRef(kPrologueAttr)})
      if (op->hasAttr(mark))
        marks.push_back({op, mark});
  });
  auto [op, mark] = pick(marks, random);
  op->removeAttr(mark);
  return "mark " + mark.str();
}

std::string diffuse::editOnce(func::FuncOp function, std::mt19937_64 &random) {
  static constexpr Edit edits[] = {
      replaceOp,    setFastMath,       changeConstant, toggleParameter,
      changeExtent, changeElementType, swapOperands,   changePredicate,
      changeMap,    changeStrides,     changePadding,  moveMark};
  while (true) {
    std::string what = edits[random() % std::size(edits)](function, random);
    if (!what.empty())
      return what;
  }
}
