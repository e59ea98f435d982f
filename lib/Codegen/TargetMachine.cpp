// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TargetMachine.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace diffuse;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static llvm::CodeGenOptLevel codegenLevel() {
  return llvm::CodeGenOptLevel::Default;
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
diffuse::createTargetMachine(Operation *at, const CodegenOptions &options) {
  initializeTargets();
  const TargetDescription &target = options.target;
  llvm::Triple triple(target.triple);
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found) {
    at->emitError("no code generator for target '")
        << target.key << "': " << message;
    return failure();
  }
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = options.numerics == Numerics::Strict
                                      ? llvm::FPOpFusion::Strict
                                      : llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.processor, target.features, targetOptions,
      llvm::Reloc::PIC_, std::nullopt, codegenLevel()));
  if (!machine) {
    at->emitError("cannot generate code for processor '")
        << target.processor << "'";
    return failure();
  }
  return machine;
}

void diffuse::optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                             int level) {
  llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = level > 1;
  tuning.SLPVectorization = level > 1;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::OptimizationLevel chosen = levels[std::clamp(level, 0, 3)];
  llvm::ModulePassManager pipeline =
      level <= 0 ? builder.buildO0DefaultPipeline(chosen)
                 : builder.buildPerModuleDefaultPipeline(chosen);
  pipeline.run(module, modules);
}
