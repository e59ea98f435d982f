// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over applySchedules.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Codegen/ApplySchedule.h"
#include "Diffuse/Codegen/CompileSubgraph.h"

namespace diffuse {
#define GEN_PASS_DEF_APPLYSCHEDULESPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
struct ApplySchedulesPass : impl::ApplySchedulesPassBase<ApplySchedulesPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerCodegenDialects(registry);
  }

  void runOnOperation() override {
    OnScheduleFailure mode =
        keep ? OnScheduleFailure::Keep : OnScheduleFailure::Error;
    if (mlir::failed(applySchedules(getOperation(), mode)))
      signalPassFailure();
  }
};
} // namespace
