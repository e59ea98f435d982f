// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups grow around reductions, from the last to the first: an elementwise op
// that joins two of them goes to the later one, whose result is still warm.
// Since a value consumed inside a group has no user outside of it, the whole
// group can be called in the place of its root: what its ops need is defined
// before them, and what they give is used after the root.

#include "GroupOps.h"

#include "Diffuse/Analysis/DimRoles.h"
#include "OpKinds.h"
#include "TensorTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace diffuse;
using namespace mlir;

bool OpGroup::contains(Operation *op) const {
  return op == anchor || llvm::is_contained(prologue, op) ||
         llvm::is_contained(epilogue, op) ||
         llvm::any_of(before,
                      [&](const OpGroup &stage) { return stage.contains(op); });
}

llvm::SmallVector<Operation *> OpGroup::ops() const {
  llvm::SmallVector<Operation *> ops(prologue.begin(), prologue.end());
  ops.push_back(anchor);
  llvm::append_range(ops, epilogue);
  return ops;
}

bool diffuse::isPlainStage(const OpGroup &group) {
  return llvm::all_of(group.ops(), [](Operation *op) {
    return isa<linalg::LinalgOp>(op) && op->getNumResults() == 1 &&
           areStatic(op);
  });
}

/// The only op that uses `value`, or null. Stops at the second. An op whose
/// body captures the value is not the user: the op in the body is.
static Operation *getOnlyUser(Value value) {
  Operation *user = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (user && use.getOwner() != user)
      return nullptr;
    user = use.getOwner();
  }
  return user;
}

/// `consumer` reads `value` element by element in its own loop order, and not
/// through its outs.
static bool readsInOrder(linalg::LinalgOp consumer, Value value) {
  for (OpOperand &operand : consumer->getOpOperands()) {
    if (operand.get() != value)
      continue;
    if (consumer.isDpsInit(&operand) ||
        !consumer.getMatchingIndexingMap(&operand).isIdentity())
      return false;
  }
  return true;
}

/// `value` is what a subgraph computes, in another shape at most.
static bool isFromSubgraph(Value value, ParameterValues &parameters) {
  Operation *op = value.getDefiningOp();
  while (op && isReshape(op))
    op = op->getOperand(0).getDefiningOp();
  return op && isInSubgraph(op) && !parameters.contains(value);
}

/// All that read `value`, in another shape at most, are subgraphs.
static bool isReadBySubgraphs(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isReshape(user) ? isReadBySubgraphs(user->getResult(0))
                           : isInSubgraph(user);
  });
}

/// Whether whoever computes a part can write it where it goes: parts lie one
/// after the other in memory, and each is a subgraph's. Then buffers are shared
/// (lib/Codegen/ForwardSlices) and nothing is left to do. Not so where the
/// caller gives the memory of the whole.
static bool isWrittenInPlace(tensor::ConcatOp concat,
                             ParameterValues &parameters) {
  auto type = cast<RankedTensorType>(concat.getResultType());
  llvm::SmallDenseSet<Value> parts(concat.getInputs().begin(),
                                   concat.getInputs().end());
  // Buffers are shared in the body of a function, not inside its loops.
  return isa<func::FuncOp>(concat->getParentOp()) && type.hasStaticShape() &&
         llvm::all_of(type.getShape().take_front(concat.getDim()),
                      [](int64_t extent) { return extent == 1; }) &&
         parts.size() == concat.getInputs().size() &&
         llvm::all_of(
             parts,
             [&](Value part) { return isFromSubgraph(part, parameters); }) &&
         isReadBySubgraphs(concat.getResult());
}

namespace {
/// Grows the groups of one block.
class Grouping {
public:
  Grouping(Block &block, const WrittenPads &written,
           ParameterValues &parameters)
      : block(block), written(written), parameters(parameters) {}
  llvm::SmallVector<OpGroup> run();

private:
  bool isFree(Operation *op) const {
    return op && op->getBlock() == &block && !taken.contains(op) &&
           isOutlinable(op);
  }
  void growEpilogue(OpGroup &group);
  void growPrologue(OpGroup &group);
  void takePad(OpGroup &group);
  bool isPrologue(Operation *producer, OpOperand &use) const;

  Block &block;
  const WrittenPads &written;
  ParameterValues &parameters;
  llvm::DenseSet<Operation *> taken;
  llvm::SmallVector<OpGroup> grown;
};
} // namespace

void Grouping::growEpilogue(OpGroup &group) {
  while (group.root()->getNumResults() == 1) {
    Value value = group.root()->getResult(0);
    Operation *user = getOnlyUser(value);
    if (!isFree(user) || !isElementwiseOp(user) ||
        !readsInOrder(cast<linalg::LinalgOp>(user), value))
      return;
    group.epilogue.push_back(user);
    taken.insert(user);
  }
}

/// The only reader of what the root computes, where it was chosen.
void Grouping::takePad(OpGroup &group) {
  if (group.root()->getNumResults() != 1)
    return;
  Operation *user = getOnlyUser(group.root()->getResult(0));
  if (!isFree(user) || !written.pads.contains(user))
    return;
  group.pad = user;
  taken.insert(user);
}

bool Grouping::isPrologue(Operation *producer, OpOperand &use) const {
  if (!isFree(producer) || !producer->hasOneUse() ||
      written.pads.contains(producer))
    return false;
  if (isa<tensor::PadOp>(producer))
    return true;
  auto type = cast<RankedTensorType>(use.get().getType());
  return type.hasStaticShape() && isCheapCast(producer) &&
         inferDimRoles(use.getOwner()).kind == AnchorKind::Contraction;
}

void Grouping::growPrologue(OpGroup &group) {
  auto anchor = cast<linalg::LinalgOp>(group.anchor);
  for (OpOperand *input : anchor.getDpsInputOperands()) {
    Operation *producer = input->get().getDefiningOp();
    if (!producer || !isPrologue(producer, *input))
      continue;
    group.prologue.push_back(producer);
    taken.insert(producer);
  }
}

llvm::SmallVector<OpGroup> Grouping::run() {
  // All epilogues before any prologue: a cast between two contractions goes
  // where it is done once.
  for (Operation &op : llvm::reverse(block)) {
    if (!isReduction(&op) || !isFree(&op))
      continue;
    taken.insert(&op);
    grown.emplace_back().anchor = &op;
    growEpilogue(grown.back());
  }
  llvm::DenseMap<Operation *, unsigned> byRoot;
  for (auto [i, group] : llvm::enumerate(grown)) {
    growPrologue(group);
    takePad(group);
    byRoot[group.root()] = i;
  }
  llvm::SmallVector<OpGroup> groups;
  for (Operation &op : block) {
    if (auto found = byRoot.find(&op); found != byRoot.end()) {
      groups.push_back(grown[found->second]);
      continue;
    }
    bool repeated =
        isCheapInit(&op) && llvm::all_of(op.getUses(), isRepeatedUse);
    auto concat = dyn_cast<tensor::ConcatOp>(&op);
    if (repeated || !isFree(&op) ||
        (concat && isWrittenInPlace(concat, parameters)))
      continue;
    groups.emplace_back().anchor = &op;
    takePad(groups.back());
  }
  return groups;
}

llvm::SmallVector<OpGroup> diffuse::groupOps(Block &block,
                                             const WrittenPads &written,
                                             ParameterValues &parameters) {
  return Grouping(block, written, parameters).run();
}

bool diffuse::isRepeatedUse(OpOperand &use) {
  Operation *producer = use.get().getDefiningOp();
  Operation *user = use.getOwner();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
  if (!producer || !isCheapInit(producer) || !linalgOp || !isOutlinable(user))
    return false;
  return linalgOp.isDpsInit(&use) && readsInit(linalgOp, use);
}
