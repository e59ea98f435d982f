// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact and structure hash are of the IR; the family hash is of what a sketch
// sees of the anchor, so that everything one sketch can schedule in the same
// coordinates lands in one family.

#include "Diffuse/Analysis/SubgraphHash.h"

#include "DataFlowOrder.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "IRSerializer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <set>

using namespace diffuse;
using namespace mlir;

static std::string hashFunction(func::FuncOp function, Extents extents) {
  StableHasher hasher;
  IRSerializer(hasher, extents).addFunction(function);
  return hasher.finish().str();
}

std::string diffuse::computeExactHash(func::FuncOp function) {
  return hashFunction(function, Extents::Exact);
}

std::string diffuse::computeStructureHash(func::FuncOp function) {
  return hashFunction(function, Extents::Masked);
}

/// True when every window dim has extent 1: the convolution sums over channels
/// only.
static bool hasUnitWindow(const DimRoles &roles) {
  return llvm::all_of(roles.dims, [](const DimInfo &dim) {
    return dim.role != DimRole::Window || dim.extent == 1;
  });
}

/// Kind and roles with a unit-window convolution read as a contraction: its
/// image walks the input only, as m does, and its filters are n.
static AnchorKind collectFamilyRoles(const DimRoles &roles,
                                     std::set<DimRole> &set) {
  bool asContraction =
      roles.kind == AnchorKind::Convolution && hasUnitWindow(roles);
  for (const DimInfo &dim : roles.dims) {
    DimRole role = dim.role;
    if (asContraction)
      role = role == DimRole::Image     ? DimRole::M
             : role == DimRole::Filter  ? DimRole::N
             : role == DimRole::Channel ? DimRole::K
             : role == DimRole::Group   ? DimRole::Batch
                                        : role;
    bool isUnitWindow = asContraction && role == DimRole::Window;
    if (role != DimRole::Batch && !isUnitWindow)
      set.insert(role);
  }
  return asContraction ? AnchorKind::Contraction : roles.kind;
}

/// Names of the body's ops where they decide what the result means: all of a
/// sum of products (casts carry the signedness), the combiners of a reduction.
static void addBody(StableHasher &hasher, Operation *anchor, AnchorKind kind) {
  auto op = dyn_cast<linalg::LinalgOp>(anchor);
  if (!op) {
    hasher.addString(anchor->getName().getStringRef());
    return;
  }
  if (kind == AnchorKind::Elementwise || kind == AnchorKind::Movement)
    return;
  auto combiners = findCombiners(op);
  bool whole = kind != AnchorKind::Reduction || failed(combiners);
  if (whole) {
    for (Operation *inner : orderByDataFlow(*op.getBlock()))
      if (!isa<arith::ConstantOp>(inner))
        hasher.addString(inner->getName().getStringRef());
    return;
  }
  for (ArrayRef<Operation *> list : *combiners)
    for (Operation *combiner : list)
      hasher.addString(combiner->getName().getStringRef());
}

/// Element types of the anchor: in order where operands have roles, else as a
/// set.
static void addElementTypes(StableHasher &hasher, Operation *anchor,
                            AnchorKind kind) {
  llvm::SmallVector<std::string> types;
  auto collect = [&](Value value) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (!shaped)
      return;
    StableHasher own;
    IRSerializer(own, Extents::Exact).addType(shaped.getElementType());
    types.push_back(own.finish().str());
  };
  auto style = dyn_cast<DestinationStyleOpInterface>(anchor);
  if (style)
    llvm::for_each(style.getDpsInputs(), collect);
  else
    llvm::for_each(anchor->getOperands(), collect);
  if (kind != AnchorKind::Contraction && kind != AnchorKind::Convolution) {
    llvm::sort(types);
    types.erase(llvm::unique(types), types.end());
  }
  llvm::for_each(anchor->getResults(), collect);
  hasher.addUnsigned(types.size());
  for (const std::string &type : types)
    hasher.addString(type);
}

static void addFamily(StableHasher &hasher, Operation *anchor) {
  DimRoles roles = inferDimRoles(anchor);
  std::set<DimRole> set;
  AnchorKind kind = collectFamilyRoles(roles, set);
  hasher.addString(stringifyAnchorKind(kind));
  hasher.addUnsigned(set.size());
  for (DimRole role : set)
    hasher.addString(stringifyDimRole(role));
  addBody(hasher, anchor, kind);
  addElementTypes(hasher, anchor, kind);
}

std::string diffuse::computeFamilyHash(func::FuncOp function) {
  llvm::SmallVector<Stage> stages = collectStages(function);
  StableHasher hasher;
  if (stages.size() > 1)
    hasher.addUnsigned(stages.size());
  for (const Stage &stage : stages)
    if (stage.anchor)
      addFamily(hasher, stage.anchor);
  return hasher.finish().str();
}
