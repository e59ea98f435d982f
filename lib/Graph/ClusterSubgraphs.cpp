// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster is a family. Its representative is the subgraph in the middle of
// the family, where what is learned reaches the others over the shortest
// distance, and among the middle ones the one that costs most, whose search
// pays by itself. What runs once for each handle is never searched, so it
// represents nobody.

#include "Diffuse/Graph/ClusterSubgraphs.h"

#include "Diffuse/Analysis/CheckConstants.h"
#include "Diffuse/Analysis/SubgraphHash.h"
#include "Diffuse/Analysis/Work.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace diffuse;
using namespace mlir;

static void setHash(func::FuncOp function, StringRef name,
                    const std::string &hash) {
  function->setAttr(name, StringAttr::get(function.getContext(), hash));
}

static LogicalResult checkAnchor(func::FuncOp function) {
  if (findAnchor(function))
    return success();
  return function.emitError()
         << "subgraph has no op with '" << kAnchorAttr << "'";
}

LogicalResult diffuse::hashSubgraphs(ModuleOp module) {
  if (failed(checkConstants(module)))
    return failure();
  for (func::FuncOp function : collectSubgraphs(module)) {
    // What it was is hashed already, where it was hashed at all.
    if (function->hasAttr(kAppliedAttr))
      continue;
    if (failed(checkAnchor(function)))
      return failure();
    setHash(function, kExactHashAttr, computeExactHash(function));
    setHash(function, kStructureHashAttr, computeStructureHash(function));
    setHash(function, kFamilyHashAttr, computeFamilyHash(function));
  }
  return success();
}

/// Work of all calls of `function` together, in the larger of its two
/// currencies: a byte weighs as much as eight operations.
static double getWeight(func::FuncOp function) {
  double work = std::max(countFlops(function), 8 * countBytes(function));
  return std::max(1.0, work) * double(getCalls(function));
}

static double getLogWork(func::FuncOp function) {
  return std::log2(1 + countFlops(function) + countBytes(function));
}

/// Weight over one plus the distance, in powers of two of work, to the weighted
/// middle of the family. The first one wins a draw, so the choice is stable.
static func::FuncOp chooseRepresentative(ArrayRef<func::FuncOp> members) {
  double total = 0, middle = 0;
  for (func::FuncOp member : members) {
    total += getWeight(member);
    middle += getWeight(member) * getLogWork(member);
  }
  middle /= total;
  func::FuncOp best;
  double bestScore = -1;
  for (func::FuncOp member : members) {
    double score =
        getWeight(member) / (1 + std::abs(getLogWork(member) - middle));
    if (score <= bestScore)
      continue;
    best = member;
    bestScore = score;
  }
  return best;
}

LogicalResult diffuse::clusterSubgraphs(ModuleOp module) {
  llvm::SmallVector<func::FuncOp> subgraphs = collectSubgraphs(module);
  // Nothing of a cluster helps those that are scheduled for good, and numbers
  // are given anew.
  llvm::erase_if(subgraphs, [](func::FuncOp function) {
    if (!function->hasAttr(kAppliedAttr))
      return false;
    function->removeAttr(kClusterAttr);
    function->removeAttr(kRepresentativeAttr);
    return true;
  });
  bool hashed = llvm::all_of(subgraphs, [](func::FuncOp function) {
    return function->hasAttr(kFamilyHashAttr);
  });
  if (!hashed && failed(hashSubgraphs(module)))
    return failure();
  llvm::MapVector<Attribute, llvm::SmallVector<func::FuncOp>> families;
  for (func::FuncOp function : subgraphs)
    families[function->getAttr(kFamilyHashAttr)].push_back(function);
  Builder builder(module.getContext());
  for (auto [number, family] : llvm::enumerate(families)) {
    for (func::FuncOp member : family.second) {
      member->setAttr(kClusterAttr, builder.getI64IntegerAttr(number));
      member->removeAttr(kRepresentativeAttr);
    }
    llvm::erase_if(family.second, isOnlyPrepared);
    if (!family.second.empty())
      chooseRepresentative(family.second)
          ->setAttr(kRepresentativeAttr, builder.getUnitAttr());
  }
  return success();
}
