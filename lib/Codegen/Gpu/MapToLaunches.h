// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel loops to grids of threads:
//
//   scf.forall (%i, %j) = (0, 0) to (126, 512) step (2, 4) { ... }
//       {diffuse.threads_x = 32, diffuse.threads_y = 8}
//
// becomes
//
//   gpu.launch blocks in (4, 8, 1) threads in (32, 8, 1) {
//     %y = block_id y * 8 + thread_id y, %x = block_id x * 32 + thread_id x
//     scf.if %y < 63 { %i = %y * 2, %j = %x * 4 ... }
//   }
//
// Upstream has two ways, and neither serves extents that blocks do not divide:
// map_nested_forall_to_threads takes static bounds only, and tiling of
// scf.parallel with an inbound check multiplies the thread by the step twice,
// so that it drops iterations.

#ifndef DIFFUSE_LIB_CODEGEN_GPU_MAPTOLAUNCHES_H
#define DIFFUSE_LIB_CODEGEN_GPU_MAPTOLAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Replaces each scf.forall at the top level of `function`, which is on
/// buffers. An iteration becomes a thread; the innermost loop runs along x, the
/// next along y, all others along z; where a grid does not reach far enough
/// along y or z, its blocks are numbered along x. A function without such a
/// loop that has few results becomes one thread. Fails with an error at a loop
/// whose bounds are unknown or that is mapped to something already, and at an
/// operation of the function that does work and is in no launch.
mlir::LogicalResult mapToLaunches(mlir::func::FuncOp function);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_GPU_MAPTOLAUNCHES_H
