// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileAndLoad.h"

#include "Diffuse/Codegen/LinkLibrary.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir;
using namespace diffuse;
using namespace diffuse::test;

Compilation::Compilation() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
  });
  options.target = describeHost();
}

OwningOpRef<ModuleOp> Compilation::parse(llvm::StringRef text) {
  return parseSourceString<ModuleOp>(text, context.get());
}

FailureOr<CompiledObject> Compilation::compile(llvm::StringRef text,
                                               llvm::StringRef schedules,
                                               llvm::StringRef sequence) {
  OwningOpRef<ModuleOp> module = parse(text);
  OwningOpRef<ModuleOp> library;
  if (!schedules.empty()) {
    library = parse(schedules);
    if (!library)
      return failure();
  }
  if (!module)
    return failure();
  auto function = *module->getOps<func::FuncOp>().begin();
  return compileSubgraph(function, library ? *library : ModuleOp(), sequence,
                         options, "subgraph");
}

static std::string temporaryFile(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  EXPECT_FALSE(
      llvm::sys::fs::createTemporaryFile("diffuse-test", suffix, path));
  return path.str().str();
}

mlir::FailureOr<CompiledModule>
Compilation::compileModule(mlir::ModuleOp module) {
  auto entry = findEntry(module, "");
  if (mlir::failed(entry))
    return mlir::failure();
  auto unscheduled = [](mlir::func::FuncOp) {
    return mlir::FailureOr<SubgraphSchedule>(SubgraphSchedule());
  };
  return diffuse::compileModule(module, *entry, unscheduled, options);
}

LoadedFunction::LoadedFunction(const CompiledObject &object)
    : workspaceBytes(object.workspaceBytes) {
  std::string path = temporaryFile("o"), libraryPath = temporaryFile("so");
  {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << object.object;
  }
  llvm::Error error = linkSharedLibrary({path}, libraryPath);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  library = dlopen(libraryPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (library)
    function =
        reinterpret_cast<Function *>(dlsym(library, object.symbol.c_str()));
  EXPECT_NE(function, nullptr);
  llvm::sys::fs::remove(path);
  llvm::sys::fs::remove(libraryPath);
}

LoadedFunction::~LoadedFunction() {
  if (library)
    dlclose(library);
}

void LoadedFunction::run(std::vector<void *> buffers,
                         std::vector<int64_t> slots) const {
  ASSERT_NE(function, nullptr);
  void *workspace = nullptr;
  if (workspaceBytes)
    workspace = std::aligned_alloc(
        kBufferAlignment, llvm::alignTo(workspaceBytes, kBufferAlignment));
  EXPECT_EQ(function(buffers.data(), slots.data(), workspace), 0);
  std::free(workspace);
}
