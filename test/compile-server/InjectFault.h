// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults for tests: a schedule that ends in
// `transform.apply_registered_pass "test-inject-fault"` spoils its subgraph, or
// the compiler.

#ifndef DIFFUSE_TEST_COMPILESERVER_INJECTFAULT_H
#define DIFFUSE_TEST_COMPILESERVER_INJECTFAULT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace diffuse {

/// Registers the pass. Its option `kind` is one of the words of the two below.
void registerInjectFaultPass();

/// Kills, hangs or starves this process: `compiler-crash`, `compiler-hang`,
/// `compiler-memory`, `compiler-stack`. Returns false for other words.
bool spoilCompiler(llvm::StringRef kind);

/// Makes a bufferized function crash, hang, eat memory or stack, write outside
/// its destination or into its first input, or answer wrongly: `run-crash`,
/// `run-hang`, `run-memory`, `run-stack`, `write-after`, `write-before`,
/// `write-input`, `wrong-all`, `wrong-one`, `wrong-on-other-data` (right only
/// on the tuner's first seed). `slow` only takes its time. Fails on others.
llvm::LogicalResult spoilCode(mlir::func::FuncOp function,
                              llvm::StringRef kind);

} // namespace diffuse

#endif // DIFFUSE_TEST_COMPILESERVER_INJECTFAULT_H
