// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CompileSubgraph.h"

#include "BufferizeSubgraph.h"
#include "EmitObject.h"
#include "FreeBuffers.h"
#include "LowerSubgraph.h"
#include "LowerToLLVMDialect.h"
#include "PlaceBuffers.h"
#include "UniformInterface.h"

#include "Diffuse/Codegen/ApplySchedule.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

static LogicalResult lowerOnBuffers(ModuleOp module, ModuleOp schedules,
                                    StringRef sequence,
                                    const CodegenOptions &options) {
  std::string vectors = replaceScheduleSuffix(sequence, kVectorSuffix);
  if (schedules &&
      failed(applySequence(theFunction(module), schedules, vectors)))
    return failure();
  return lowerToLoops(module, options);
}

FailureOr<LoweredSubgraph> diffuse::lowerSubgraph(func::FuncOp function,
                                                  ModuleOp schedules,
                                                  StringRef tensorSequence,
                                                  const CodegenOptions &options,
                                                  StringRef symbol) {
  auto bufferized = bufferizeSubgraph(function, schedules, tensorSequence);
  if (failed(bufferized))
    return failure();
  OwningOpRef<ModuleOp> module = std::move(*bufferized);
  FailureOr<Placement> placement =
      placeBuffers(theFunction(*module), {kMaxStackBufferBytes, 0});
  if (failed(placement))
    return failure();
  if (placement->ordinaryBuffers && failed(freeBuffers(*module)))
    return failure();
  if (failed(lowerOnBuffers(*module, schedules, tensorSequence, options)) ||
      failed(wrapInUniformInterface(theFunction(*module), symbol)) ||
      failed(convertToLLVMDialect(*module)) || failed(verify(*module)))
    return failure();
  return LoweredSubgraph{std::move(module), placement->workspaceBytes,
                         placement->liveBytes};
}

FailureOr<CompiledObject>
diffuse::compileSubgraph(func::FuncOp function, ModuleOp schedules,
                         StringRef tensorSequence,
                         const CodegenOptions &options, StringRef symbol) {
  FailureOr<LoweredSubgraph> lowered =
      lowerSubgraph(function, schedules, tensorSequence, options, symbol);
  if (failed(lowered))
    return failure();
  FailureOr<std::string> object = emitObject(*lowered->module, options);
  if (failed(object))
    return failure();
  return CompiledObject{std::move(*object), symbol.str(),
                        lowered->workspaceBytes, lowered->liveBytes};
}
