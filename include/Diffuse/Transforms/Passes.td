// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass of the project. A pass is one entry here and one file of its name
// in lib/Transforms; docs/passes.md is generated from this file.

#ifndef DIFFUSE_TRANSFORMS_PASSES
#define DIFFUSE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def OutlineSubgraphsPass
    : Pass<"diffuse-outline-subgraphs", "::mlir::ModuleOp"> {
  let summary = "Move everything that computes or moves tensors into subgraphs";
  let description = [{
    Normalizes linalg, TOSA and elementwise ops on tensors in every function
    with a body, groups them around their reductions, and replaces each group
    by a call to a private function with the attribute `diffuse.subgraph`.
    Identical subgraphs share one function; `diffuse.calls` counts the calls of
    one run. Ops with side effects, ops that are not on tensors and other
    dialects stay where they are, and so do free reshapes, slices and control
    flow.

    ```mlir
    %e = tensor.empty() : tensor<8x6xf32>
    %r = call @subgraph_0_contraction(%a, %w, %e)
        : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "Print counts and the share of work by kind as a remark on the "
           "module">
  ];
}

def HashSubgraphsPass : Pass<"diffuse-hash-subgraphs", "::mlir::ModuleOp"> {
  let summary = "Set the three hashes of every subgraph";
  let description = [{
    Sets `diffuse.exact_hash` (equal means equal IR), `diffuse.structure_hash`
    (the same without extents) and `diffuse.family_hash` (kind of work of the
    anchor) on every subgraph. A constant without data is an error.
  }];
}

def ClusterSubgraphsPass
    : Pass<"diffuse-cluster-subgraphs", "::mlir::ModuleOp"> {
  let summary = "Number the families of subgraphs and choose representatives";
  let description = [{
    Sets `diffuse.cluster` on every subgraph, numbered in order of first
    appearance of the family, and `diffuse.representative` on one of each
    cluster: the subgraph to search first. Computes hashes that are absent.
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "Print counts and the share of work by kind as a remark on the "
           "module">
  ];
}

def VerifyModulePass : Pass<"diffuse-verify-module", "::mlir::ModuleOp"> {
  let summary = "Report diffuse.* attributes that contradict the IR";
  let description = [{
    Discardable attributes are verified by no dialect. This pass checks places
    and types of all attributes that start with `diffuse.`, the boundary and the
    marks of every subgraph, clusters against hashes, and references to
    schedules.
  }];
}

def ExtractSubgraphPass
    : Pass<"diffuse-extract-subgraph", "::mlir::ModuleOp"> {
  let summary = "Keep one subgraph alone, with a caller";
  let description = [{
    Removes everything but the subgraph `name` and its schedule, and adds a
    public function `@main` that passes its arguments through.
  }];
  let options = [
    Option<"name", "name", "std::string", "\"\"",
           "Symbol of the subgraph to keep">
  ];
}

#endif // DIFFUSE_TRANSFORMS_PASSES
