// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sequences are found by name only, without the transform dialect's
// classes: what an op must be to be run is the interpreter's business.

#include "Diffuse/IR/ScheduleLookup.h"

#include "Diffuse/IR/Names.h"
#include "mlir/IR/SymbolTable.h"

using namespace diffuse;
using namespace mlir;

std::string diffuse::replaceScheduleSuffix(llvm::StringRef tensorSequence,
                                           llvm::StringRef suffix) {
  llvm::StringRef stem = tensorSequence;
  if (!stem.consume_back(kTensorSuffix))
    return std::string();
  return (stem + suffix).str();
}

FailureOr<ScheduleSequences> diffuse::lookupSchedule(func::FuncOp function) {
  Attribute attribute = function->getAttr(kScheduleAttr);
  if (!attribute)
    return ScheduleSequences();
  auto reference = dyn_cast<SymbolRefAttr>(attribute);
  if (!reference || reference.getNestedReferences().size() != 1)
    return function.emitError()
           << "expected '" << kScheduleAttr << "' to be a reference like @"
           << kSchedulesModule << "::@NAME" << kTensorSuffix << ", but it is "
           << attribute;
  ScheduleSequences sequences;
  Operation *scope =
      SymbolTable::getNearestSymbolTable(function->getParentOp());
  sequences.library = dyn_cast_or_null<ModuleOp>(
      SymbolTable::lookupSymbolIn(scope, reference.getRootReference()));
  if (!sequences.library)
    return function.emitError()
           << "'" << kScheduleAttr << "' refers to the module @"
           << reference.getRootReference().getValue()
           << ", which does not exist";
  llvm::StringRef name = reference.getLeafReference().getValue();
  auto find = [&](llvm::StringRef suffix) -> Operation * {
    std::string sibling = replaceScheduleSuffix(name, suffix);
    if (sibling.empty())
      return nullptr;
    return SymbolTable::lookupSymbolIn(sequences.library, sibling);
  };
  sequences.tensor = SymbolTable::lookupSymbolIn(sequences.library, name);
  sequences.prepare = find(kPrepareSuffix);
  sequences.vector = find(kVectorSuffix);
  if (!sequences.tensor) {
    InFlightDiagnostic error = function.emitError()
                               << "'" << kScheduleAttr
                               << "' refers to the sequence @" << name
                               << ", which does not exist";
    error.attachNote(sequences.library.getLoc()) << "looked for it here";
    return error;
  }
  return sequences;
}
