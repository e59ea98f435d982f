// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of Normalize, one file each.

#ifndef DIFFUSE_LIB_GRAPH_NORMALIZEPATTERNS_H
#define DIFFUSE_LIB_GRAPH_NORMALIZEPATTERNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace diffuse {

/// Pads by negative amounts as slices that are padded by what is left.
void cropNegativePads(mlir::func::FuncOp function);

/// TOSA, elementwise ops on tensors, softmax and splats to linalg; every named
/// op that is no fill, convolution or pooling to its generic form.
llvm::LogicalResult convertToLinalg(mlir::func::FuncOp function);

/// Generics in their plainest form: no dead results, no init that is not read,
/// elementwise reads through ins, elementwise loops in the order of the result.
void populateSimplifyPatterns(mlir::RewritePatternSet &patterns);

/// One way to index a dimension of extent 1.
void populateDropUnitIndicesPatterns(mlir::RewritePatternSet &patterns);

/// Broadcasts and transposes folded into the maps of what reads them.
void populateFoldMovementPatterns(mlir::RewritePatternSet &patterns);

/// Contractions with loops in the order batch, m, n, k, neighbours merged.
void populateContractionPatterns(mlir::RewritePatternSet &patterns);

/// Pointwise convolutions to contractions, where the input is as large as the
/// result.
void populatePointwiseConvolutionPatterns(mlir::RewritePatternSet &patterns);

/// Free reshapes moved out of the way: down through elementwise ops, up through
/// broadcasts and transposes, inverse pairs cancelled.
void populateReshapePatterns(mlir::RewritePatternSet &patterns);

/// Elementwise ops fused into the elementwise op or reduction that alone reads
/// them.
void populateFusionPatterns(mlir::RewritePatternSet &patterns);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_NORMALIZEPATTERNS_H
