// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a subgraph from text, links it and loads it, so that tests can run
// what was generated.

#ifndef DIFFUSE_UNITTESTS_CODEGEN_COMPILEANDLOAD_H
#define DIFFUSE_UNITTESTS_CODEGEN_COMPILEANDLOAD_H

#include "Diffuse/Codegen/CompileModule.h"
#include "Diffuse/Codegen/CompileSubgraph.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <vector>

namespace diffuse::test {

/// A context with everything registered, and the diagnostics it emitted.
class Compilation {
public:
  Compilation();

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);
  /// The first function of `text`, compiled with the schedule of the module
  /// `schedules`, or unscheduled where that is empty.
  mlir::FailureOr<CompiledObject> compile(llvm::StringRef text,
                                          llvm::StringRef schedules = "",
                                          llvm::StringRef sequence = "");

  /// The module from its default entry on, every subgraph unscheduled.
  mlir::FailureOr<CompiledModule> compileModule(mlir::ModuleOp module);

  CodegenOptions options;
  std::string diagnostics;

private:
  std::unique_ptr<mlir::MLIRContext> context;
};

/// A function of the uniform interface in a loaded library.
class LoadedFunction {
public:
  explicit LoadedFunction(const CompiledObject &object);
  ~LoadedFunction();
  LoadedFunction(const LoadedFunction &) = delete;
  LoadedFunction &operator=(const LoadedFunction &) = delete;

  void run(std::vector<void *> buffers, std::vector<int64_t> slots = {}) const;

private:
  using Function = int32_t(void *const *, const int64_t *, void *);
  void *library = nullptr;
  Function *function = nullptr;
  uint64_t workspaceBytes = 0;
};

} // namespace diffuse::test

#endif // DIFFUSE_UNITTESTS_CODEGEN_COMPILEANDLOAD_H
