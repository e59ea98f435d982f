// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kept as text: it is what outlining leaves.

#include "TestSubgraphs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

using namespace diffuse;
using namespace mlir;

const llvm::StringLiteral diffuse::testSubgraphs = R"mlir(
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func private @contraction(%x: tensor<8x4xf32>, %w: tensor<4x6xf32> {diffuse.parameter}, %bias: tensor<6xf32> {diffuse.parameter}, %d: tensor<8x6xf32> {diffuse.destination}) -> tensor<8x6xf32> attributes {diffuse.subgraph, no_inline, diffuse.calls = 3 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x6xf32>
  %f = linalg.fill {diffuse.prologue} ins(%zero : f32) outs(%e : tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x4xf32>, tensor<4x6xf32>) outs(%f : tensor<8x6xf32>) attrs = {diffuse.anchor} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<8x6xf32>, tensor<6xf32>) outs(%d : tensor<8x6xf32>) attrs = {diffuse.epilogue, diffuse.root} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %g = arith.cmpf ugt, %s, %zero : f32
    %r = arith.select %g, %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x6xf32>
  %2 = bufferization.materialize_in_destination %1 in %d : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}
func.func private @convolution(%x: tensor<1x4x9x9xf32>, %w: tensor<8x4x3x3xf32> {diffuse.parameter}, %d: tensor<1x8x5x5xf32> {diffuse.destination}) -> tensor<1x8x5x5xf32> attributes {diffuse.subgraph, no_inline} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %pad = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } {diffuse.prologue} : tensor<1x4x9x9xf32> to tensor<1x4x11x11xf32>
  %e = tensor.empty() : tensor<1x8x5x5xf32>
  %f = linalg.fill {diffuse.prologue} ins(%one : f32) outs(%e : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %0 = linalg.conv_2d_nchw_fchw {diffuse.anchor, dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%pad, %w : tensor<1x4x11x11xf32>, tensor<8x4x3x3xf32>) outs(%f : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %1 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0 : tensor<1x8x5x5xf32>) outs(%d : tensor<1x8x5x5xf32>) attrs = {diffuse.epilogue, diffuse.root} {
  ^bb0(%p: f32, %o: f32):
    %n = arith.negf %p : f32
    %x0 = math.exp %n : f32
    %s = arith.addf %x0, %one : f32
    %v = arith.divf %p, %s : f32
    linalg.yield %v : f32
  } -> tensor<1x8x5x5xf32>
  %2 = bufferization.materialize_in_destination %1 in %d : (tensor<1x8x5x5xf32>, tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  return %2 : tensor<1x8x5x5xf32>
}
func.func private @reduction(%x: tensor<?x16xf32>, %d: tensor<?xf32> {diffuse.destination}) -> tensor<?xf32> attributes {diffuse.subgraph, no_inline} {
  %low = arith.constant 0xFF800000 : f32
  %f = linalg.fill {diffuse.prologue} ins(%low : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x16xf32>) outs(%f : tensor<?xf32>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%p: f32, %o: f32):
    %m = arith.maximumf %p, %o : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func private @elementwise(%x: tensor<8x16xf32>, %m: tensor<8xf32>, %d: tensor<8x16xf32> {diffuse.destination}) -> tensor<8x16xf32> attributes {diffuse.subgraph, no_inline} {
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<8x16xf32>, tensor<8xf32>) outs(%d : tensor<8x16xf32>) attrs = {diffuse.anchor, diffuse.root} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    %y = math.exp %s : f32
    linalg.yield %y : f32
  } -> tensor<8x16xf32>
  %1 = bufferization.materialize_in_destination %0 in %d : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
)mlir";

void diffuse::loadTestDialects(MLIRContext &context) {
  context.allowUnregisteredDialects();
  context.loadDialect<arith::ArithDialect, bufferization::BufferizationDialect,
                      cf::ControlFlowDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      memref::MemRefDialect, scf::SCFDialect,
                      tensor::TensorDialect>();
}

OwningOpRef<ModuleOp> diffuse::parseTest(MLIRContext &context, StringRef text) {
  return parseSourceString<ModuleOp>(text, &context);
}
