// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the marked ops of a subgraph fills its descriptor.

#include "Diffuse/Analysis/DescribeSubgraph.h"

#include "DescribeStages.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "Diffuse/Analysis/ScatteredAccess.h"
#include "Diffuse/Analysis/SubgraphHash.h"
#include "Diffuse/Analysis/Work.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/IR/VerifyMarks.h"
#include "NameAnchor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace diffuse;
using namespace mlir;

StringRef diffuse::stringifyAnchorKind(AnchorKind kind) {
  switch (kind) {
  case AnchorKind::Contraction:
    return "contraction";
  case AnchorKind::Convolution:
    return "convolution";
  case AnchorKind::DepthwiseConvolution:
    return "depthwise_convolution";
  case AnchorKind::Pooling:
    return "pooling";
  case AnchorKind::Reduction:
    return "reduction";
  case AnchorKind::Elementwise:
    return "elementwise";
  case AnchorKind::Movement:
    return "movement";
  case AnchorKind::Other:
    return "other";
  }
  llvm_unreachable("all kinds are named above");
}

StringRef diffuse::stringifyDimRole(DimRole role) {
  switch (role) {
  case DimRole::Batch:
    return "batch";
  case DimRole::M:
    return "m";
  case DimRole::N:
    return "n";
  case DimRole::K:
    return "k";
  case DimRole::Image:
    return "image";
  case DimRole::Window:
    return "window";
  case DimRole::Channel:
    return "channel";
  case DimRole::Filter:
    return "filter";
  case DimRole::Group:
    return "group";
  case DimRole::Parallel:
    return "parallel";
  case DimRole::Reduction:
    return "reduction";
  }
  llvm_unreachable("all roles are named above");
}

/// The loop that result expression `dim` of `op` walks.
static unsigned getLoopOfResult(Operation *op, unsigned dim) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return dim;
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  return expr ? expr.getPosition() : 0;
}

/// Epilogues walk the anchor's result by an identity map, so the loops of the
/// root are the dimensions of the anchor's result.
static void describeResultDims(Operation *anchor, Operation *root,
                               SubgraphDescriptor &descriptor) {
  auto type = dyn_cast<RankedTensorType>(root->getResult(0).getType());
  for (unsigned dim = 0, e = type ? type.getRank() : 0; dim < e; ++dim) {
    unsigned loop = getLoopOfResult(root, dim);
    descriptor.resultDims.push_back(
        root == anchor ? loop : getLoopOfResult(anchor, loop));
  }
}

/// A root that is no linalg op walks its result.
static void describeRootDims(Operation *anchor, Operation *root,
                             SubgraphDescriptor &descriptor) {
  auto rootOp = dyn_cast<linalg::LinalgOp>(root);
  unsigned loops =
      rootOp ? rootOp.getNumLoops() : unsigned(descriptor.resultDims.size());
  for (unsigned loop = 0; loop < loops; ++loop)
    descriptor.rootDims.push_back(
        root == anchor ? loop : getLoopOfResult(anchor, loop));
}

static void describeOperandDims(Operation *anchor,
                                SubgraphDescriptor &descriptor) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(anchor);
  if (!linalgOp)
    return;
  for (OpOperand &operand : anchor->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    SmallVector<int> &loops = descriptor.operandDims.emplace_back();
    for (AffineExpr expr :
         linalgOp.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      loops.push_back(dim ? int(dim.getPosition()) : -1);
    }
  }
}

static void describeType(Type type, std::string &name, unsigned &bits) {
  Type element = getElementTypeOrSelf(type);
  llvm::raw_string_ostream stream(name);
  element.print(stream);
  if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  else if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else
    bits = 64;
}

static void describeElementTypes(Operation *anchor,
                                 SubgraphDescriptor &descriptor) {
  Type result = anchor->getResult(0).getType();
  Type input = result;
  for (Value operand : anchor->getOperands())
    if (isa<ShapedType>(operand.getType())) {
      input = operand.getType();
      break;
    }
  describeType(input, descriptor.elementType, descriptor.elementBits);
  describeType(result, descriptor.accumulatorType, descriptor.accumulatorBits);
}

static bool holdsPartialBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.getElementType().isIntOrFloat() &&
         shaped.getElementTypeBitWidth() % 8 != 0;
}

static void sortUnique(llvm::SmallVector<std::string> &names) {
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
}

/// What sketches find ops by.
static void describeNames(func::FuncOp function,
                          SubgraphDescriptor &descriptor) {
  function.walk([&](Operation *op) {
    descriptor.opNames.push_back(op->getName().getStringRef().str());
    for (NamedAttribute attribute : op->getAttrs())
      descriptor.attributeNames.push_back(attribute.getName().str());
  });
  sortUnique(descriptor.opNames);
  sortUnique(descriptor.attributeNames);
}

/// Whether what is read depends on the position, or all of an anchor does. An
/// epilogue that masks by position is tiled and vectorized as any other.
static bool computesByPosition(linalg::LinalgOp op) {
  bool extracts = op->walk([](tensor::ExtractOp) {
                      return WalkResult::interrupt();
                    }).wasInterrupted();
  return op.hasIndexSemantics() && (op->hasAttr(kAnchorAttr) || extracts);
}

static void describeOp(Operation *op, SubgraphDescriptor &descriptor) {
  descriptor.hasPartialBytes |=
      llvm::any_of(op->getOperandTypes(), holdsPartialBytes) ||
      llvm::any_of(op->getResultTypes(), holdsPartialBytes);
  descriptor.epilogueOps += op->hasAttr(kEpilogueAttr);
  descriptor.prologueOps += op->hasAttr(kPrologueAttr);
  descriptor.hasPad |= isa<tensor::PadOp>(op) && op->hasAttr(kPrologueAttr);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return;
  descriptor.hasIndexSemantics |= computesByPosition(linalgOp);
  descriptor.hasScatteredAccess |= hasScatteredAccess(linalgOp);
  descriptor.hasSideEffects |= !isMemoryEffectFree(op);
  descriptor.mayReorder &= mayReorderReductions(linalgOp);
}

/// Everything but names, work and hashes.
static SubgraphDescriptor describeStage(const Stage &stage) {
  Operation *anchor = stage.anchor, *root = stage.root;
  SubgraphDescriptor descriptor;
  descriptor.anchorOp = anchor->getName().getStringRef().str();
  descriptor.anchorResults = anchor->getNumResults();
  DimRoles roles = inferDimRoles(anchor);
  descriptor.anchor = roles.kind;
  descriptor.dims = roles.dims;
  descriptor.strides = roles.strides;
  descriptor.dilations = roles.dilations;
  describeResultDims(anchor, root, descriptor);
  describeRootDims(anchor, root, descriptor);
  describeOperandDims(anchor, descriptor);
  describeElementTypes(anchor, descriptor);
  for (Operation *op : stage.ops)
    op->walk([&](Operation *inner) { describeOp(inner, descriptor); });
  nameAnchor(anchor, descriptor);
  descriptor.isAnchorRoot = anchor == root;
  return descriptor;
}

/// What the whole subgraph is called and costs.
static void describeWhole(func::FuncOp function,
                          SubgraphDescriptor &descriptor) {
  descriptor.name = function.getName().str();
  descriptor.calls = getCalls(function);
  descriptor.flops = countFlops(function);
  descriptor.bytes = countBytes(function);
  descriptor.exactHash = computeExactHash(function);
  descriptor.structureHash = computeStructureHash(function);
  descriptor.familyHash = computeFamilyHash(function);
  describeNames(function, descriptor);
}

/// The last stage's description with what speaks against schedules of any.
static SubgraphDescriptor
joinStages(std::vector<SubgraphDescriptor> descriptions) {
  SubgraphDescriptor whole = descriptions.back();
  for (const SubgraphDescriptor &stage : descriptions) {
    whole.hasPad |= stage.hasPad;
    whole.hasIndexSemantics |= stage.hasIndexSemantics;
    whole.hasSideEffects |= stage.hasSideEffects;
    whole.hasPartialBytes |= stage.hasPartialBytes;
    whole.hasScatteredAccess |= stage.hasScatteredAccess;
    whole.mayReorder &= stage.mayReorder;
  }
  whole.stages = std::move(descriptions);
  return whole;
}

FailureOr<SubgraphDescriptor> diffuse::describeSubgraph(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError() << "expected a subgraph with a body of one "
                                   "block";
  if (failed(verifyAnchorAndRoot(function)))
    return failure();
  llvm::SmallVector<Stage> stages = collectStages(function);
  std::vector<SubgraphDescriptor> descriptions;
  for (const Stage &stage : stages)
    descriptions.push_back(describeStage(stage));
  SubgraphDescriptor descriptor;
  if (stages.size() == 1) {
    descriptor = std::move(descriptions.front());
  } else {
    describeStageWork(stages, descriptions);
    describeStageCuts(stages, descriptions);
    descriptor = joinStages(std::move(descriptions));
  }
  describeWhole(function, descriptor);
  return descriptor;
}
