// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the normal form is, the lit tests say; here is what happens where it is
// not reached.

#include "Diffuse/Graph/Normalize.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace diffuse;
using namespace mlir;

TEST(Normalize, SaysThatItDidNotSettle) {
  DialectRegistry registry;
  registerGraphDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(R"mlir(
func.func @main(%a: tensor<1x8x4xf32>, %b: tensor<1x4x6xf32>, %c: tensor<1x8x6xf32>) -> tensor<1x8x6xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<1x8x4xf32>, tensor<1x4x6xf32>) outs(%c : tensor<1x8x6xf32>) -> tensor<1x8x6xf32>
  return %0 : tensor<1x8x6xf32>
}
)mlir",
                                            &context);
  ASSERT_TRUE(module);
  llvm::SmallVector<std::string> messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages.push_back(diagnostic.str());
    return success();
  });
  EXPECT_TRUE(succeeded(normalizeModule(*module, {/*sweeps=*/1})));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.front(),
            "normalization did not settle within 1 sweeps of 6000 rewrites; "
            "subgraphs are cut from what it reached");
  EXPECT_TRUE(succeeded(verify(*module)));
  messages.clear();
  EXPECT_TRUE(succeeded(normalizeModule(*module)));
  EXPECT_TRUE(messages.empty());
}
