// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline that ends in one of the project's passes takes the options of that
// pass, as the pass itself reads them: there is no second list to keep equal.

#ifndef DIFFUSE_LIB_PIPELINES_REGISTERPIPELINE_H
#define DIFFUSE_LIB_PIPELINES_REGISTERPIPELINE_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>

namespace diffuse {

/// Makes a pipeline known as `name`. `create` makes its last pass, which reads
/// the options; `addBefore` appends the passes in front of it and is given the
/// text of the options.
void registerPipeline(
    llvm::StringRef name, llvm::StringRef description,
    std::function<std::unique_ptr<mlir::Pass>()> create,
    std::function<void(mlir::OpPassManager &, llvm::StringRef options)>
        addBefore);

/// The value of the option `name`, which holds no space, in a text of options;
/// empty where it is not there.
llvm::StringRef findOption(llvm::StringRef options, llvm::StringRef name);

} // namespace diffuse

#endif // DIFFUSE_LIB_PIPELINES_REGISTERPIPELINE_H
