// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferizeSubgraph.h"

#include "BoundaryToBuffers.h"
#include "Bufferize.h"
#include "WriteBorders.h"

#include "Diffuse/Codegen/ApplySchedule.h"
#include "Diffuse/Codegen/DecomposeOps.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

/// Without its tensor part a schedule is none: what would be measured is the
/// plain loops.
static LogicalResult applyTensorPart(func::FuncOp function, ModuleOp schedules,
                                     StringRef sequence) {
  FailureOr<bool> applied = applySequence(function, schedules, sequence);
  if (failed(applied))
    return failure();
  if (*applied)
    return success();
  return emitError(schedules.getLoc())
         << "there is no sequence '" << sequence << "' to schedule subgraph '"
         << function.getSymName() << "' with";
}

/// A module that holds a copy of the function and nothing else.
static OwningOpRef<ModuleOp> isolate(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  module->push_back(function->clone());
  return module;
}

FailureOr<OwningOpRef<ModuleOp>>
diffuse::bufferizeSubgraph(func::FuncOp function, ModuleOp schedules,
                           StringRef tensorSequence) {
  OwningOpRef<ModuleOp> module = isolate(function);
  if (schedules &&
      failed(applyTensorPart(theFunction(*module), schedules, tensorSequence)))
    return failure();
  writeBorders(theFunction(*module));
  if (failed(decomposeOps(*module)))
    return failure();
  boundaryToBuffers(theFunction(*module));
  if (failed(bufferizeModule(*module)))
    return failure();
  return module;
}
