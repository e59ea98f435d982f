// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy rewriting with patterns of our own, without folding: canonicalization
// of whole modules would touch what is not ours and folds packs with a tile of
// 0 into a division by zero. Fusion comes last, when reshapes are out of the
// way.

#include "Diffuse/Graph/Normalize.h"

#include "Diffuse/IR/SubgraphFunction.h"
#include "NormalizePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace diffuse;
using namespace mlir;

/// Each pattern lowers a count of loops, operands or ops above a reshape, so
/// rewriting ends by itself. One sweep may rewrite without end where a pattern
/// does not, so sweeps are not all that is limited.
static void applyPatterns(func::FuncOp function, NormalizeLimits limits,
                          RewritePatternSet patterns) {
  int64_t ops = 0;
  function.walk([&](Operation *) { ++ops; });
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setMaxIterations(limits.sweeps)
      .setMaxNumRewrites(ops * limits.rewritesPerOp);
  if (failed(applyPatternsGreedily(function, std::move(patterns), config)))
    function.emitWarning()
        << "normalization did not settle within " << limits.sweeps
        << " sweeps of " << ops * limits.rewritesPerOp
        << " rewrites; subgraphs are cut from what it reached";
}

static void populateAllButFusion(RewritePatternSet &patterns) {
  populateSimplifyPatterns(patterns);
  populateDropUnitIndicesPatterns(patterns);
  populateFoldMovementPatterns(patterns);
  populateContractionPatterns(patterns);
  populatePointwiseConvolutionPatterns(patterns);
  populateReshapePatterns(patterns);
}

LogicalResult diffuse::normalizeModule(ModuleOp module,
                                       NormalizeLimits limits) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || isSubgraph(function))
      continue;
    if (failed(convertToLinalg(function)))
      return failure();
    RewritePatternSet first(module.getContext());
    populateAllButFusion(first);
    applyPatterns(function, limits, std::move(first));
    RewritePatternSet second(module.getContext());
    populateAllButFusion(second);
    populateFusionPatterns(second);
    applyPatterns(function, limits, std::move(second));
  }
  return success();
}
