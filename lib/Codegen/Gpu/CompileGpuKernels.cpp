// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CompileGpuKernels.h"

#include "BufferizeSubgraph.h"
#include "EmitPtx.h"
#include "LowerToLLVMDialect.h"
#include "LowerToNVVM.h"
#include "MapToLaunches.h"
#include "OutlineKernels.h"

#include "Diffuse/Codegen/ApplySchedule.h"
#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace diffuse;

namespace {
/// A subgraph on its way: `kernels` is inside of `module`.
struct KernelModule {
  OwningOpRef<ModuleOp> module;
  OutlinedKernels kernels;
};
} // namespace

static FailureOr<KernelModule> lowerToKernels(const KernelSource &source,
                                              const CodegenOptions &options) {
  func::FuncOp function = source.function;
  if (!source.schedules)
    return function.emitError("subgraph '")
           << function.getSymName() << "' has no schedule; code for "
           << options.target.key << " needs one";
  auto module =
      bufferizeSubgraph(function, source.schedules, source.tensorSequence);
  if (failed(module))
    return failure();
  std::string vectors =
      replaceScheduleSuffix(source.tensorSequence, kVectorSuffix);
  if (failed(applySequence(theFunction(**module), source.schedules, vectors)) ||
      failed(mapToLaunches(theFunction(**module))) ||
      failed(lowerToLoops(**module, options)))
    return failure();
  auto kernels =
      outlineKernels(theFunction(**module), source.symbol, options.target);
  if (failed(kernels) || failed(lowerToNVVM(**module)) ||
      failed(verify(**module)))
    return failure();
  return KernelModule{std::move(*module), std::move(*kernels)};
}

FailureOr<CompiledKernels>
diffuse::compileGpuKernels(ArrayRef<KernelSource> sources,
                           const CodegenOptions &options, StringRef libdevice,
                           std::string *llvmText) {
  assert(options.target.isGpu() && "expected a GPU target");
  CompiledKernels result;
  std::vector<KernelModule> lowered;
  SmallVector<gpu::GPUModuleOp> modules;
  for (const KernelSource &source : sources) {
    FailureOr<KernelModule> subgraph = lowerToKernels(source, options);
    if (failed(subgraph))
      return failure();
    auto boundary = describeBoundary(source.function);
    if (failed(boundary))
      return failure();
    modules.push_back(subgraph->kernels.module);
    result.subgraphs.push_back({func::FuncOp(source.function).getName().str(),
                                subgraph->kernels.launches,
                                {boundary->begin(), boundary->end()}});
    lowered.push_back(std::move(*subgraph));
  }
  FailureOr<std::string> ptx = emitPtx(modules, options, libdevice, llvmText);
  if (failed(ptx))
    return failure();
  result.ptx = std::move(*ptx);
  return result;
}

Json diffuse::launchesToJson(ArrayRef<SubgraphLaunches> subgraphs) {
  Json::Array array;
  for (const SubgraphLaunches &subgraph : subgraphs) {
    Json::Array launches;
    for (const KernelLaunch &launch : subgraph.launches) {
      Json entry = Json::object();
      entry.set("kernel", launch.kernel);
      entry.set("grid", Json::arrayOf(launch.grid));
      entry.set("block", Json::arrayOf(launch.block));
      entry.set("shared_bytes", launch.sharedBytes);
      launches.push_back(std::move(entry));
    }
    Json entry = Json::object();
    entry.set("subgraph", subgraph.subgraph);
    entry.set("launches", std::move(launches));
    entry.set("arguments", toJson(subgraph.boundary));
    array.push_back(std::move(entry));
  }
  return array;
}
