// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/WarmUp.h"

#include <gtest/gtest.h>

using namespace diffuse;

// Where it failed half of what it is for would be missing, and nobody told.
TEST(WarmUp, Compiles) {
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry);
  CodegenOptions options;
  options.target = describeHost();
  EXPECT_TRUE(llvm::succeeded(warmUpCompiler(&context, options)));
}
