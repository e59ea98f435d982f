// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/DefaultSchedules.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"

#include <vector>

using namespace mlir;
using namespace diffuse;

struct DefaultSchedules::Storage {
  SketchLibrary library;
  TargetDescription target;
  Numerics numerics;
  std::vector<OwningOpRef<ModuleOp>> schedules;
};

DefaultSchedules::DefaultSchedules(std::unique_ptr<Storage> storage)
    : storage(std::move(storage)) {}
DefaultSchedules::DefaultSchedules(DefaultSchedules &&) = default;
DefaultSchedules::~DefaultSchedules() = default;

FailureOr<DefaultSchedules>
DefaultSchedules::create(MLIRContext *context, const TargetDescription &target,
                         Numerics numerics) {
  FailureOr<SketchLibrary> library = SketchLibrary::builtin(context);
  if (failed(library))
    return failure();
  return DefaultSchedules(std::make_unique<Storage>(
      Storage{std::move(*library), target, numerics, {}}));
}

FailureOr<SubgraphSchedule>
DefaultSchedules::scheduleOf(func::FuncOp subgraph) {
  if (subgraph->hasAttr(kDefaultFailedAttr) || subgraph->hasAttr(kAppliedAttr))
    return SubgraphSchedule();
  FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(subgraph);
  if (failed(descriptor))
    return failure();
  SmallVector<BoundSketch> sketches =
      storage->library.bind(*descriptor, storage->target, storage->numerics);
  if (sketches.empty())
    return SubgraphSchedule();
  Candidate candidate =
      defaultCandidate(*descriptor, storage->target, sketches);
  for (const BoundSketch &sketch : sketches) {
    if (sketch.name() != candidate.sketch)
      continue;
    FailureOr<OwningOpRef<ModuleOp>> schedule =
        instantiate(sketch, candidate.choices, subgraph.getSymName());
    if (failed(schedule))
      return failure();
    storage->schedules.push_back(std::move(*schedule));
    return SubgraphSchedule{*storage->schedules.back(),
                            (subgraph.getSymName() + kTensorSuffix).str(),
                            /*isDefault=*/true};
  }
  return SubgraphSchedule();
}

LogicalResult diffuse::reportNoDefault(func::FuncOp subgraph,
                                       const TargetDescription &target) {
  if (auto kind = subgraph->getAttrOfType<StringAttr>(kDefaultFailedAttr))
    return subgraph.emitError("the default schedule of subgraph '")
           << subgraph.getSymName() << "' failed (" << kind.getValue()
           << ") when it was tuned, and " << target.key
           << " does not run plain loops; tune it again";
  FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(subgraph);
  if (failed(descriptor))
    return failure();
  return subgraph.emitError("no sketch for ")
         << target.key << " takes subgraph '" << subgraph.getSymName() << "' ("
         << stringifyAnchorKind(descriptor->anchor) << ")";
}
