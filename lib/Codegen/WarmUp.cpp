// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/WarmUp.h"

#include "mlir/Parser/Parser.h"

using namespace diffuse;
using namespace mlir;

static constexpr llvm::StringLiteral kProduct = R"mlir(
  func.func @product(%a: tensor<9x64xf32>, %b: tensor<64x32xf32>,
                     %c: tensor<9x32xf32> {diffuse.destination})
      -> tensor<9x32xf32> attributes {diffuse.subgraph} {
    %zero = arith.constant 0.0 : f32
    %start = linalg.fill ins(%zero : f32) outs(%c : tensor<9x32xf32>)
        -> tensor<9x32xf32>
    %r = linalg.matmul ins(%a, %b : tensor<9x64xf32>, tensor<64x32xf32>)
        outs(%start : tensor<9x32xf32>) -> tensor<9x32xf32>
    %m = bufferization.materialize_in_destination %r in %c
        : (tensor<9x32xf32>, tensor<9x32xf32>) -> tensor<9x32xf32>
    return %m : tensor<9x32xf32>
  })mlir";

static constexpr llvm::StringLiteral kSchedule = R"mlir(
  transform.named_sequence @product__tensor(
      %func: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %func
        : (!transform.any_op) -> !transform.any_op
    %tile, %outer, %inner = transform.structured.tile_using_for %product
        tile_sizes [4, 0, 1]
        : (!transform.any_op) -> (!transform.any_op,
                                  !transform.op<"scf.for">, !transform.any_op)
    %main, %rest = transform.loop.peel %outer
        : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.apply_patterns to %func {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %all = transform.structured.match interface{LinalgOp} in %func
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %all : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.structured.vectorize %op : !transform.any_op
    }
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  })mlir";

FailureOr<CompiledObject>
diffuse::warmUpCompiler(MLIRContext *context, const CodegenOptions &options) {
  auto product = parseSourceString<ModuleOp>(kProduct, context);
  auto schedule = parseSourceString<ModuleOp>(
      ("module attributes {transform.with_named_sequence} {" + kSchedule + "}")
          .str(),
      context);
  if (!product || !schedule)
    return failure();
  return compileSubgraph(*product->getOps<func::FuncOp>().begin(), *schedule,
                         "product__tensor", options, "warm_up");
}
