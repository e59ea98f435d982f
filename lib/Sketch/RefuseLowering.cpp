// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule works on tensors; buffers and everything below them are made after
// it, in the way that the final library needs. One that goes further would fail
// as a candidate, each time anew, so it is refused when it is read.

#include "SketchTemplate.h"

#include "mlir/Dialect/Bufferization/TransformOps/BufferizationTransformOps.h"

using namespace diffuse;
using namespace mlir;

/// Passes that make buffers or leave the dialects of tensors.
static bool isLoweringPass(StringRef name) {
  return name.contains("bufferiz") || name.starts_with("convert-") ||
         name.starts_with("finalize-") || name.ends_with("-to-llvm") ||
         name.starts_with("gpu-");
}

static LogicalResult refuse(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "transform.smt.constrain_params")
    return op->emitError()
           << "constraints by '" << name
           << "' are not evaluated, and the interpreter of LLVM 22 does not "
              "take them; say it by the options of the knobs, or by "
              "alternatives with knobs of their own";
  auto pass = dyn_cast<transform::ApplyRegisteredPassOp>(op);
  bool lowers =
      isa<transform::OneShotBufferizeOp, transform::ApplyConversionPatternsOp>(
          op) ||
      (pass && isLoweringPass(pass.getPassName()));
  if (!lowers)
    return success();
  return op->emitError()
         << "a sketch ends on tensors: '" << (pass ? pass.getPassName() : name)
         << "' and what follows it is done when the subgraph is compiled; "
            "leave it out";
}

LogicalResult diffuse::refuseLowering(transform::NamedSequenceOp root) {
  for (transform::NamedSequenceOp sequence : reachableSequences(root)) {
    WalkResult result = sequence.walk([](Operation *op) {
      return failed(refuse(op)) ? WalkResult::interrupt()
                                : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}
