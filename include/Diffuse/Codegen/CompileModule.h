// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole outlined module in, objects for each subgraph and for the entry out.

#ifndef DIFFUSE_CODEGEN_COMPILEMODULE_H
#define DIFFUSE_CODEGEN_COMPILEMODULE_H

#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Codegen/ExtentRules.h"
#include "Diffuse/Support/Boundary.h"

#include <functional>
#include <vector>

namespace diffuse {

/// The schedule of one subgraph. A null module asks for the unscheduled
/// lowering.
struct SubgraphSchedule {
  mlir::ModuleOp module;
  std::string tensorSequence;
  /// Nobody asked for this one: where it does not apply or compile, plain loops
  /// take its place with a warning.
  bool isDefault = false;
};

/// Answers which schedule a subgraph gets; fails, with an error emitted, where
/// it must have one and has none.
using ScheduleProvider =
    std::function<mlir::FailureOr<SubgraphSchedule>(mlir::func::FuncOp)>;

/// The schedule that `diffuse.schedule` of the subgraph refers to, or none.
mlir::FailureOr<SubgraphSchedule> tunedSchedule(mlir::func::FuncOp subgraph);

/// One call of a subgraph, in program order.
struct ModuleCall {
  std::string subgraph;
  std::string symbol;
};

struct CompiledModule {
  /// The function of the uniform interface that runs the whole model. The
  /// first kEntryHeaderBytes of its workspace hold the profile callback.
  CompiledObject entry;
  std::vector<CompiledObject> subgraphs;
  /// Arguments of the entry, then its results as destinations.
  std::vector<BoundaryArgument> boundary;
  std::vector<ModuleCall> calls;
  /// What depends on parameters alone (Diffuse/IR/Preparation.h) is computed
  /// once: `prepareSymbol`, a function of the uniform interface in the object
  /// of the entry, takes the parameters of the boundary and then a buffer of
  /// each of these sizes, which it writes. The entry reads them: they follow
  /// its own arguments and precede its results. Its workspace is the entry's.
  /// All empty where there is nothing to prepare.
  std::string prepareSymbol;
  std::vector<uint64_t> preparedBytes;
  std::vector<ModuleCall> preparations;
  /// What extents of arguments must satisfy; the C interface checks it.
  std::vector<ExtentRule> extentRules;
  /// Function of the uniform interface, in the object of the entry, that
  /// writes the dynamic extents of the results, 8 bytes each, into the buffers
  /// after the entry's inputs; empty where all extents are static.
  std::string extentsSymbol;
  /// Symbols of functions that the module only declares and the entry calls.
  std::vector<std::string> externals;
  /// Why buffers are allocated by each run instead of planned, or empty.
  std::string ordinaryBuffers;
};

/// Bytes at the start of an entry's workspace that belong to the caller: a
/// `diffuse_call_header` (docs/c-interface.md).
inline constexpr uint64_t kEntryHeaderBytes = 64;

/// Whether `symbol` is a function of MLIR's runner libraries (printMemrefF32,
/// rtclock, ...), which diffuse-run loads by itself.
bool isRunnerFunction(llvm::StringRef symbol);

/// What the code of a subgraph is called, by its exact hash where it has one:
/// letters, digits and underscores that an assembler and a linker take.
std::string subgraphSymbol(mlir::func::FuncOp subgraph);

/// Names the function that a run starts at: `requested`, or else `main`, or
/// else the only public function with a body. Fails with a list on the module.
mlir::FailureOr<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                              llvm::StringRef requested);

/// Fails, with errors emitted, where what `entry` reaches holds data that
/// outlives a run, so that compileModule would refuse it.
mlir::LogicalResult checkEntry(mlir::ModuleOp module, mlir::func::FuncOp entry);

/// Compiles the subgraphs that `entry` reaches and the entry itself; `module`
/// stays as it is. Objects of subgraphs are those that compileSubgraph gives.
/// Fails with diagnostics emitted on the module's context.
mlir::FailureOr<CompiledModule> compileModule(mlir::ModuleOp module,
                                              mlir::func::FuncOp entry,
                                              const ScheduleProvider &schedules,
                                              const CodegenOptions &options);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_COMPILEMODULE_H
