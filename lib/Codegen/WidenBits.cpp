// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM packs vector<8xi1> into one byte in memory, while each element of a
// memref of i1 has a byte of its own: a vectorized loop over such a buffer
// reads and writes the wrong bits. Upstream lowers transfers to plain loads and
// stores all the same. Here the LLVM dialect is mended at the end, where only
// few kinds of op touch memory:
//
//   %m = llvm.load %p : !llvm.ptr -> vector<8xi1>
//
// becomes
//
//   %b = llvm.load %p : !llvm.ptr -> vector<8xi8>
//   %m = llvm.trunc %b : vector<8xi8> to vector<8xi1>

#include "WidenBits.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// The vector of whole bytes that `type` has in memory, or null where it has
/// that already.
static VectorType inMemory(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !vector.getElementType().isSignlessInteger())
    return {};
  unsigned bits = vector.getElementTypeBitWidth();
  unsigned bytes = unsigned(llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8)));
  if (bits == 8 * bytes)
    return {};
  return vector.clone(IntegerType::get(type.getContext(), 8 * bytes));
}

static void widenResult(Value result) {
  VectorType wide = inMemory(result.getType());
  if (!wide)
    return;
  Type narrow = result.getType();
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfterValue(result);
  result.setType(wide);
  auto narrowed =
      LLVM::TruncOp::create(builder, result.getLoc(), narrow, result);
  result.replaceAllUsesExcept(narrowed, narrowed);
}

static void widenOperand(OpOperand &operand) {
  VectorType wide = inMemory(operand.get().getType());
  if (!wide)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(LLVM::ZExtOp::create(builder, operand.getOwner()->getLoc(), wide,
                                   operand.get()));
}

void diffuse::widenBitVectors(ModuleOp module) {
  module.walk([](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([](LLVM::LoadOp load) { widenResult(load.getResult()); })
        .Case(
            [](LLVM::StoreOp store) { widenOperand(store.getValueMutable()); })
        .Case([](LLVM::MaskedLoadOp load) {
          for (OpOperand &passThrough : load.getPassThruMutable())
            widenOperand(passThrough);
          widenResult(load.getResult());
        })
        .Case([](LLVM::MaskedStoreOp store) {
          widenOperand(store.getValueMutable());
        })
        .Case([](LLVM::masked_gather gather) {
          for (OpOperand &passThrough : gather.getPassThruMutable())
            widenOperand(passThrough);
          widenResult(gather.getResult());
        })
        .Case([](LLVM::masked_scatter scatter) {
          widenOperand(scatter.getValueMutable());
        });
  });
}
