// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterPipeline.h"

#include "mlir/Pass/PassRegistry.h"

using namespace diffuse;
using namespace mlir;

llvm::StringRef diffuse::findOption(llvm::StringRef options,
                                    llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> words;
  options.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::StringRef value;
  for (llvm::StringRef word : words)
    if (word.consume_front(name) && word.consume_front("="))
      value = word;
  return value;
}

void diffuse::registerPipeline(
    llvm::StringRef name, llvm::StringRef description,
    std::function<std::unique_ptr<Pass>()> create,
    std::function<void(OpPassManager &, llvm::StringRef)> addBefore) {
  auto build =
      [create, addBefore](
          OpPassManager &manager, llvm::StringRef options,
          llvm::function_ref<LogicalResult(const llvm::Twine &)> onError) {
        std::unique_ptr<Pass> pass = create();
        if (failed(pass->initializeOptions(options, onError)))
          return failure();
        addBefore(manager, options);
        manager.addPass(std::move(pass));
        return success();
      };
  // Of options, help can only list those that the pipeline would hold itself.
  registerPassPipeline(name, description, build, [](auto) {});
}
