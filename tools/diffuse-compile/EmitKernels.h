// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_DIFFUSE_COMPILE_EMITKERNELS_H
#define DIFFUSE_TOOLS_DIFFUSE_COMPILE_EMITKERNELS_H

#include "Options.h"

namespace diffuse {

/// Where it is written how the kernels of `output` are launched.
std::string launchesPath(llvm::StringRef output);

/// Writes PTX or a cubin with all kernels of `file` to the output and beside
/// it, as `<output>.launches.json`, how each is launched. Output to `-` or a
/// device is the kernels alone. Fails with messages printed.
mlir::LogicalResult emitKernels(const CompileOptions &options,
                                ModuleFile &file);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_COMPILE_EMITKERNELS_H
