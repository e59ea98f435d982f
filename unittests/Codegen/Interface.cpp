// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interface.h"

#include "Diffuse/Codegen/BuildLibrary.h"
#include "Diffuse/Codegen/LinkLibrary.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace diffuse;
using namespace diffuse::test;

Interface::~Interface() {
  if (handle)
    destroy(handle);
  if (library)
    dlclose(library);
}

void Interface::compile(llvm::StringRef text) {
  module = compilation.parse(text);
  ASSERT_TRUE(module) << compilation.diagnostics;
  module->getContext()->loadAllAvailableDialects();
  ASSERT_TRUE(mlir::succeeded(outlineSubgraphs(*module)));
  auto result = compilation.compileModule(*module);
  ASSERT_TRUE(mlir::succeeded(result)) << compilation.diagnostics;
  compiled = std::move(*result);
}

template <typename Function>
void Interface::find(Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  ASSERT_NE(function, nullptr) << name;
}

void Interface::load() {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("diffuse-test", "so", path));
  llvm::FileRemover remove(path);
  LibraryOptions options;
  options.model = "m";
  llvm::Error error =
      buildSharedLibrary(compiled, options, compilation.options, path);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  find(createFunction, "diffuse_m_create");
  find(runFunction, "diffuse_m_run");
  find(extentsFunction, "diffuse_m_extents");
  find(destroy, "diffuse_m_destroy");
  find(lastError, "diffuse_m_error");
}

std::string diffuse::test::objectOf(llvm::StringRef text) {
  llvm::SmallString<128> source, object;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("diffuse-test", "c", source));
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("diffuse-test", "o", object));
  llvm::FileRemover removeSource(source), removeObject(object);
  EXPECT_FALSE(bool(writeFileAtomically(source, text)));
  EXPECT_FALSE(bool(compileC(source, object)));
  return llvm::cantFail(readFile(object));
}
