// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// diffuse-sweep FILE.mlir [--random=N] [--only=TEXT] [--target=SPEC]
//               [--seconds=S] [--sketch=NAME name=value ...]
//
// Runs schedules of every subgraph of a module in this process, without the
// guards that tuning has: for people who work on sketches. It prints the
// default schedule of each subgraph or, with --random, of N random legal
// candidates too, with GFLOP/s, the peak of the core at that moment, and the
// time the loop-nest model expects.

#include "Kernel.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/Graph/Normalize.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Sketch/Legality.h"
#include "Diffuse/Sketch/LoopNest.h"
#include "Diffuse/Support/ScratchFolder.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <random>

using namespace diffuse;
using namespace mlir;

namespace {
struct Options {
  std::string file, only, target = "host", sketch;
  Choices choices;
  unsigned random = 0;
  double seconds = 0.2;
};

struct Sweep {
  const Options &options;
  TargetDescription target;
  SketchLibrary library;
  std::string folder;
  double totalMicros = 0, coveredFlops = 0, flops = 0;
};
} // namespace

static Options readOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    StringRef arg = argv[i];
    if (arg.consume_front("--random="))
      arg.getAsInteger(10, options.random);
    else if (arg.consume_front("--only="))
      options.only = arg.str();
    else if (arg.consume_front("--target="))
      options.target = arg.str();
    else if (arg.consume_front("--seconds="))
      arg.getAsDouble(options.seconds);
    else if (arg.consume_front("--sketch="))
      options.sketch = arg.str();
    else if (arg.contains('='))
      options.choices[arg.split('=').first.str()] =
          std::stoll(arg.split('=').second.str());
    else
      options.file = arg.str();
  }
  return options;
}

static Candidate drawCandidate(ArrayRef<BoundSketch> sketches,
                               std::mt19937 &random) {
  const BoundSketch &sketch = sketches[random() % sketches.size()];
  Candidate candidate{sketch.name().str(), {}};
  for (const Knob &knob : sketch.knobs())
    candidate.choices[knob.name] = knob.domain[random() % knob.domain.size()];
  return candidate;
}

static const BoundSketch &findSketch(ArrayRef<BoundSketch> sketches,
                                     StringRef name) {
  return *llvm::find_if(sketches,
                        [&](const BoundSketch &s) { return s.name() == name; });
}

static SmallVector<Candidate>
chooseCandidates(const Sweep &sweep, const SubgraphDescriptor &descriptor,
                 ArrayRef<BoundSketch> sketches) {
  if (!sweep.options.sketch.empty())
    return {{sweep.options.sketch, sweep.options.choices}};
  SmallVector<Candidate> candidates = {
      defaultCandidate(descriptor, sweep.target, sketches)};
  std::mt19937 random(1);
  for (unsigned tries = 0;
       candidates.size() <= sweep.options.random && tries < 100000; ++tries) {
    Candidate candidate = drawCandidate(sketches, random);
    if (!checkCandidate(descriptor, sweep.target,
                        findSketch(sketches, candidate.sketch),
                        candidate.choices) &&
        !llvm::is_contained(candidates, candidate))
      candidates.push_back(candidate);
  }
  return candidates;
}

static double runOne(Sweep &sweep, func::FuncOp function, ModuleOp schedule,
                     KernelData &data) {
  CodegenOptions codegen;
  codegen.target = sweep.target;
  auto object = compileSubgraph(function, schedule, schedule ? "s__tensor" : "",
                                codegen, "kernel");
  if (failed(object))
    return -1;
  llvm::Expected<Kernel> kernel = Kernel::load(*object, sweep.folder);
  if (!kernel) {
    llvm::errs() << llvm::toString(kernel.takeError()) << "\n";
    return -1;
  }
  if (schedule)
    return kernel->leastMicros(data, sweep.options.seconds);
  kernel->run(data);
  return 0;
}

static double runCandidate(Sweep &sweep, func::FuncOp function,
                           const SubgraphDescriptor &descriptor,
                           ArrayRef<BoundSketch> sketches,
                           const Candidate &candidate, KernelData &data,
                           const KernelData &expected) {
  const BoundSketch &sketch = findSketch(sketches, candidate.sketch);
  auto schedule = instantiate(sketch, candidate.choices, "s");
  double model = analyticMicros(
      modelLoopNest(descriptor, sweep.target, sketch, candidate.choices),
      sweep.target);
  double micros =
      failed(schedule) ? -1 : runOne(sweep, function, **schedule, data);
  double error = micros < 0 ? -1 : compareDestinations(data, expected);
  double peak = measurePeak();
  llvm::outs() << llvm::format(
      "  %9.1f us %7.1f GF/s %5.1f%% model %9.1f us  error %.1e %s  %s\n",
      micros, descriptor.flops / micros * 1e-3,
      descriptor.flops / micros * 1e-1 / peak, model, error,
      micros < 0                  ? "FAILED"
      : error < 0 || error > 1e-4 ? "WRONG"
                                  : "",
      toString(candidate).c_str());
  llvm::outs().flush();
  return micros;
}

static void runSubgraph(Sweep &sweep, func::FuncOp function) {
  FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(function);
  auto boundary = describeBoundary(function);
  if (failed(descriptor) || failed(boundary))
    return;
  sweep.flops += descriptor->flops * descriptor->calls;
  SmallVector<BoundSketch> sketches =
      sweep.library.bind(*descriptor, sweep.target);
  llvm::outs() << descriptor->name << " "
               << stringifyAnchorKind(descriptor->anchor) << " "
               << descriptor->anchorOp << " [";
  for (const DimInfo &dim : descriptor->dims)
    llvm::outs() << " " << stringifyDimRole(dim.role)[0] << dim.extent;
  llvm::outs() << " ] calls " << descriptor->calls << " Mflop "
               << llvm::format("%.2f", descriptor->flops * 1e-6)
               << (sketches.empty() ? " NO SKETCH" : "") << "\n";
  if (sketches.empty())
    return;
  sweep.coveredFlops += descriptor->flops * descriptor->calls;
  llvm::Expected<KernelData> data = KernelData::create(*boundary);
  llvm::Expected<KernelData> expected = KernelData::create(*boundary);
  if (!data || !expected) {
    llvm::consumeError(data.takeError());
    llvm::consumeError(expected.takeError());
    return;
  }
  runOne(sweep, function, nullptr, *expected);
  double best = INFINITY;
  for (const Candidate &candidate :
       chooseCandidates(sweep, *descriptor, sketches)) {
    double micros = runCandidate(sweep, function, *descriptor, sketches,
                                 candidate, *data, *expected);
    if (micros > 0)
      best = std::min(best, micros);
  }
  sweep.totalMicros += best * descriptor->calls;
}

int main(int argc, char **argv) {
  Options options = readOptions(argc, argv);
  DialectRegistry registry;
  registerCodegenDialects(registry);
  registerGraphDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceFile<ModuleOp>(options.file, &context);
  llvm::Expected<TargetDescription> target = parseTarget(options.target);
  auto library = SketchLibrary::builtin(&context);
  if (!module || !target || failed(library))
    return 1;
  bool outlined = false;
  module->walk([&](func::FuncOp f) { outlined |= f->hasAttr(kSubgraphAttr); });
  if (!outlined &&
      (failed(normalizeModule(*module)) || failed(outlineSubgraphs(*module))))
    return 1;
  ScratchFolder folder = llvm::cantFail(ScratchFolder::create());
  Sweep sweep{options, *target, *library, folder.path().str()};
  for (func::FuncOp function : llvm::to_vector(module->getOps<func::FuncOp>()))
    if (function->hasAttr(kSubgraphAttr) &&
        function.getName().contains(options.only))
      runSubgraph(sweep, function);
  llvm::outs() << llvm::format(
      "total %.1f us, sketches cover %.2f%% of flops, peak %.0f GF/s\n",
      sweep.totalMicros, 100 * sweep.coveredFlops / sweep.flops, measurePeak());
  return 0;
}
