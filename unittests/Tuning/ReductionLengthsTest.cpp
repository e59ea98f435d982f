// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/ReductionLengths.h"

#include "Diffuse/Codegen/CompileSubgraph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace diffuse;

TEST(ReductionLengths, AreThoseThatEachResultDependsOn) {
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%x: tensor<4x64xf32>, %d0: tensor<4x64xf32>, %d1: tensor<4xf32>, %d2: tensor<4xf32>)
    -> (tensor<4x64xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%d0 : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<4x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<4x64xf32>) outs(%d1 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e, %s : tensor<4x64xf32>, tensor<4xf32>) outs(%d2 : tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %c = arith.subf %a, %m : f32
    %n = arith.addf %o, %c : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %e, %s, %t : tensor<4x64xf32>, tensor<4xf32>, tensor<4xf32>
}
)mlir",
                                                        &context);
  ASSERT_TRUE(module);
  EXPECT_EQ(reductionLengths(*module->getOps<mlir::func::FuncOp>().begin()),
            (std::vector<int64_t>{1, 64, 128}));
}
