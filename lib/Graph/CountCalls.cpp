// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts go from callers to callees. The walk keeps the functions it is inside
// of, so that recursion ends.

#include "CountCalls.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace diffuse;
using namespace mlir;

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

static int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return llvm::AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

/// Product of the extents of one loop op; 1 where a bound is not constant.
static int64_t getTripCount(LoopLikeOpInterface loop) {
  if (std::optional<llvm::APInt> count = loop.getStaticTripCount())
    return count->getLimitedValue(INT64_MAX);
  auto lower = loop.getLoopLowerBounds();
  auto upper = loop.getLoopUpperBounds();
  auto steps = loop.getLoopSteps();
  if (!lower || !upper || !steps)
    return 1;
  int64_t trips = 1;
  for (auto [from, to, step] : llvm::zip_equal(*lower, *upper, *steps)) {
    auto first = getConstantIntValue(from), end = getConstantIntValue(to),
         by = getConstantIntValue(step);
    if (!first || !end || !by || *by <= 0)
      return 1;
    if (*end <= *first)
      return 0;
    // The distance of two int64_t fits in uint64_t.
    uint64_t distance = uint64_t(*end) - uint64_t(*first);
    uint64_t count = llvm::divideCeil(distance, uint64_t(*by));
    trips = multiply(trips, int64_t(std::min<uint64_t>(count, INT64_MAX)));
  }
  return trips;
}

/// Runs of `call` in one run of its function.
static int64_t getRuns(Operation *call) {
  int64_t runs = 1;
  for (Operation *op = call->getParentOp(); op && !isa<func::FuncOp>(op);
       op = op->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      runs = multiply(runs, getTripCount(loop));
  return runs;
}

/// How often each call is done once, when a handle is created, instead of in
/// each run. Runs start at functions that nothing calls.
static llvm::DenseMap<Operation *, int64_t> findPreparations(ModuleOp module) {
  llvm::DenseSet<Attribute> called;
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
  llvm::DenseMap<Operation *, int64_t> preparations;
  for (auto function : module.getOps<func::FuncOp>())
    if (!called.contains(function.getSymNameAttr()))
      for (auto [call, times] : countPreparations(function))
        preparations[call] =
            add(preparations[call], std::min<uint64_t>(times, INT64_MAX));
  return preparations;
}

namespace {
class CallCounter {
public:
  explicit CallCounter(ModuleOp module);
  int64_t count(StringAttr callee);

private:
  struct Site {
    StringAttr caller;
    int64_t runs;
    /// Of all runs of the caller's calls.
    int64_t prepared = 0;
  };
  /// By callee.
  llvm::DenseMap<StringAttr, llvm::SmallVector<Site>> sites;
  llvm::DenseMap<StringAttr, int64_t> counts;
  llvm::DenseSet<StringAttr> inside;
};
} // namespace

CallCounter::CallCounter(ModuleOp module) {
  llvm::DenseMap<Operation *, int64_t> preparations = findPreparations(module);
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](func::CallOp call) {
      sites[call.getCalleeAttr().getAttr()].push_back(
          {function.getSymNameAttr(), getRuns(call),
           preparations.lookup(call)});
    });
}

int64_t CallCounter::count(StringAttr callee) {
  auto found = sites.find(callee);
  if (found == sites.end())
    return 1;
  if (auto known = counts.find(callee); known != counts.end())
    return known->second;
  if (!inside.insert(callee).second)
    return 0;
  int64_t total = 0;
  bool isOnlyPrepared = true;
  for (const Site &site : found->second) {
    int64_t runs = multiply(site.runs, count(site.caller));
    isOnlyPrepared &= site.prepared > 0 && site.prepared >= runs;
    total = add(total, runs - std::min(runs, site.prepared));
  }
  inside.erase(callee);
  // A cycle that nothing outside enters still runs when it is called.
  return counts[callee] = isOnlyPrepared ? 0 : std::max<int64_t>(total, 1);
}

void diffuse::countCalls(ModuleOp module) {
  CallCounter counter(module);
  Type type = IntegerType::get(module.getContext(), 64);
  for (func::FuncOp function : collectSubgraphs(module))
    function->setAttr(
        kCallsAttr,
        IntegerAttr::get(type, counter.count(function.getSymNameAttr())));
}
