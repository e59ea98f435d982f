// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the project uses of the CUDA Toolkit, and only where it is there: the
// assembler ptxas, a program, and the math library libdevice, LLVM bitcode.

#ifndef DIFFUSE_CODEGEN_CUDATOOLKIT_H
#define DIFFUSE_CODEGEN_CUDATOOLKIT_H

#include "Diffuse/Target/TargetDescription.h"

#include "llvm/Support/Error.h"

#include <string>

namespace diffuse {

/// Paths; empty where there is none.
struct CudaToolkit {
  std::string ptxas;
  std::string libdevice;
  /// Where they were looked for, for messages.
  std::string searched;
};

/// Looks in `cudaHome`, the value of CUDA_HOME, and nowhere else; where that is
/// empty, on PATH and in /usr/local/cuda.
CudaToolkit findCudaToolkit(llvm::StringRef cudaHome);

struct Cubin {
  /// ELF for the device.
  std::string bytes;
  /// What `ptxas -v` said: registers, spills and shared memory by kernel.
  std::string report;
};

/// Assembles PTX for the processor of `target`. Fails where the toolkit has no
/// ptxas, naming where it was looked for, and with ptxas's own words where it
/// refuses the text.
llvm::Expected<Cubin> assembleCubin(llvm::StringRef ptx,
                                    const TargetDescription &target,
                                    const CudaToolkit &toolkit);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_CUDATOOLKIT_H
