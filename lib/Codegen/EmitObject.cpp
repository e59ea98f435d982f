// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the LLVM dialect through LLVM IR to the bytes of an object.

#include "EmitObject.h"

#include "MoveBits.h"

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
    // Rows of zeros stay stores: as calls of memset they look cheap to the loop
    // unroller, become a thousand stores in one block, and scheduling that
    // takes longer than everything else.
    function.addFnAttr("no-builtin-memset");
    if (options.ftz)
      function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
  }
}

namespace {
/// A module in LLVM IR, translated and optimized, with what it needs to live.
struct PreparedModule {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

static FailureOr<PreparedModule> prepare(ModuleOp module,
                                         const CodegenOptions &options) {
  auto machine = createTargetMachine(module, options);
  if (failed(machine))
    return failure();
  PreparedModule prepared;
  prepared.machine = std::move(*machine);
  prepared.context = std::make_unique<llvm::LLVMContext>();
  prepared.module =
      translateModuleToLLVMIR(module, *prepared.context, "diffuse");
  if (!prepared.module)
    return failure();
  prepared.module->setDataLayout(prepared.machine->createDataLayout());
  prepared.module->setTargetTriple(prepared.machine->getTargetTriple());
  setFunctionAttributes(*prepared.module, options);
  optimizeModule(*prepared.module, *prepared.machine, options.optLevel);
  moveBits(*prepared.module);
  return prepared;
}

FailureOr<std::string> diffuse::emitObject(ModuleOp module,
                                           const CodegenOptions &options) {
  FailureOr<PreparedModule> prepared = prepare(module, options);
  if (failed(prepared))
    return failure();
  llvm::SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if (prepared->machine->addPassesToEmitFile(
          emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    module.emitError("target '")
        << options.target.key << "' cannot emit object files";
    return failure();
  }
  emission.run(*prepared->module);
  return std::string(bytes.begin(), bytes.end());
}

FailureOr<std::string> diffuse::emitLLVMText(ModuleOp module,
                                             const CodegenOptions &options) {
  FailureOr<PreparedModule> prepared = prepare(module, options);
  if (failed(prepared))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << *prepared->module;
  return text;
}
