// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over compileGpuKernels.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/CompileGpuKernels.h"
#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Codegen/CudaToolkit.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace diffuse {
#define GEN_PASS_DEF_LOWERTONVVMPASS
#include "Diffuse/Transforms/Passes.h.inc"
} // namespace diffuse

using namespace diffuse;
using namespace mlir;

/// The launches of one subgraph as the properties of its object.
static DictionaryAttr describeLaunches(Builder &builder,
                                       const SubgraphLaunches &subgraph) {
  llvm::SmallVector<Attribute> launches;
  for (const KernelLaunch &launch : subgraph.launches)
    launches.push_back(builder.getDictionaryAttr({
        builder.getNamedAttr("kernel", builder.getStringAttr(launch.kernel)),
        builder.getNamedAttr("grid", builder.getI64ArrayAttr(launch.grid)),
        builder.getNamedAttr("block", builder.getI64ArrayAttr(launch.block)),
        builder.getNamedAttr("shared_bytes",
                             builder.getI64IntegerAttr(launch.sharedBytes)),
    }));
  return builder.getDictionaryAttr(
      builder.getNamedAttr("launches", builder.getArrayAttr(launches)));
}

/// The schedule of a subgraph that nobody tuned.
static FailureOr<OwningOpRef<ModuleOp>>
makeDefaultSchedule(func::FuncOp function, const TargetDescription &target) {
  auto library = SketchLibrary::builtin(function.getContext());
  auto descriptor = describeSubgraph(function);
  if (failed(library) || failed(descriptor))
    return failure();
  SmallVector<BoundSketch> sketches = library->bind(*descriptor, target);
  if (sketches.empty())
    return function.emitError("no sketch for ")
           << target.key << " takes subgraph '" << function.getSymName()
           << "' (" << stringifyAnchorKind(descriptor->anchor) << ")";
  Candidate candidate = defaultCandidate(*descriptor, target, sketches);
  const BoundSketch *chosen =
      llvm::find_if(sketches, [&](const BoundSketch &sketch) {
        return sketch.name() == candidate.sketch;
      });
  return instantiate(*chosen, candidate.choices, function.getSymName());
}

namespace {
struct LowerToNVVMPass : diffuse::impl::LowerToNVVMPassBase<LowerToNVVMPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerGraphDialects(registry);
    registerCodegenDialects(registry);
  }

  void runOnOperation() override {
    llvm::Expected<CodegenOptions> options = readOptions();
    if (!options) {
      emitError(getOperation().getLoc(), toString(options.takeError()));
      return signalPassFailure();
    }
    CudaToolkit toolkit = findCudaToolkit(cudaHome);
    for (func::FuncOp function : collectSubgraphs(getOperation()))
      if (failed(addBinary(function, *options, toolkit)))
        return signalPassFailure();
  }

private:
  llvm::Expected<CodegenOptions> readOptions() {
    CodegenOptions options;
    llvm::Expected<TargetDescription> parsed = parseTarget(target);
    llvm::Expected<Numerics> mode = parseNumerics(numerics);
    if (llvm::Error error =
            llvm::joinErrors(parsed.takeError(), mode.takeError()))
      return error;
    if (!parsed->isGpu())
      return llvm::createStringError("target '" + target + "' is no GPU");
    if (format != "ptx" && format != "cubin")
      return llvm::createStringError("format '" + format +
                                     "' is neither ptx nor cubin");
    options.target = std::move(*parsed);
    options.numerics = *mode;
    return options;
  }

  LogicalResult addBinary(func::FuncOp function, const CodegenOptions &options,
                          const CudaToolkit &toolkit) {
    FailureOr<ScheduleSequences> schedule = lookupSchedule(function);
    if (failed(schedule))
      return failure();
    KernelSource source{function, schedule->library, "",
                        function.getSymName().str()};
    OwningOpRef<ModuleOp> byDefault;
    if (schedule->tensor) {
      source.tensorSequence =
          SymbolTable::getSymbolName(schedule->tensor).str();
    } else {
      auto made = makeDefaultSchedule(function, options.target);
      if (failed(made))
        return failure();
      byDefault = std::move(*made);
      source.schedules = *byDefault;
      source.tensorSequence = (function.getSymName() + kTensorSuffix).str();
    }
    FailureOr<CompiledKernels> kernels =
        compileGpuKernels(source, options, toolkit.libdevice);
    if (failed(kernels))
      return failure();
    std::string bytes = std::move(kernels->ptx);
    bool isCubin = format == "cubin";
    if (isCubin) {
      llvm::Expected<Cubin> cubin =
          assembleCubin(bytes, options.target, toolkit);
      if (!cubin)
        return function.emitError(toString(cubin.takeError()));
      bytes = std::move(cubin->bytes);
    }
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    auto chip = NVVM::NVVMTargetAttr::get(
        &getContext(), options.optLevel, options.target.triple,
        options.target.processor, options.target.features);
    Attribute object = gpu::ObjectAttr::get(
        chip,
        isCubin ? gpu::CompilationTarget::Binary
                : gpu::CompilationTarget::Assembly,
        builder.getStringAttr(bytes),
        describeLaunches(builder, kernels->subgraphs.front()));
    gpu::BinaryOp::create(builder, function.getLoc(),
                          (function.getSymName() + "_kernels").str(),
                          Attribute(), object);
    return success();
  }
};
} // namespace
