// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of the last root is followed up the data flow, from each op to those
// that make its operands, as a loop of each. It is no loop of a stage where
// some reader reads all of what it makes, or at another index than that of the
// loop alone.

#include "DescribeStages.h"

#include "Diffuse/Analysis/Work.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace diffuse;
using namespace mlir;

using linalg::LinalgOp;

void diffuse::describeStageWork(llvm::ArrayRef<Stage> stages,
                                std::vector<SubgraphDescriptor> &descriptions) {
  for (const auto &[stage, description] : llvm::zip(stages, descriptions)) {
    llvm::DenseSet<Value> read;
    for (Operation *op : stage.ops) {
      description.flops += countFlops(op);
      auto linalgOp = dyn_cast<LinalgOp>(op);
      for (OpOperand *input : linalgOp ? linalgOp.getDpsInputOperands()
                                       : SmallVector<OpOperand *>())
        if (!llvm::is_contained(stage.ops, input->get().getDefiningOp()))
          read.insert(input->get());
    }
    for (Value value : read)
      description.bytes += countBytes(value.getType());
    for (Value result : stage.root->getResults())
      description.bytes += countBytes(result.getType());
  }
}

namespace {
/// Follows one loop through the ops of all stages.
class LoopTracer {
public:
  explicit LoopTracer(llvm::ArrayRef<Stage> stages) {
    for (const Stage &stage : stages)
      ops.insert(stage.ops.begin(), stage.ops.end());
  }
  /// False where it is no loop of all that `op` needs, or two loops of one op.
  bool trace(LinalgOp op, unsigned loop);
  std::optional<unsigned> loopOf(Operation *op) const {
    auto found = loops.find(op);
    return found == loops.end() ? std::nullopt : std::optional(found->second);
  }

private:
  bool traceOperand(LinalgOp op, OpOperand &operand, unsigned loop);

  llvm::DenseSet<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> loops;
};
} // namespace

static std::optional<unsigned> findResult(AffineMap map, unsigned loop) {
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() == loop)
      return position;
  return std::nullopt;
}

/// The loop of `op` that walks dimension `position` of its result `value`.
static std::optional<unsigned> loopOfResult(LinalgOp op, Value value,
                                            unsigned position) {
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(value));
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(position));
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

bool LoopTracer::traceOperand(LinalgOp op, OpOperand &operand, unsigned loop) {
  Operation *maker = operand.get().getDefiningOp();
  if (!maker || !ops.contains(maker))
    return true;
  auto producer = dyn_cast<LinalgOp>(maker);
  std::optional<unsigned> position =
      findResult(op.getMatchingIndexingMap(&operand), loop);
  if (!producer || !position)
    return false;
  std::optional<unsigned> its =
      loopOfResult(producer, operand.get(), *position);
  return its && trace(producer, *its);
}

bool LoopTracer::trace(LinalgOp op, unsigned loop) {
  auto [entry, isNew] = loops.try_emplace(op, loop);
  if (!isNew)
    return entry->second == loop;
  if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return traceOperand(op, operand, loop);
  });
}

/// The anchor's loop for `loop` of the last root, in each stage; nothing where
/// it is no loop of all of them.
static std::optional<llvm::SmallVector<unsigned>>
traceThroughStages(llvm::ArrayRef<Stage> stages, LinalgOp root, unsigned loop) {
  LoopTracer tracer(stages);
  llvm::SmallVector<unsigned> found;
  if (!tracer.trace(root, loop))
    return std::nullopt;
  for (const Stage &stage : stages) {
    std::optional<unsigned> its = tracer.loopOf(stage.anchor);
    if (!its)
      return std::nullopt;
    found.push_back(*its);
  }
  return found;
}

namespace {
/// A loop around all stages: of each stage's anchor the loop that it cuts.
using CutLoops = llvm::SmallVector<unsigned>;
} // namespace

/// The loops of more than one iteration that can be cut, in the order of the
/// last root's.
static llvm::SmallVector<CutLoops> findCuts(llvm::ArrayRef<Stage> stages,
                                            LinalgOp root,
                                            const SubgraphDescriptor &last) {
  llvm::SmallVector<CutLoops> cuts;
  for (unsigned loop = 0; loop < root.getNumLoops(); ++loop) {
    auto found = traceThroughStages(stages, root, loop);
    if (found && last.dims[found->back()].extent != 1 &&
        found->back() != last.resultDims.back())
      cuts.push_back(std::move(*found));
  }
  return cuts;
}

static bool isOfBatch(const CutLoops &cut,
                      const std::vector<SubgraphDescriptor> &descriptions) {
  return llvm::any_of(llvm::zip(cut, descriptions), [](auto pair) {
    auto [loop, description] = pair;
    return description.dims[loop].role == DimRole::Batch;
  });
}

void diffuse::describeStageCuts(llvm::ArrayRef<Stage> stages,
                                std::vector<SubgraphDescriptor> &descriptions) {
  auto root = dyn_cast<LinalgOp>(stages.back().root);
  if (!root)
    return;
  llvm::SmallVector<CutLoops> cuts =
      findCuts(stages, root, descriptions.back());
  auto roleOf = [&](const CutLoops &cut, size_t stage) {
    return descriptions[stage].dims[cut[stage]].role;
  };
  // Rows, not the blocks of columns that are a loop too.
  llvm::SmallVector<CutLoops> rows;
  for (const CutLoops &cut : cuts)
    if (!isOfBatch(cut, descriptions) &&
        (rows.empty() ||
         roleOf(cut, cut.size() - 1) == roleOf(rows.front(), cut.size() - 1)))
      rows.push_back(cut);
  // Whole rows of an image, since windows reach over their neighbours; of
  // other loops over rows the innermost.
  size_t block = rows.empty() || roleOf(rows.front(), 0) == DimRole::Image
                     ? 0
                     : rows.size() - 1;
  for (size_t stage = 0; stage < descriptions.size(); ++stage) {
    for (const CutLoops &cut : cuts)
      if (isOfBatch(cut, descriptions))
        descriptions[stage].batchLoops.push_back(cut[stage]);
    for (size_t row = 0; row < rows.size() && row <= block; ++row)
      if (row == block)
        descriptions[stage].blockLoop = rows[row][stage];
      else
        descriptions[stage].batchLoops.push_back(rows[row][stage]);
  }
}
