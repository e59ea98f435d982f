// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workspaces of subgraphs are placed among the buffers of the entry.

#include "CompileAndLoad.h"

#include "Diffuse/Codegen/CompileModule.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;

/// Bytes of the one tensor type that all functions here are of.
static constexpr uint64_t kBytes = 4096 * 4;

/// The second op reads any element of the first one's result, which so has to
/// be in memory: the subgraph needs a workspace.
static constexpr char kSubgraph[] = R"mlir(
#id = affine_map<(d0) -> (d0)>
func.func private @step(%a: tensor<4096xf32>, %d: tensor<4096xf32> {diffuse.destination})
    -> tensor<4096xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.sqrt %in : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%s : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %last = arith.constant 4095 : index
    %j = arith.subi %last, %i : index
    %o = tensor.extract %s[%j] : tensor<4096xf32>
    %r = arith.addf %in, %o : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  %m = bufferization.materialize_in_destination %t in %d : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %m : tensor<4096xf32>
}
)mlir";

static CompiledModule compile(llvm::StringRef text) {
  Compilation compilation;
  auto module = compilation.parse(kSubgraph + text.str());
  EXPECT_TRUE(module) << compilation.diagnostics;
  auto compiled = compilation.compileModule(*module);
  EXPECT_TRUE(mlir::succeeded(compiled)) << compilation.diagnostics;
  return mlir::succeeded(compiled) ? std::move(*compiled) : CompiledModule();
}

TEST(Workspace, IsInUseDuringItsCall) {
  CompiledModule module = compile(R"mlir(
func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %0 = call @step(%x, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %1 = call @step(%0, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %2 = call @step(%1, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %2 : tensor<4096xf32>
})mlir");
  ASSERT_EQ(module.subgraphs.size(), 1u);
  EXPECT_EQ(module.subgraphs[0].workspaceBytes, kBytes);
  // The middle call reads one temporary, writes another and needs its own.
  EXPECT_EQ(module.entry.liveBytes, kEntryHeaderBytes + 3 * kBytes);
  EXPECT_EQ(module.entry.workspaceBytes, module.entry.liveBytes);
}

TEST(Workspace, IsSharedInsideALoop) {
  CompiledModule module = compile(R"mlir(
func.func @main(%x: tensor<4096xf32>, %n: index) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4096xf32> {
    %0 = func.call @step(%v, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %1 = func.call @step(%0, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %2 = func.call @step(%1, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    %3 = func.call @step(%2, %e) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    scf.yield %3 : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
})mlir");
  // Beside what a trip carries on, no more than in a row.
  EXPECT_LE(module.entry.workspaceBytes, kEntryHeaderBytes + 5 * kBytes);
  EXPECT_GE(module.entry.workspaceBytes, module.entry.liveBytes);
}
