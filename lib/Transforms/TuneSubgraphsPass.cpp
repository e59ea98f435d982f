// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over tuneSubgraphs.

#include "Diffuse/IR/ModuleLocation.h"
#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Tuning/TuneSubgraphs.h"

namespace diffuse {
#define GEN_PASS_DEF_TUNESUBGRAPHSPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;

namespace {
/// Warnings of the tuner become warnings on the module.
struct DiagnosticSink : ProgressSink {
  explicit DiagnosticSink(mlir::ModuleOp module) : module(module) {}
  void warned(llvm::StringRef message) override {
    mlir::emitWarning(module.getLoc()) << message;
  }
  mlir::ModuleOp module;
};

struct TuneSubgraphsPass : impl::TuneSubgraphsPassBase<TuneSubgraphsPass> {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerGraphDialects(registry);
    registerCodegenDialects(registry);
  }

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (collectSubgraphs(module).empty())
      return;
    llvm::Expected<TuneRequest> request = readOptions();
    if (!request) {
      mlir::emitError(moduleLocation(module))
          << llvm::toString(request.takeError());
      return signalPassFailure();
    }
    DiagnosticSink sink(module);
    if (mlir::failed(tuneSubgraphs(module, *request, sink)))
      signalPassFailure();
  }

  llvm::Expected<TuneRequest> readOptions() const {
    TuneRequest request;
    request.target = target;
    request.measurer = measurer;
    request.records = records;
    request.only = only;
    request.sketchFiles.assign(sketches.begin(), sketches.end());
    request.onlyOwnSketches = sketchesOnly;
    if (sketchesOnly && sketches.empty())
      return makeError("sketches-only searches nothing without sketches");
    request.tuner.strategy = strategy;
    request.tuner.seed = seed;
    llvm::Expected<Budget> limit = parseBudget(budget);
    if (!limit)
      return limit.takeError();
    request.tuner.budget = *limit;
    llvm::Expected<Numerics> mode = parseNumerics(numerics);
    if (!mode)
      return mode.takeError();
    request.tuner.numerics = *mode;
    return request;
  }
};
} // namespace
