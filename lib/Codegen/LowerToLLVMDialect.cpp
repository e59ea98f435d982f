// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 is computed in f32 and rounded after each operation, as LLVM would by
// calls into libgcc that not every libgcc has.

#include "LowerToLLVMDialect.h"

#include "ApplyNumerics.h"
#include "CheckLowered.h"
#include "ExpandSmallFloats.h"
#include "LowerCopies.h"
#include "LowerVectors.h"
#include "RunPasses.h"
#include "SplitPatchLoops.h"
#include "WidenBits.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addStructuredLowering(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createForallToForLoopPass());
  functions.addPass(createConvertLinalgToLoopsPass());
}

static void addVectorLowering(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(vector::createLowerVectorMaskPass());
  functions.addPass(vector::createLowerVectorMultiReductionPass());
  VectorTransferToSCFOptions toLoops;
  toLoops.enableFullUnroll();
  functions.addPass(createConvertVectorToSCFPass(toLoops));
}

/// Short floating point types: bf16 and narrower ones are computed in f32, and
/// so are elementary functions of any.
static void addFloatEmulation(OpPassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions inFloat;
  inFloat.sourceTypeStrs = {"bf16"};
  for (StringRef small : diffuse::kSmallFloats)
    inFloat.sourceTypeStrs.push_back(small.str());
  inFloat.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(inFloat));
  math::MathExtendToSupportedTypesOptions mathInFloat;
  mathInFloat.targetTypeStr = "f32";
  pm.addPass(math::createMathExtendToSupportedTypes(mathInFloat));
}

static void addScalarLowering(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createSCFToControlFlowPass());
}

LogicalResult diffuse::lowerToLoops(ModuleOp module,
                                    const CodegenOptions &options) {
  allowSumReordering(module, options.numerics);
  lowerStridedCopies(module);
  splitPatchLoops(module);
  if (failed(runPasses(module, addStructuredLowering)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && failed(lowerVectors(function)))
      return failure();
  if (failed(runPasses(module, addVectorLowering)) ||
      failed(runPasses(module, addFloatEmulation)))
    return failure();
  applyNumerics(module, options.numerics,
                options.target.isGpu() || options.target.cpu.hasFma);
  expandSmallFloats(module);
  lowerDynamicExpandShapes(module);
  return runPasses(module, addScalarLowering);
}

/// exp(x) - 1 loses every digit of a small x, and the sign of a zero, so expm1
/// goes to libm before the conversion to LLVM makes that of it.
static LogicalResult callExpM1(ModuleOp module) {
  bool isThere =
      module.walk([](math::ExpM1Op) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!isThere)
    return success();
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::ExpM1Op>();
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult diffuse::convertToLLVMDialect(ModuleOp module) {
  // Complex functions first: they leave those of real numbers.
  if (failed(runPasses(module,
                       [](OpPassManager &pm) {
                         pm.addPass(createConvertComplexToStandardPass());
                       })) ||
      failed(callExpM1(module)))
    return failure();
  LogicalResult converted = runPasses(module, [](OpPassManager &pm) {
    ConvertMathToLLVMPassOptions math;
    // log(1 + x) loses every digit of a small x; libm's log1p does not.
    math.approximateLog1p = false;
    ConvertVectorToLLVMPassOptions vectors;
    vectors.x86Vector = true;
    pm.addPass(createConvertMathToFuncs());
    pm.addPass(createConvertMathToLLVMPass(math));
    pm.addPass(createConvertMathToLibmPass());
    pm.addPass(createConvertVectorToLLVMPass(vectors));
    pm.addPass(createConvertComplexToLLVMPass());
    pm.addPass(createUBToLLVMConversionPass());
    pm.addPass(memref::createExpandStridedMetadataPass());
    pm.addPass(createLowerAffinePass());
    pm.addPass(createFinalizeMemRefToLLVMConversionPass());
    pm.addPass(createArithToLLVMConversionPass());
    pm.addPass(createConvertIndexToLLVMPass());
    pm.addPass(createConvertFuncToLLVMPass());
    pm.addPass(createConvertControlFlowToLLVMPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  });
  if (failed(converted) || failed(checkLowered(module)))
    return failure();
  widenBitVectors(module);
  return success();
}
