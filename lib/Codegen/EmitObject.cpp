// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the LLVM dialect through LLVM IR to the bytes of an object.

#include "EmitObject.h"

#include "TargetMachine.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace diffuse;

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
  optimizeModule(*translated, machine, options.optLevel);
  return translated;
}

FailureOr<std::string> diffuse::emitObject(ModuleOp module,
                                           const CodegenOptions &options) {
  auto machine = createTargetMachine(module, options);
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
  auto machine = createTargetMachine(module, options);
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
