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

/// Rewriting ends by itself (each pattern lowers a count of loops, operands or
/// ops above a reshape); the limit only keeps a mistake from hanging.
static constexpr int64_t maxIterations = 16;

static void applyPatterns(func::FuncOp function, RewritePatternSet patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setMaxIterations(maxIterations);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
}

static void populateAllButFusion(RewritePatternSet &patterns) {
  populateSimplifyPatterns(patterns);
  populateDropUnitIndicesPatterns(patterns);
  populateFoldMovementPatterns(patterns);
  populateContractionPatterns(patterns);
  populateReshapePatterns(patterns);
}

LogicalResult diffuse::normalizeModule(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || isSubgraph(function))
      continue;
    if (failed(convertToLinalg(function)))
      return failure();
    RewritePatternSet first(module.getContext());
    populateAllButFusion(first);
    applyPatterns(function, std::move(first));
    RewritePatternSet second(module.getContext());
    populateAllButFusion(second);
    populateFusionPatterns(second);
    applyPatterns(function, std::move(second));
  }
  return success();
}
