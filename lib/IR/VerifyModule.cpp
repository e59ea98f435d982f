// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that span several ops: the boundary of a subgraph, its marks, hashes
// against clusters, and references to schedules. Each check reports all it
// finds, so that one run shows everything.

#include "Diffuse/IR/VerifyModule.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/IR/VerifyMarks.h"
#include "VerifyAttributes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include <map>

using namespace diffuse;
using namespace mlir;

/// Destinations are the last arguments, one for each result, of its type.
static LogicalResult verifyDestinations(func::FuncOp function) {
  unsigned inputs = countInputs(function);
  unsigned results = function.getNumResults();
  if (function.getNumArguments() - inputs != results)
    return function.emitError()
           << "subgraph returns " << results << " values but has "
           << function.getNumArguments() - inputs
           << " arguments from the first '" << kDestinationAttr << "' on";
  for (unsigned i = 0; i < results; ++i) {
    Type expected = function.getResultTypes()[i];
    if (!isDestination(function, inputs + i))
      return function.emitError() << "argument " << inputs + i
                                  << " follows a destination, so it must carry "
                                     "'"
                                  << kDestinationAttr << "'";
    if (function.getArgumentTypes()[inputs + i] != expected)
      return function.emitError() << "destination " << i << " has type "
                                  << function.getArgumentTypes()[inputs + i]
                                  << " but the result has type " << expected;
  }
  return success();
}

/// Each returned value is what materialize_in_destination made of its
/// destination.
static LogicalResult verifyReturn(func::FuncOp function) {
  unsigned inputs = countInputs(function);
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto materialize =
        value.getDefiningOp<bufferization::MaterializeInDestinationOp>();
    if (materialize &&
        materialize.getDest() == function.getArgument(inputs + i))
      continue;
    InFlightDiagnostic error = terminator->emitError()
                               << "result " << i
                               << " is not written into its destination";
    error.attachNote(function.getLoc())
        << "destination is argument " << inputs + i;
    return error;
  }
  return success();
}

/// Exactly one anchor and one root a stage, that fit each other.
static LogicalResult verifyMarks(func::FuncOp function) {
  for (StringRef mark : {kAnchorAttr, kRootAttr}) {
    llvm::SmallDenseMap<int64_t, Operation *> firsts;
    WalkResult result = function.walk([&](Operation *op) {
      if (!op->hasAttr(mark))
        return WalkResult::advance();
      auto [entry, isFirst] = firsts.try_emplace(getStage(op), op);
      if (isFirst)
        return WalkResult::advance();
      InFlightDiagnostic error = op->emitError()
                                 << "second op with '" << mark << "'";
      error.attachNote(entry->second->getLoc()) << "the first is here";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return verifyAnchorAndRoot(function);
}

static LogicalResult verifySubgraph(func::FuncOp function) {
  if (function.isExternal())
    return function.emitError() << "subgraph has no body";
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "subgraph has " << function.getBody().getBlocks().size()
           << " blocks, not 1";
  if (!function->hasAttr("no_inline"))
    return function.emitError()
           << "subgraph lacks 'no_inline', so the inliner would dissolve it";
  if (failed(verifyDestinations(function)))
    return failure();
  // Schedules multiply marked ops (peeled and unrolled loops) and drop others.
  bool scheduled =
      function->hasAttr(kScheduleAttr) || function->hasAttr(kAppliedAttr);
  return failure(failed(verifyReturn(function)) |
                 (!scheduled && failed(verifyMarks(function))));
}

/// Marks mean something inside subgraphs only.
static LogicalResult verifyNoMarks(func::FuncOp function) {
  WalkResult result = function.walk([&](Operation *op) {
    for (StringRef mark :
         {kAnchorAttr, kRootAttr, kEpilogueAttr, kPrologueAttr, kStageAttr}) {
      if (!op->hasAttr(mark))
        continue;
      InFlightDiagnostic error = op->emitError()
                                 << "'" << mark << "' outside of a subgraph";
      error.attachNote(function.getLoc())
          << "this function lacks '" << kSubgraphAttr << "'";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyPlainFunction(func::FuncOp function) {
  for (StringRef name :
       {kCallsAttr, kExactHashAttr, kStructureHashAttr, kFamilyHashAttr,
        kClusterAttr, kRepresentativeAttr, kDefaultFailedAttr, kAppliedAttr})
    if (function->hasAttr(name))
      return function.emitError()
             << "'" << name << "' needs '" << kSubgraphAttr << "'";
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (isDestination(function, i))
      return function.emitError()
             << "argument " << i << " carries '" << kDestinationAttr
             << "', which needs '" << kSubgraphAttr << "' on the function";
  return verifyNoMarks(function);
}

/// One cluster has one family and at most one representative.
static LogicalResult verifyClusters(ArrayRef<func::FuncOp> subgraphs) {
  // Any number may be there, so none is left for the marks of a hash table.
  std::map<int64_t, func::FuncOp> members, representatives;
  bool wrong = false;
  for (func::FuncOp function : subgraphs) {
    auto cluster = function->getAttrOfType<IntegerAttr>(kClusterAttr);
    bool chosen = function->hasAttr(kRepresentativeAttr);
    if (!cluster) {
      if (chosen) {
        function.emitError()
            << "'" << kRepresentativeAttr << "' needs '" << kClusterAttr << "'";
        wrong = true;
      }
      continue;
    }
    auto [member, isFirst] = members.try_emplace(cluster.getInt(), function);
    if (!isFirst && member->second->getAttr(kFamilyHashAttr) !=
                        function->getAttr(kFamilyHashAttr)) {
      InFlightDiagnostic error = function.emitError()
                                 << "cluster " << cluster.getInt()
                                 << " holds two families";
      error.attachNote(member->second.getLoc()) << "the other is here";
      wrong = true;
    }
    if (!chosen)
      continue;
    auto [other, isOnly] =
        representatives.try_emplace(cluster.getInt(), function);
    if (!isOnly) {
      InFlightDiagnostic error = function.emitError()
                                 << "cluster " << cluster.getInt()
                                 << " has two representatives";
      error.attachNote(other->second.getLoc()) << "the other is here";
      wrong = true;
    }
  }
  return failure(wrong);
}

LogicalResult diffuse::verifyModule(ModuleOp module) {
  if (failed(verifyAttributes(module)))
    return failure();
  bool wrong = false;
  llvm::SmallVector<func::FuncOp> subgraphs;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool marked = function->hasAttr(kSubgraphAttr);
    if (marked)
      subgraphs.push_back(function);
    wrong |= failed(marked ? verifySubgraph(function)
                           : verifyPlainFunction(function));
    wrong |= failed(lookupSchedule(function));
  }
  wrong |= failed(verifyClusters(subgraphs));
  return failure(wrong);
}
