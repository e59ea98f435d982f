// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/Tune.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace diffuse;

namespace {
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("host or cpu:<llvm processor>"),
                             llvm::cl::init("host")};
  Option<std::string> budget{
      *this, "budget",
      llvm::cl::desc("A time (90s, 5m, 2h) or a number of measurements"),
      llvm::cl::init("60s")};
  Option<std::string> strategy{
      *this, "strategy",
      llvm::cl::desc("diffusion, copy, random or exhaustive"),
      llvm::cl::init("diffusion")};
  Option<std::string> records{
      *this, "records",
      llvm::cl::desc("Record file to read and append to; empty keeps none"),
      llvm::cl::init("")};
  Option<std::string> numerics{*this, "numerics",
                               llvm::cl::desc("strict, default or fast"),
                               llvm::cl::init("default")};
  Option<std::string> measurer{*this, "measurer",
                               llvm::cl::desc("local, fake or replay:FILE"),
                               llvm::cl::init("local")};
  Option<uint64_t> seed{*this, "seed",
                        llvm::cl::desc("Seed of everything random"),
                        llvm::cl::init(0)};
};
} // namespace

void diffuse::buildTunePipeline(mlir::OpPassManager &manager,
                                const TuneSubgraphsPassOptions &options) {
  manager.addPass(createOutlineSubgraphsPass());
  manager.addPass(createHashSubgraphsPass());
  manager.addPass(createClusterSubgraphsPass());
  manager.addPass(createTuneSubgraphsPass(options));
}

void diffuse::registerTunePipeline() {
  mlir::PassPipelineRegistration<PipelineOptions>(
      "diffuse-tune-pipeline",
      "From linalg on tensors to a schedule for every subgraph",
      [](mlir::OpPassManager &manager, const PipelineOptions &given) {
        TuneSubgraphsPassOptions options;
        options.target = given.target;
        options.budget = given.budget;
        options.strategy = given.strategy;
        options.records = given.records;
        options.numerics = given.numerics;
        options.measurer = given.measurer;
        options.seed = given.seed;
        buildTunePipeline(manager, options);
      });
}
