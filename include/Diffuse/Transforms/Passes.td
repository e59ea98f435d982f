// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass of the project. A pass is one entry here and one file of its name
// in lib/Transforms; docs/passes.md is generated from this file.

#ifndef DIFFUSE_TRANSFORMS_PASSES
#define DIFFUSE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def PackLayoutsPass : Pass<"diffuse-pack-layouts", "::mlir::ModuleOp"> {
  let summary = "Put the channels of activations in blocks of vectors";
  let description = [{
    Rewrites convolutions in NCHW whose filters are parameters, and what follows
    them, to tensors whose channels come in blocks that are the last dimension.
    Elementwise ops, pads, poolings, depthwise convolutions, concatenations and
    reductions go on with blocks, whatever number of readers a value has; where
    an op cannot, the plain form is made once. Connected ops keep blocks where the
    time that these save exceeds that of what has to be moved. Filters are packed by ops on
    parameters alone, which are done once, when a handle is created. Values are
    kept and sums keep their order.

    ```mlir
    %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>) ...
    ```
    becomes, for blocks of 16,
    ```mlir
    %p = linalg.pack %w inner_dims_pos = [0] inner_tiles = [16] into %e
        : tensor<16x3x3x3xf32> -> tensor<1x3x3x3x16xf32>
    %c = linalg.generic ins(%x, %p : tensor<1x3x8x8xf32>, tensor<1x3x3x3x16xf32>)
        outs(%i : tensor<1x1x6x6x16xf32>) ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "host, cpu:<llvm processor> or nvidia:sm_<number>, which is left as "
           "it is">,
    Option<"always", "always", "bool", "false",
           "also where moving to and from blocks takes longer than they save">,
    Option<"report", "report", "bool", "false",
           "emit a remark for each part of a network that can be in blocks">
  ];
}

def InlineHelpersPass : Pass<"diffuse-inline-helpers", "::mlir::ModuleOp"> {
  let summary = "Dissolve functions into those that call them";
  let description = [{
    Layouts and fusion end where a function ends, and front ends put layers and
    activations into functions of their own. Runs the inliner without patterns in
    between, and drops private functions that nobody calls any more. Leaves
    recursive functions, those marked `no_inline`, and all of a module that is
    outlined already or would become too large.
  }];
}

def OutlineSubgraphsPass
    : Pass<"diffuse-outline-subgraphs", "::mlir::ModuleOp"> {
  let summary = "Move everything that computes or moves tensors into subgraphs";
  let description = [{
    Normalizes linalg, TOSA and elementwise ops on tensors in every function
    with a body, groups them around their reductions, and replaces each group
    by a call to a private function with the attribute `diffuse.subgraph`.
    Identical subgraphs share one function; `diffuse.calls` counts the calls of
    one run. What depends on parameters alone is computed once, when a handle is
    created, and not in a run: such calls do not count, and a subgraph without
    others has 0. Ops with side effects, ops that are not on tensors and other
    dialects stay where they are, and so do free reshapes, slices and control
    flow.

    Groups that form a named pattern (depthwise_pointwise, attention, gated_mlp)
    become one subgraph of several stages where that pays, and `diffuse.stage`
    on its ops says which they belong to.

    ```mlir
    %e = tensor.empty() : tensor<8x6xf32>
    %r = call @subgraph_0_contraction(%a, %w, %e)
        : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
    ```
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "Print counts and the share of work by kind as a remark on the "
           "module">,
    Option<"pads", "pads", "bool", "true",
           "Whether the subgraph that computes a value writes it into the "
           "tensor that pads it; false leaves pads to those that read them">,
    Option<"patterns", "patterns", "::diffuse::PatternJoining",
           "::diffuse::PatternJoining::WherePays",
           "Which groups that form a named pattern become one subgraph of "
           "several stages; needs pads", [{::llvm::cl::values(
             clEnumValN(::diffuse::PatternJoining::Never, "never", "none"),
             clEnumValN(::diffuse::PatternJoining::WherePays, "auto",
                        "attention that hands on more than caches hold"),
             clEnumValN(::diffuse::PatternJoining::Always, "always", "all")
           )}]>
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
    cluster: the subgraph to search first. One that no run calls
    (`diffuse.calls = 0`) is never searched and represents no cluster. Computes
    hashes that are absent.
  }];
  let options = [
    Option<"report", "report", "bool", "false",
           "Print counts and the share of work by kind as a remark on the "
           "module">
  ];
}

def TuneSubgraphsPass : Pass<"diffuse-tune-subgraphs", "::mlir::ModuleOp"> {
  let summary = "Search a schedule for every subgraph";
  let description = [{
    Computes hashes and clusters that are absent, searches schedules within the
    budget and stores the best one of each subgraph in the nested module
    `@diffuse_schedules`, referred to by `diffuse.schedule`. Candidates are
    compiled and run in other processes, whose programs are looked for beside
    the tool or the plugin and then on PATH; a candidate that crashes or hangs
    is a record. A budget of 0 applies records and default schedules and
    measures nothing. Subgraphs that no run calls (`diffuse.calls = 0`) are left
    as they are and get the default schedule when they are lowered.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "host or cpu:<llvm processor>">,
    Option<"budget", "budget", "std::string", "\"60s\"",
           "A time (90s, 5m, 2h) or a number of measurements">,
    Option<"strategy", "strategy", "std::string", "\"diffusion\"",
           "diffusion, copy, random or exhaustive">,
    Option<"records", "records", "std::string", "\"\"",
           "Record file to read and append to; empty keeps none">,
    Option<"numerics", "numerics", "std::string", "\"default\"",
           "strict, default or fast">,
    Option<"measurer", "measurer", "std::string", "\"local\"",
           "local, fake or replay:FILE">,
    ListOption<"sketches", "sketches", "std::string",
               "Files of schedules with open choices, searched beside the "
               "library's">,
    Option<"sketchesOnly", "sketches-only", "bool", "false",
           "Search those of `sketches` alone">,
    Option<"only", "only", "std::string", "\"\"",
           "Regular expression: tune the subgraphs whose names it matches">,
    Option<"seed", "seed", "uint64_t", "0", "Seed of everything random">
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

def ApplySchedulesPass : Pass<"diffuse-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "Run the tensor part of every subgraph's schedule";
  let description = [{
    Interprets the sequence that `diffuse.schedule` of a subgraph names on the
    function and drops the attribute; `diffuse.applied` on the function says
    that it ran. Its hashes then are still those of the function before, it is
    in no cluster when clusters are numbered anew, other passes leave it as it
    is, and it is lowered without another schedule.
    A schedule that does not apply is an
    error that names the subgraph and the op; with `keep` it is a warning, and
    the function stays as it was.
  }];
  let options = [
    Option<"keep", "keep", "bool", "false",
           "Keep a subgraph whose schedule does not apply, with a warning">
  ];
}

def LowerToLLVMPass : Pass<"diffuse-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower an entry and its subgraphs to the LLVM dialect";
  let description = [{
    Applies the schedules that subgraphs refer to, turns boundaries into
    buffers, bufferizes each subgraph by itself, plans the buffers of the entry
    and lowers all of it to the LLVM dialect. Subgraphs without a schedule
    become plain loops. What is left is `diffuse_entry` and one function for
    each subgraph, all of the type

    ```c
    int32_t symbol(void *const *buffers, const int64_t *slots, void *workspace);
    ```

    Where the entry computes something from parameters alone there is
    `diffuse_prepare` of the same type too, to be called once. It takes the
    parameters of the entry, in their order, and then the buffers that it
    writes; `diffuse_entry` takes these after its own arguments and before its
    results, and reads them.
  }];
  let options = [
    Option<"entry", "entry", "std::string", "\"\"",
           "Function that a run starts at; main by default">,
    Option<"target", "target", "std::string", "\"host\"",
           "host or cpu:<llvm processor>">,
    Option<"numerics", "numerics", "std::string", "\"default\"",
           "strict, default or fast">
  ];
}

def LowerToNVVMPass : Pass<"diffuse-lower-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Compile the subgraphs to GPU kernels in gpu.binary ops";
  let description = [{
    Adds a `gpu.binary` for each subgraph, named after it, with the kernels that
    its schedule gives, as PTX or as a cubin. The properties of the object say
    how the kernels are launched: their parameters are the arguments of the
    subgraph. A subgraph without `diffuse.schedule` gets the default schedule
    for the target; one that no sketch for the target takes is an error.
    Functions and calls stay as they are: no host code is generated.

    ```mlir
    gpu.binary @subgraph_0_contraction_kernels [
      #gpu.object<#nvvm.target<chip = "sm_80", features = "+ptx80">,
                  properties = {launches = [
                    {block = [32, 8, 1], grid = [2, 2, 1],
                     kernel = "subgraph_0_contraction", shared_bytes = 0} ]},
                  assembly = "...">]
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"nvidia:sm_80\"",
           "nvidia:sm_80 or nvidia:sm_90">,
    Option<"format", "format", "std::string", "\"ptx\"",
           "ptx, or cubin, which needs ptxas of the CUDA Toolkit">,
    Option<"numerics", "numerics", "std::string", "\"default\"",
           "strict, default or fast">,
    Option<"cudaHome", "cuda-home", "std::string", "\"\"",
           "Folder of the CUDA Toolkit; empty: looked for on PATH and in "
           "/usr/local/cuda">
  ];
}

#endif // DIFFUSE_TRANSFORMS_PASSES
