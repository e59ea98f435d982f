// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subgraphs that the tests of this layer look at.

#ifndef DIFFUSE_UNITTESTS_ANALYSIS_TESTSUBGRAPHS_H
#define DIFFUSE_UNITTESTS_ANALYSIS_TESTSUBGRAPHS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace diffuse {

/// A contraction with fill, bias and activation; a padded convolution with
/// strides; a reduction of a maximum; a softmax-like elementwise op.
extern const llvm::StringLiteral testSubgraphs;

/// Loads the dialects that `testSubgraphs` needs.
void loadTestDialects(mlir::MLIRContext &context);

/// Parses `text`; a null reference, and errors on stderr, when it is wrong.
mlir::OwningOpRef<mlir::ModuleOp> parseTest(mlir::MLIRContext &context,
                                            llvm::StringRef text);

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_ANALYSIS_TESTSUBGRAPHS_H
