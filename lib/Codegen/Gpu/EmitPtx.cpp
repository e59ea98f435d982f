// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitPtx.h"

#include "TargetMachine.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace diffuse;

/// The first function that is called and has no body, or null.
static llvm::Function *findUndefined(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return &function;
  return nullptr;
}

/// Adds the functions of libdevice that `module` calls, to be inlined.
static LogicalResult linkMathLibrary(gpu::GPUModuleOp source,
                                     llvm::Module &module,
                                     StringRef libdevice) {
  llvm::Function *undefined = findUndefined(module);
  if (!undefined)
    return success();
  if (libdevice.empty())
    return source.emitError("a kernel calls '")
           << undefined->getName()
           << "' of the CUDA Toolkit's math library, and there is no "
              "nvvm/libdevice/libdevice.10.bc; set CUDA_HOME to a CUDA Toolkit "
              "or leave it unset where one is on PATH or in /usr/local/cuda";
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::parseIRFile(libdevice, problem, module.getContext());
  if (!library)
    return source.emitError("cannot read '")
           << libdevice << "': " << problem.getMessage();
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    for (const auto &name : names)
      if (llvm::GlobalValue *value = linked.getNamedValue(name.first()))
        if (!value->isDeclaration())
          value->setLinkage(llvm::GlobalValue::InternalLinkage);
  };
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::Flags::LinkOnlyNeeded,
                                internalize))
    return source.emitError("cannot link '") << libdevice << "'";
  return success();
}

static void setNumerics(llvm::Module &module, const CodegenOptions &options) {
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz",
                       options.ftz ? 1 : 0);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (options.ftz)
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  }
}

/// Translated and optimized; `context` owns the result.
static std::unique_ptr<llvm::Module>
prepareModule(gpu::GPUModuleOp source, const CodegenOptions &options,
              StringRef libdevice, llvm::TargetMachine &machine,
              llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(source, context, "diffuse");
  if (!module)
    return nullptr;
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple());
  if (failed(linkMathLibrary(source, *module, libdevice)))
    return nullptr;
  setNumerics(*module, options);
  optimizeModule(*module, machine, options.optLevel);
  // Not earlier: libdevice asks for the mode by calls that go away here.
  if (llvm::Function *missing = findUndefined(*module)) {
    source.emitError("a kernel calls '")
        << missing->getName() << "', which is not in '" << libdevice << "'";
    return nullptr;
  }
  return module;
}

static std::string printAssembly(llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  llvm::SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  bool isUnable = machine.addPassesToEmitFile(
      emission, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
  assert(!isUnable && "LLVM's NVPTX backend emits assembly");
  (void)isUnable;
  emission.run(module);
  return std::string(bytes.begin(), bytes.end());
}

FailureOr<std::string> diffuse::emitPtx(ArrayRef<gpu::GPUModuleOp> modules,
                                        const CodegenOptions &options,
                                        StringRef libdevice,
                                        std::string *llvmText) {
  assert(!modules.empty() && "expected kernels");
  auto machine = createTargetMachine(modules.front(), options);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> all;
  for (gpu::GPUModuleOp source : modules) {
    std::unique_ptr<llvm::Module> module =
        prepareModule(source, options, libdevice, **machine, context);
    if (!module)
      return failure();
    if (!all)
      all = std::move(module);
    else if (llvm::Linker::linkModules(*all, std::move(module)))
      return source.emitError("a kernel of this name is there already");
  }
  if (llvmText)
    llvm::raw_string_ostream(*llvmText) << *all;
  return printAssembly(*all, **machine);
}
