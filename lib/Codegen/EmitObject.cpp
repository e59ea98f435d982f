// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that knows LLVM IR and LLVM's code generator stands here.

#include "EmitObject.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
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
  });
}

static llvm::CodeGenOptLevel codegenLevel() {
  return llvm::CodeGenOptLevel::Default;
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(ModuleOp module, const CodegenOptions &options) {
  initializeTargets();
  const TargetDescription &target = options.target;
  llvm::Triple triple(target.triple);
  std::string message;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found) {
    module.emitError("no code generator for target '")
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
    module.emitError("cannot generate code for processor '")
        << target.processor << "'";
    return failure();
  }
  return machine;
}

static void setFunctionAttributes(llvm::Module &module,
                                  const CodegenOptions &options) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", options.target.processor);
    function.addFnAttr("target-features", options.target.features);
    // LLVM by itself stops at 256 bits on several processors with more.
    function.addFnAttr("prefer-vector-width",
                       std::to_string(options.target.cpu.vectorBits));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (options.ftz)
      function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
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

/// Translated and optimized; `context` owns the result.
static std::unique_ptr<llvm::Module>
prepareModule(ModuleOp module, const CodegenOptions &options,
              llvm::TargetMachine &machine, llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "diffuse");
  if (!translated)
    return nullptr;
  translated->setDataLayout(machine.createDataLayout());
  translated->setTargetTriple(machine.getTargetTriple());
  setFunctionAttributes(*translated, options);
  optimize(*translated, machine, options.optLevel);
  return translated;
}

FailureOr<std::string> diffuse::emitObject(ModuleOp module,
                                           const CodegenOptions &options) {
  auto machine = createMachine(module, options);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  auto prepared = prepareModule(module, options, **machine, context);
  if (!prepared)
    return failure();
  llvm::SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if ((*machine)->addPassesToEmitFile(emission, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile)) {
    module.emitError("target '")
        << options.target.key << "' cannot emit object files";
    return failure();
  }
  emission.run(*prepared);
  return std::string(bytes.begin(), bytes.end());
}

FailureOr<std::string> diffuse::emitLLVMText(ModuleOp module,
                                             const CodegenOptions &options) {
  auto machine = createMachine(module, options);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  auto prepared = prepareModule(module, options, **machine, context);
  if (!prepared)
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << *prepared;
  return text;
}
