// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything upstream is registered: payloads come from any front end, and
// dialects load only when they are met.

#include "Diffuse/Codegen/CompileSubgraph.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

void diffuse::registerCodegenDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
}
