// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thin pass over compileGpuKernels.

#include "Diffuse/Transforms/Passes.h"

#include "Diffuse/Codegen/CompileGpuKernels.h"
#include "Diffuse/Codegen/CudaToolkit.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Tuning/DefaultSchedules.h"

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
    FailureOr<DefaultSchedules> defaults = DefaultSchedules::create(
        &getContext(), options->target, options->numerics);
    if (failed(defaults))
      return signalPassFailure();
    CudaToolkit toolkit = findCudaToolkit(cudaHome);
    for (func::FuncOp function : collectSubgraphs(getOperation()))
      if (failed(addBinary(function, *options, toolkit, *defaults)))
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
                          const CudaToolkit &toolkit,
                          DefaultSchedules &defaults) {
    FailureOr<SubgraphSchedule> schedule = tunedSchedule(function);
    if (succeeded(schedule) && !schedule->module)
      schedule = defaults.scheduleOf(function);
    if (failed(schedule))
      return failure();
    if (!schedule->module)
      return reportNoDefault(function, options.target);
    KernelSource source{function, schedule->module, schedule->tensorSequence,
                        function.getSymName().str()};
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
