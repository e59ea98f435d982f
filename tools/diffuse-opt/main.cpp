// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the project's passes, for tests and for people.

#include "../common/StandardStreams.h"

#include "Diffuse/Pipelines/RegisterPipelines.h"
#include "Diffuse/Transforms/RegisterPasses.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  diffuse::openStandardStreams();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  diffuse::registerDialects(registry);
  mlir::registerAllPasses();
  diffuse::registerPasses();
  diffuse::registerPipelines();
  int status = mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Diffuse optimizer driver\n", registry));
  return diffuse::closeStandardStreams("diffuse-opt", status);
}
