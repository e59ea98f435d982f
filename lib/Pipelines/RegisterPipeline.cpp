// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterPipeline.h"

#include "mlir/Pass/PassRegistry.h"

using namespace diffuse;
using namespace mlir;

/// The passes in front know one option of the last pass, which alone reads the
/// text: `target`, whose values hold no space.
static llvm::StringRef findTarget(llvm::StringRef options) {
  llvm::SmallVector<llvm::StringRef> words;
  options.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::StringRef target;
  for (llvm::StringRef word : words)
    if (word.consume_front("target="))
      target = word;
  return target;
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
        addBefore(manager, findTarget(options));
        manager.addPass(std::move(pass));
        return success();
      };
  // Of options, help can only list those that the pipeline would hold itself.
  registerPassPipeline(name, description, build, [](auto) {});
}
