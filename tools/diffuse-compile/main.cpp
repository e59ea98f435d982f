// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module to a library with a C interface, or its subgraphs to
// kernels for a GPU. Measures nothing.

#include "EmitFolder.h"
#include "EmitKernels.h"
#include "Options.h"

#include "../common/StandardStreams.h"

#include "Diffuse/Codegen/BuildLibrary.h"
#include "Diffuse/Codegen/CheckParameters.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Interrupt.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <cstdlib>

using namespace diffuse;

static int fail(llvm::Error error, int status) {
  llvm::WithColor::error(llvm::errs(), "diffuse-compile")
      << llvm::toString(std::move(error)) << '\n';
  return status;
}

/// Whether all that is missing are functions of MLIR's runner libraries. Says
/// so: the library then loads only beside them.
static bool needsRunner(const CompiledModule &module) {
  if (module.externals.empty() ||
      !llvm::all_of(module.externals, isRunnerFunction))
    return false;
  llvm::errs() << "note: the module calls '" << module.externals.front()
               << "' of MLIR's runner libraries, which must be loaded before "
                  "this one\n";
  return true;
}

static llvm::Error emit(const CompileOptions &options,
                        const CompiledModule &module, Json provenance) {
  LibraryOptions library;
  library.model = options.model;
  if (!options.parameters.empty()) {
    llvm::SmallString<128> absolute(options.parameters);
    if (std::error_code code = llvm::sys::fs::make_absolute(absolute))
      return llvm::errorCodeToError(code);
    library.embeddedParameters = absolute.str().str();
  }
  library.provenance = std::move(provenance);
  library.allowUndefined = needsRunner(module);
  auto build =
      options.emit == EmitKind::Object ? buildObject : buildSharedLibrary;
  return build(module, library, options.compile.codegen, options.output);
}

static int emitLLVM(const CompileOptions &options, ModuleFile &file) {
  mlir::FailureOr<std::string> text = printFileAsLLVM(file, options.compile);
  if (mlir::failed(text))
    return 1;
  if (llvm::Error error = writeFileAtomically(options.output, *text))
    return fail(std::move(error), 1);
  return 0;
}

static int run(const CompileOptions &options) {
  bool isFolder = options.emit == EmitKind::Schedules;
  if (llvm::Error error = isFolder ? checkFolder(options.output)
                                   : checkWritable(options.output))
    return fail(std::move(error), 1);
  bool isReference = options.compile.schedules == ScheduleChoice::None;
  auto file = ModuleFile::load(options.input, options.entry,
                               {isReference ? Layouts::Plain : options.layouts,
                                options.compile.codegen.target});
  if (mlir::failed(file))
    return 1;
  if (mlir::failed((*file)->requireWork("compile")))
    return 1;
  if (options.embedParameters &&
      mlir::failed(checkParameters((*file)->entry(), options.parameters)))
    return 1;
  if (!options.records.path.empty() &&
      mlir::failed(applyRecords((*file)->module(), options.records)))
    return 1;
  if (isFolder)
    return mlir::failed(emitFolder(options, **file)) ? 1 : 0;
  if (options.emit == EmitKind::Llvm)
    return emitLLVM(options, **file);
  if (options.compile.codegen.target.isGpu())
    return mlir::failed(emitKernels(options, **file)) ? 1 : 0;
  mlir::FailureOr<CompiledModule> module = compileFile(**file, options.compile);
  if (mlir::failed(module))
    return 1;
  if (!module->ordinaryBuffers.empty())
    llvm::errs() << "note: buffers are allocated by each run: "
                 << module->ordinaryBuffers << '\n';
  Json provenance = describeProvenance(**file, options.compile);
  if (llvm::Error error = emit(options, *module, std::move(provenance)))
    return fail(std::move(error), 1);
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  openStandardStreams();
  ignoreFileSizeSignal();
  llvm::Expected<CompileOptions> options = parseCompileOptions(argc, argv);
  if (!options)
    return fail(options.takeError(), 2);
  if (const char *cudaHome = std::getenv("CUDA_HOME"))
    options->cudaHome = cudaHome;
  return closeStandardStreams("diffuse-compile", run(*options));
}
