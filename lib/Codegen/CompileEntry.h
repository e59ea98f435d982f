// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that calls the subgraphs: it computes next to nothing, and what
// matters is where its buffers lie. What depends on parameters alone becomes a
// function of its own, which runs once and not in every run.

#ifndef DIFFUSE_LIB_CODEGEN_COMPILEENTRY_H
#define DIFFUSE_LIB_CODEGEN_COMPILEENTRY_H

#include "SubgraphCalls.h"

#include "Diffuse/Codegen/CompileModule.h"

namespace diffuse {

struct CompiledEntry {
  CompiledObject object;
  /// Empty where all extents of results are static.
  std::string extentsSymbol;
  /// Empty where nothing depends on parameters alone.
  std::string prepareSymbol;
  /// Sizes of the buffers that preparing writes.
  std::vector<uint64_t> preparedBytes;
  /// Names of the called subgraphs, in a run and in preparing; a call is known
  /// by its position.
  llvm::SmallVector<std::string> calls, preparations;
  std::vector<std::string> externals;
  std::string ordinaryBuffers;
};

/// Lowers `module`, as prepareEntry leaves it, to the LLVM dialect, in place.
/// The object of the result is empty.
mlir::FailureOr<CompiledEntry> lowerEntry(mlir::ModuleOp module,
                                          llvm::StringRef entry,
                                          const SubgraphSymbols &symbols,
                                          const CodegenOptions &options);

/// lowerEntry and the object of what it leaves.
mlir::FailureOr<CompiledEntry> compileEntry(mlir::ModuleOp module,
                                            llvm::StringRef entry,
                                            const SubgraphSymbols &symbols,
                                            const CodegenOptions &options);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_COMPILEENTRY_H
