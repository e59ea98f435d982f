// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InjectFault.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {
struct InjectFaultPass
    : PassWrapper<InjectFaultPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InjectFaultPass)

  InjectFaultPass() = default;
  InjectFaultPass(const InjectFaultPass &other) : PassWrapper(other) {
    kind = other.kind;
  }

  StringRef getArgument() const override { return "test-inject-fault"; }
  StringRef getDescription() const override {
    return "Spoil the code or the compiler, for tests";
  }
  void runOnOperation() override {
    if (!diffuse::spoilCompiler(kind) &&
        failed(diffuse::spoilCode(getOperation(), kind)))
      signalPassFailure();
  }

  Option<std::string> kind{
      *this, "kind", llvm::cl::desc("what goes wrong, see InjectFault.h")};
};
} // namespace

void diffuse::registerInjectFaultPass() { PassRegistration<InjectFaultPass>(); }
