// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each group of a block becomes a call in the place of its root. Functions are
// compared by exact hash once they are built: that is the one definition of
// equal that schedules and records rely on too.

#include "Diffuse/Graph/OutlineSubgraphs.h"

#include "BuildSubgraph.h"
#include "CountCalls.h"
#include "Diffuse/Analysis/SubgraphHash.h"
#include "Diffuse/Graph/Normalize.h"
#include "Diffuse/IR/EraseDead.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "NamedPatterns.h"
#include "OpKinds.h"
#include "PartImageLoops.h"
#include "TransposeBlocks.h"
#include "WriteIntoPads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/StringMap.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// What is known of the function that is being outlined.
struct FunctionFacts {
  WrittenPads written;
  ParameterValues parameters;
};

/// Outlines the functions of one module.
class Outliner {
public:
  Outliner(ModuleOp module, const OutlineOptions &options);
  LogicalResult run();
  /// True when there are calls that were not there before.
  bool addedCalls() const { return calls != 0; }

private:
  LogicalResult outlineFunction(func::FuncOp function);
  LogicalResult outlineBlock(Block &block, FunctionFacts &facts);
  LogicalResult outlineGroup(const OpGroup &group, FunctionFacts &facts);
  func::FuncOp share(func::FuncOp built);
  std::string makeName(const OpGroup &group) const;

  ModuleOp module;
  OutlineOptions options;
  SymbolTableCollection tables;
  SymbolTable &symbols;
  llvm::StringMap<func::FuncOp> byHash;
  unsigned count = 0;
  unsigned calls = 0;
};
} // namespace

Outliner::Outliner(ModuleOp module, const OutlineOptions &options)
    : module(module), options(options), symbols(tables.getSymbolTable(module)) {
  for (func::FuncOp function : collectSubgraphs(module))
    byHash.try_emplace(computeExactHash(function), function);
}

std::string Outliner::makeName(const OpGroup &group) const {
  std::string work =
      group.pattern.empty() ? getShortName(group.anchor) : group.pattern.str();
  std::string name = ("subgraph_" + llvm::Twine(count) + "_" + work).str();
  std::string unique = name;
  for (unsigned i = 0; symbols.lookup(unique); ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

/// The function of the module that equals `built`, or null.
func::FuncOp Outliner::share(func::FuncOp built) {
  auto [entry, isNew] = byHash.try_emplace(computeExactHash(built), built);
  if (!isNew)
    return entry->second;
  ++count;
  symbols.insert(built);
  return nullptr;
}

/// Extents of result `index` of `op` as values or constants.
static FailureOr<llvm::SmallVector<OpFoldResult>>
getResultSizes(OpBuilder &builder, Operation *op, unsigned index) {
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  if (!style) {
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(builder, op, shapes)))
      return op->emitError() << "cannot tell the extents of result " << index;
    return llvm::SmallVector<OpFoldResult>(shapes[index]);
  }
  // Follow inits up to the tensor they start from, which knows its extents.
  Value init = style.getDpsInitOperand(index)->get();
  while (auto producer = init.getDefiningOp<DestinationStyleOpInterface>())
    init = producer.getTiedOpOperand(cast<OpResult>(init))->get();
  if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return tensor::getMixedSizes(builder, op->getLoc(), init);
}

static FailureOr<Value> createDestination(OpBuilder &builder, OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  llvm::SmallVector<Value> dynamic;
  if (!type.hasStaticShape()) {
    auto sizes =
        getResultSizes(builder, result.getOwner(), result.getResultNumber());
    if (failed(sizes))
      return failure();
    for (auto [dim, size] : llvm::enumerate(*sizes))
      if (type.isDynamicDim(dim))
        dynamic.push_back(
            getValueOrCreateConstantIndexOp(builder, result.getLoc(), size));
  }
  return tensor::EmptyOp::create(builder, result.getLoc(), type, dynamic)
      .getResult();
}

/// A cheap init stays for the groups that repeat it; the rest goes.
static void replaceGroup(const OpGroup &group, func::CallOp call,
                         ParameterValues &parameters) {
  Operation *root = group.root();
  if (isCheapInit(root)) {
    root->getResult(0).replaceUsesWithIf(
        call.getResult(0), [](OpOperand &use) { return !isRepeatedUse(use); });
    return;
  }
  group.last()->replaceAllUsesWith(call.getResults());
  auto erase = [&](Operation *op) {
    parameters.forget(op);
    op->erase();
  };
  if (group.pad)
    erase(group.pad);
  auto eraseStage = [&](const OpGroup &stage) {
    for (Operation *op : llvm::reverse(stage.ops()))
      erase(op);
  };
  eraseStage(group);
  for (const OpGroup &stage : llvm::reverse(group.before))
    eraseStage(stage);
}

LogicalResult Outliner::outlineGroup(const OpGroup &group,
                                     FunctionFacts &facts) {
  Operation *root = group.root();
  OpBuilder builder(root);
  llvm::SmallVector<Value> destinations;
  for (OpResult result : group.last()->getResults()) {
    FailureOr<Value> destination = createDestination(builder, result);
    if (failed(destination))
      return failure();
    destinations.push_back(*destination);
  }
  BuiltSubgraph built =
      buildSubgraph(group, makeName(group), facts.written, facts.parameters);
  func::FuncOp function = share(*built.function);
  if (!function)
    function = built.function.release();
  llvm::SmallVector<Value> operands = built.inputs;
  operands.append(destinations);
  auto call = func::CallOp::create(builder, root->getLoc(), function, operands);
  ++calls;
  replaceGroup(group, call, facts.parameters);
  return success();
}

/// A sum over what happens to be in memory has no defined value, so no check of
/// its candidates can mean anything.
static void warnOfEmptyInits(Block &block) {
  for (auto op : block.getOps<linalg::LinalgOp>()) {
    if (!isReduction(op) || !isOutlinable(op))
      continue;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (init.get().getDefiningOp<tensor::EmptyOp>() &&
          op.payloadUsesValueFromOperand(&init))
        op->emitWarning() << "starts from an empty tensor, so its result is "
                             "not defined";
  }
}

LogicalResult Outliner::outlineBlock(Block &block, FunctionFacts &facts) {
  warnOfEmptyInits(block);
  llvm::SmallVector<OpGroup> groups =
      groupOps(block, facts.written, facts.parameters);
  if (options.matchesPatterns())
    joinNamedPatterns(groups, facts.parameters, options.patterns);
  for (const OpGroup &group : groups)
    if (failed(outlineGroup(group, facts)))
      return failure();
  return success();
}

/// The blocks of `function` that calls may stand in, inner ones first.
static llvm::SmallVector<Block *> collectBlocks(func::FuncOp function) {
  llvm::SmallVector<Block *> blocks;
  function->walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (op != function.getOperation() &&
        !isa_and_nonnull<scf::SCFDialect, affine::AffineDialect>(
            op->getDialect()))
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
  });
  return blocks;
}

LogicalResult Outliner::outlineFunction(func::FuncOp function) {
  llvm::SmallVector<Block *> blocks = collectBlocks(function);
  FunctionFacts facts{{}, ParameterValues(tables)};
  if (options.pads == PadPlacement::Producer)
    facts.written = writeIntoPads(function, blocks);
  // Behind the former, which parts loops too, in the way that pads need.
  if (options.matchesPatterns() && options.patterns == PatternJoining::Always)
    partImageLoops(blocks, facts.written);
  for (Block *block : blocks)
    if (failed(outlineBlock(*block, facts)))
      return failure();
  for (Block *block : blocks)
    eraseDead(*block);
  return success();
}

LogicalResult Outliner::run() {
  for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (!function.isExternal() && !isSubgraph(function) &&
        failed(outlineFunction(function)))
      return failure();
  return success();
}

LogicalResult diffuse::outlineSubgraphs(ModuleOp module,
                                        const OutlineOptions &options) {
  if (failed(normalizeModule(module)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !isSubgraph(function))
      transposeBlocks(function);
  Outliner outliner(module, options);
  if (failed(outliner.run()))
    return failure();
  // What counts were given to subgraphs that nobody calls anew stay.
  bool lacksCounts =
      llvm::any_of(collectSubgraphs(module), [](func::FuncOp function) {
        return !function->hasAttr(kCallsAttr);
      });
  if (outliner.addedCalls() || lacksCounts)
    countCalls(module);
  return success();
}
