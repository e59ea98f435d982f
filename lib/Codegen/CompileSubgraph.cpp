// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CompileSubgraph.h"

#include "BoundaryToBuffers.h"
#include "Bufferize.h"
#include "DecomposeOps.h"
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

/// A module that holds a copy of the function and nothing else.
static OwningOpRef<ModuleOp> isolate(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  module->push_back(function->clone());
  return module;
}

/// A schedule may replace the function operation itself.
static func::FuncOp theFunction(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

static LogicalResult lowerOnTensors(ModuleOp module, ModuleOp schedules,
                                    StringRef sequence) {
  if (schedules &&
      failed(applySequence(theFunction(module), schedules, sequence)))
    return failure();
  if (failed(decomposeOps(module)))
    return failure();
  boundaryToBuffers(theFunction(module));
  return bufferizeModule(module);
}

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
  OwningOpRef<ModuleOp> module = isolate(function);
  if (failed(lowerOnTensors(*module, schedules, tensorSequence)))
    return failure();
  Placement placement =
      placeBuffers(theFunction(*module), {kMaxStackBufferBytes, 0});
  if (placement.ordinaryBuffers && failed(freeBuffers(*module)))
    return failure();
  if (failed(lowerOnBuffers(*module, schedules, tensorSequence, options)) ||
      failed(wrapInUniformInterface(theFunction(*module), symbol)) ||
      failed(convertToLLVMDialect(*module)) || failed(verify(*module)))
    return failure();
  return LoweredSubgraph{std::move(module), placement.workspaceBytes};
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
                        lowered->workspaceBytes};
}
