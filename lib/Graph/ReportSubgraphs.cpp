// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One remark, one line, so that a script can read it too.

#include "Diffuse/Graph/ReportSubgraphs.h"

#include "Diffuse/Analysis/DimRoles.h"
#include "Diffuse/Analysis/Work.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace diffuse;
using namespace mlir;

void diffuse::reportSubgraphs(ModuleOp module) {
  int64_t subgraphs = 0, calls = 0, prepared = 0;
  double total = 0;
  std::map<AnchorKind, double> flops;
  llvm::DenseSet<Attribute> clusters;
  for (func::FuncOp function : collectSubgraphs(module)) {
    ++subgraphs;
    calls += getCalls(function);
    prepared += isOnlyPrepared(function);
    if (Attribute cluster = function->getAttr(kClusterAttr))
      clusters.insert(cluster);
    Operation *anchor = findAnchor(function);
    AnchorKind kind = anchor ? inferDimRoles(anchor).kind : AnchorKind::Other;
    double work = countFlops(function) * double(getCalls(function));
    flops[kind] += work;
    total += work;
  }
  // At the location, not at the op, which would print the whole module.
  InFlightDiagnostic remark = emitRemark(module.getLoc());
  remark << subgraphs << " subgraphs, " << calls << " calls, "
         << clusters.size() << " clusters, "
         << llvm::formatv("{0:f3} GFLOP", total / 1e9).str();
  if (prepared > 0)
    remark << ", " << prepared << " subgraphs run once for each handle";
  for (auto [kind, work] : flops)
    if (work > 0)
      remark << ", " << stringifyAnchorKind(kind)
             << llvm::formatv(" {0:f1} %", 100 * work / total).str();
}
