// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes of IR: some that change nothing of what it means and says, and
// single ones that do.

#ifndef DIFFUSE_UNITTESTS_ANALYSIS_RANDOMEDITS_H
#define DIFFUSE_UNITTESTS_ANALYSIS_RANDOMEDITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <random>
#include <string>

namespace diffuse {

/// Renames `function`, puts the ops of each block in another order that defines
/// values before their uses, moves locations, and adds foreign attributes.
void disguise(mlir::func::FuncOp function, std::mt19937_64 &random);

/// Makes one random change that another schedule or another code could follow
/// from, and returns what it did. The IR need not be valid afterwards.
std::string editOnce(mlir::func::FuncOp function, std::mt19937_64 &random);

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_ANALYSIS_RANDOMEDITS_H
