// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitKernels.h"

#include "Diffuse/Codegen/CudaToolkit.h"
#include "Diffuse/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace diffuse;

/// A file can have another beside it.
static bool isFile(llvm::StringRef path) {
  return path != "-" &&
         (llvm::sys::fs::is_regular_file(path) || !llvm::sys::fs::exists(path));
}

std::string diffuse::launchesPath(llvm::StringRef output) {
  return (output + ".launches.json").str();
}

static llvm::Error writeLaunches(const CompileOptions &options,
                                 ModuleFile &file,
                                 const CompiledKernels &kernels) {
  if (!isFile(options.output))
    return llvm::Error::success();
  Json description = Json::object();
  description.set("provenance", describeProvenance(file, options.compile));
  description.set("subgraphs", launchesToJson(kernels.subgraphs));
  return writeFileAtomically(launchesPath(options.output),
                             description.dump(2) + "\n");
}

/// Writes the kernels, assembled where a cubin is asked for.
static llvm::Error writeKernels(const CompileOptions &options, ModuleFile &file,
                                const CompiledKernels &kernels,
                                const CudaToolkit &toolkit) {
  std::string bytes = kernels.ptx;
  if (options.emit == EmitKind::Cubin) {
    llvm::Expected<Cubin> cubin =
        assembleCubin(kernels.ptx, options.compile.codegen.target, toolkit);
    if (!cubin)
      return cubin.takeError();
    bytes = std::move(cubin->bytes);
  }
  if (llvm::Error error = writeLaunches(options, file, kernels))
    return error;
  return writeFileAtomically(options.output, bytes);
}

mlir::LogicalResult diffuse::emitKernels(const CompileOptions &options,
                                         ModuleFile &file) {
  CudaToolkit toolkit = findCudaToolkit(options.cudaHome);
  auto kernels = compileFileToKernels(file, options.compile, toolkit.libdevice);
  if (mlir::failed(kernels))
    return mlir::failure();
  if (llvm::Error error = writeKernels(options, file, *kernels, toolkit)) {
    llvm::WithColor::error(llvm::errs(), "diffuse-compile")
        << llvm::toString(std::move(error)) << '\n';
    return mlir::failure();
  }
  return mlir::success();
}
