// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes for a plain mlir-opt. One file serves both flags:
//   mlir-opt --load-pass-plugin=DiffusePlugin.so
//            --load-dialect-plugin=DiffusePlugin.so

#include "Diffuse/Pipelines/RegisterPipelines.h"
#include "Diffuse/Transforms/RegisterPasses.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
    mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Diffuse", LLVM_VERSION_STRING, []() {
            diffuse::registerPasses();
            diffuse::registerPipelines();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
    mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Diffuse", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            diffuse::registerDialects(*registry);
          }};
}
