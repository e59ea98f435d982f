// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the file a user names to a compiled module: the steps that
// diffuse-compile and diffuse-run share.

#ifndef DIFFUSE_PIPELINES_COMPILEFILE_H
#define DIFFUSE_PIPELINES_COMPILEFILE_H

#include "Diffuse/Codegen/CompileGpuKernels.h"
#include "Diffuse/Codegen/CompileModule.h"
#include "Diffuse/Graph/PackLayouts.h"
#include "Diffuse/Support/Json.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace mlir {
class SourceMgrDiagnosticHandler;
}

namespace diffuse {

/// Where the schedules of subgraphs come from: the module itself, with the
/// default schedule for those that have none; the default schedule for all; or
/// nowhere, which means plain loops.
enum class ScheduleChoice { Tuned, Default, None };

/// A module from a file, outlined, with the context it lives in. Diagnostics go
/// to standard error with the lines they are about.
class ModuleFile {
public:
  /// Reads `path` (`-`: standard input), checks it and outlines what no
  /// subgraph holds yet, after packing its layouts. Fails with a message
  /// printed: no such file, not MLIR, constants without data, no function
  /// `entry`.
  static mlir::FailureOr<std::unique_ptr<ModuleFile>>
  load(llvm::StringRef path, llvm::StringRef entry,
       const LayoutOptions &layouts);
  ~ModuleFile();

  mlir::ModuleOp module() { return *owned; }
  mlir::func::FuncOp entry() { return entryFunction; }
  bool hasSubgraphs();
  /// Fails, with an error that begins "nothing to `verb`", where the module has
  /// no subgraph and `verb` is not "run" or a run would show no effect.
  mlir::LogicalResult requireWork(llvm::StringRef verb);

private:
  ModuleFile();
  mlir::LogicalResult parse(llvm::StringRef path);
  mlir::LogicalResult outline(llvm::StringRef entry,
                              const LayoutOptions &layouts);

  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  mlir::func::FuncOp entryFunction;
};

struct CompileFileOptions {
  ScheduleChoice schedules = ScheduleChoice::Tuned;
  /// A subgraph without a schedule of its own is an error.
  bool failOnUnscheduled = false;
  CodegenOptions codegen;
};

/// Compiles the entry of `file`. Fails with messages printed.
mlir::FailureOr<CompiledModule> compileFile(ModuleFile &file,
                                            const CompileFileOptions &options);

/// The optimized LLVM IR of the entry and its subgraphs as text. The module of
/// `file` is used up. Fails with messages printed.
mlir::FailureOr<std::string> printFileAsLLVM(ModuleFile &file,
                                             const CompileFileOptions &options);

/// Compiles the subgraphs of `file` to kernels for the GPU of the options; the
/// entry, host code, is not compiled. Fails with messages printed: also where
/// no sketch takes a subgraph, as nothing else schedules for a GPU.
mlir::FailureOr<CompiledKernels>
compileFileToKernels(ModuleFile &file, const CompileFileOptions &options,
                     llvm::StringRef libdevice,
                     std::string *llvmText = nullptr);

/// What the library says of where it comes from: tool, codegen number, LLVM,
/// target, numerics, and `diffuse.provenance` of the module.
Json describeProvenance(ModuleFile &file, const CompileFileOptions &options);

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_COMPILEFILE_H
