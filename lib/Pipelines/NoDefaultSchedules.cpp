// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in where the build has no sketches: no subgraph has a default
// schedule then.

#include "Diffuse/Pipelines/DefaultSchedules.h"

using namespace mlir;
using namespace diffuse;

struct DefaultSchedules::Storage {};

DefaultSchedules::DefaultSchedules(std::unique_ptr<Storage> storage)
    : storage(std::move(storage)) {}
DefaultSchedules::DefaultSchedules(DefaultSchedules &&) = default;
DefaultSchedules::~DefaultSchedules() = default;

FailureOr<DefaultSchedules>
DefaultSchedules::create(MLIRContext *, const TargetDescription &) {
  return DefaultSchedules(std::make_unique<Storage>());
}

FailureOr<SubgraphSchedule> DefaultSchedules::scheduleOf(func::FuncOp) {
  return SubgraphSchedule();
}
