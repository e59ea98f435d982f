// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduled subgraphs in, PTX with a launch description out. The kernel and its
// description are all that a machine with a GPU needs to run a subgraph: no
// host code is generated.

#ifndef DIFFUSE_CODEGEN_COMPILEGPUKERNELS_H
#define DIFFUSE_CODEGEN_COMPILEGPUKERNELS_H

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Support/Boundary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <string>
#include <vector>

namespace diffuse {

/// How one kernel is started. Its parameters are the arguments of the subgraph
/// in the order of the boundary: for a tensor the device address of its data
/// (row-major, aligned as the element is, overlapping no other), for a scalar
/// its value.
struct KernelLaunch {
  std::string kernel;
  /// Blocks of the grid, threads of a block; x, y, z.
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  /// Shared memory of a block, all of it static: a launch asks for none.
  uint64_t sharedBytes = 0;
};

/// The kernels of one subgraph, to be launched in this order on one stream.
struct SubgraphLaunches {
  std::string subgraph;
  std::vector<KernelLaunch> launches;
  /// The arguments, in the order of the parameters.
  std::vector<BoundaryArgument> boundary;
};

struct CompiledKernels {
  /// PTX text that defines every kernel of `subgraphs`.
  std::string ptx;
  std::vector<SubgraphLaunches> subgraphs;
};

/// One subgraph to compile. The sequences are as compileSubgraph takes them.
struct KernelSource {
  mlir::func::FuncOp function;
  mlir::ModuleOp schedules;
  std::string tensorSequence;
  /// Kernels are called this; from the second of a subgraph on, this and `_1`,
  /// `_2`, ...
  std::string symbol;
};

/// Compiles copies of the functions to one PTX text; the originals stay as they
/// are. After its vector sequence a function consists of
///
///   * scf.forall loops, each of whose iterations becomes a thread: innermost
///     dimension along x, the next along y, all others along z. A block has
///     `diffuse.threads_x`, `_y`, `_z` threads of the loop, 32, 1 and 1 where
///     the loop does not say;
///   * gpu.launch ops, which schedules make by transform.gpu ops.
///
/// Fails, with diagnostics on the context of the function, where other
/// operations do work outside of the kernels, or a kernel needs the math
/// library of the CUDA Toolkit and `libdevice` is empty or cannot be read. The
/// same input gives the same bytes. `llvmText`, where given, receives the LLVM
/// IR that the PTX is made of.
mlir::FailureOr<CompiledKernels>
compileGpuKernels(llvm::ArrayRef<KernelSource> sources,
                  const CodegenOptions &options, llvm::StringRef libdevice,
                  std::string *llvmText = nullptr);

/// Launch descriptions as an array of objects; docs/gpu.md holds an example.
Json launchesToJson(llvm::ArrayRef<SubgraphLaunches> subgraphs);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_COMPILEGPUKERNELS_H
