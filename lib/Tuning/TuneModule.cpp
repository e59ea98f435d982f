// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/TuneModule.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Support/Version.h"
#include "Diffuse/Tuning/ReductionLengths.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace diffuse;
using namespace mlir;

/// Attributes of a subgraph that speak of its place in a module.
static constexpr llvm::StringLiteral kPlaceAttrs[] = {
    kCallsAttr, kClusterAttr, kRepresentativeAttr, kScheduleAttr,
    kDefaultFailedAttr};

std::string diffuse::subgraphText(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  auto copy = cast<func::FuncOp>(function->clone());
  for (llvm::StringRef attribute : kPlaceAttrs)
    copy->removeAttr(attribute);
  module->push_back(copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

/// Of the arithmetic, what the sketch that covers most of it schedules.
static double coveredShare(const SearchTask &task) {
  double covered = 0, flops = task.descriptor.flops;
  for (const auto *sketches : {&task.sketches, &task.recordedSketches})
    for (const BoundSketch &sketch : *sketches)
      covered = std::max(covered, sketch.coveredFlops());
  return flops > 0 && covered > 0 ? covered / flops : 1;
}

/// The task of a subgraph, or nothing where no sketch takes it.
static FailureOr<bool> addTask(func::FuncOp function,
                               const TargetDescription &target,
                               const SketchSet &sketches, Numerics numerics,
                               bool isWanted, ModuleTasks &result) {
  FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(function);
  if (failed(descriptor))
    return failure();
  double flops = descriptor->flops * static_cast<double>(descriptor->calls);
  result.totalFlops += flops;
  SearchTask search;
  search.descriptor = std::move(*descriptor);
  if (!bindSketches(sketches, target, numerics, search)) {
    result.uncovered.push_back(function.getName().str());
    return false;
  }
  result.coveredFlops += flops * coveredShare(search);
  if (!isWanted)
    return false;
  FailureOr<llvm::SmallVector<BoundaryArgument>> boundary =
      describeBoundary(function);
  if (failed(boundary))
    return failure();
  if (auto cluster = function->getAttrOfType<IntegerAttr>(kClusterAttr))
    search.cluster = static_cast<unsigned>(cluster.getInt());
  search.isRepresentative = function->hasAttr(kRepresentativeAttr);
  result.searchTasks.push_back(std::move(search));
  result.tasks.push_back({function.getName().str(),
                          subgraphText(function),
                          {boundary->begin(), boundary->end()},
                          reductionLengths(function)});
  return true;
}

FailureOr<ModuleTasks> diffuse::collectTasks(ModuleOp module,
                                             const TargetDescription &target,
                                             const SketchSet &sketches,
                                             Numerics numerics,
                                             llvm::Regex &only) {
  ModuleTasks result;
  for (func::FuncOp function : collectSubgraphs(module)) {
    if (function->hasAttr(kAppliedAttr))
      continue;
    if (isOnlyPrepared(function)) {
      result.prepared.push_back(function.getName().str());
      continue;
    }
    bool isWanted = only.match(function.getName());
    if (failed(addTask(function, target, sketches, numerics, isWanted, result)))
      return failure();
  }
  return result;
}

std::vector<std::string>
diffuse::describeUnusedSketches(ModuleOp module,
                                const TargetDescription &target,
                                const SketchSet &sketches, Numerics numerics) {
  std::vector<std::string> lines;
  for (const std::string &name : sketches.own.names()) {
    std::string reasons;
    for (func::FuncOp function : collectSubgraphs(module)) {
      FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(function);
      if (failed(descriptor))
        continue;
      std::string reason =
          sketches.own.whyNot(name, *descriptor, target, numerics);
      if (reason.empty() && isOnlyPrepared(function))
        reason = "it runs once for each handle and is not searched";
      if (reason.empty()) {
        reasons.clear();
        break;
      }
      if (reasons.empty())
        reasons = "for '" + descriptor->name + "', for one, " + reason;
    }
    if (!reasons.empty())
      lines.push_back("sketch '" + name + "' takes no subgraph: " + reasons);
  }
  return lines;
}

/// The nested module of schedules, made where there is none.
static ModuleOp getOrCreateSchedules(ModuleOp module) {
  if (auto nested = module.lookupSymbol<ModuleOp>(kSchedulesModule))
    return nested;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto nested = ModuleOp::create(builder, module.getLoc(), kSchedulesModule);
  nested->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                  builder.getUnitAttr());
  return nested;
}

/// Drops the schedule of a function, with the sequences that are named after
/// it.
static void detachSchedule(func::FuncOp function) {
  function->removeAttr(kScheduleAttr);
  auto module = function->getParentOfType<ModuleOp>();
  auto library = module.lookupSymbol<ModuleOp>(kSchedulesModule);
  if (!library)
    return;
  std::string stem = (function.getName() + "__").str();
  auto isOfSchedule = [&](llvm::StringRef name) {
    return name.consume_front(stem) &&
           (llvm::is_contained(
                {kPrepareSuffix, kTensorSuffix, kVectorSuffix, kWrittenSuffix},
                ("__" + name).str()) ||
            ("__" + name).str().rfind(kHelperInfix.str(), 0) == 0);
  };
  for (Operation &old : llvm::make_early_inc_range(*library.getBody()))
    if (auto name = SymbolTable::getSymbolName(&old);
        name && isOfSchedule(name.getValue()))
      old.erase();
}

LogicalResult diffuse::attachSchedule(func::FuncOp function,
                                      const SearchTask &task,
                                      const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  if (!sketch)
    return emitError(function.getLoc(), "no sketch '")
           << candidate.sketch << "' takes this subgraph";
  FailureOr<OwningOpRef<ModuleOp>> schedule =
      instantiate(*sketch, candidate.choices, function.getName());
  if (failed(schedule))
    return failure();
  detachSchedule(function);
  ModuleOp library =
      getOrCreateSchedules(function->getParentOfType<ModuleOp>());
  for (Operation &sequence :
       llvm::make_early_inc_range(*(*schedule)->getBody()))
    sequence.moveBefore(library.getBody(), library.getBody()->end());
  MLIRContext *context = function.getContext();
  auto sequence = FlatSymbolRefAttr::get(
      context, (function.getName() + kTensorSuffix).str());
  function->setAttr(kScheduleAttr,
                    SymbolRefAttr::get(context, kSchedulesModule, {sequence}));
  return success();
}

LogicalResult diffuse::attachOutcome(ModuleOp module, const ModuleTasks &tasks,
                                     llvm::ArrayRef<TaskOutcome> outcomes) {
  for (const auto &[task, search, outcome] :
       llvm::zip_equal(tasks.tasks, tasks.searchTasks, outcomes)) {
    auto function = module.lookupSymbol<func::FuncOp>(task.function);
    function->removeAttr(kDefaultFailedAttr);
    if (outcome.defaultFailure)
      function->setAttr(
          kDefaultFailedAttr,
          StringAttr::get(module.getContext(),
                          printFailureKind(*outcome.defaultFailure)));
    if (!outcome.best)
      detachSchedule(function);
    else if (failed(attachSchedule(function, search, *outcome.best)))
      return failure();
  }
  return success();
}

void diffuse::takeDefaults(const ModuleTasks &tasks,
                           const TargetDescription &target,
                           llvm::MutableArrayRef<TaskOutcome> outcomes) {
  for (const auto &[search, outcome] :
       llvm::zip_equal(tasks.searchTasks, outcomes)) {
    if (outcome.defaultFailure) {
      outcome.best.reset();
      outcome.bestMicros = outcome.plainMicros;
      continue;
    }
    outcome.best = defaultOf(search, target);
    outcome.bestMicros =
        outcome.best ? outcome.defaultMicros : outcome.plainMicros;
  }
}

void diffuse::setProvenance(ModuleOp module, const Provenance &provenance) {
  Builder builder(module.getContext());
  auto string = [&](llvm::StringRef name, llvm::StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  auto number = [&](llvm::StringRef name, uint64_t value) {
    return builder.getNamedAttr(
        name, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  module->setAttr(
      kProvenanceAttr,
      builder.getDictionaryAttr(
          {string("tool", toolVersion()), number("codegen", kCodegenNumber),
           string("llvm", llvmVersion()), string("target", provenance.target),
           number("threads", provenance.threads),
           string("numerics", printNumerics(provenance.numerics)),
           string("denormals",
                  provenance.flushDenormals ? "flush" : "preserve"),
           number("seed", provenance.seed),
           string("records", provenance.records)}));
}
