// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlaceBuffers.h"
#include "SubgraphCalls.h"

#include "Diffuse/Codegen/CompileModule.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace diffuse;

namespace {
/// Writes the arrays that the calls of one function pass. They share them: a
/// call is over before the next one begins.
class CallWriter {
public:
  CallWriter(func::FuncOp function, Value header)
      : function(function), builder(function.getContext()), header(header),
        pointer(LLVM::LLVMPointerType::get(function.getContext())),
        i64(builder.getI64Type()), i32(builder.getI32Type()) {}

  void rewrite(func::CallOp call, const SubgraphSymbol &target, int number);

private:
  void storeOperands(Location loc, ValueRange operands);
  void storeScalar(Location loc, unsigned slot, Value value);
  Value addressOf(Location loc, Value buffer);
  Value toPointer(Location loc, Value index);
  Value integer(Location loc, Type type, int64_t value);
  void store(Location loc, Value array, unsigned index, Value value);
  void createArrays(func::CallOp call);
  func::FuncOp declare(StringRef name, ArrayRef<Type> inputs);

  func::FuncOp function;
  OpBuilder builder;
  Value header;
  LLVM::LLVMPointerType pointer;
  Type i64, i32;
  Value buffers, slots;
};
} // namespace

Value CallWriter::integer(Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

/// Arrays long enough for the largest call of the function, at its start: in a
/// loop they would grow the stack.
void CallWriter::createArrays(func::CallOp call) {
  if (buffers)
    return;
  unsigned longest = 1;
  function.walk([&](func::CallOp other) {
    unsigned entries = 0;
    for (Type type : other.getOperandTypes())
      entries +=
          1 + (isa<MemRefType>(type) ? cast<MemRefType>(type).getRank() : 0);
    longest = std::max(longest, entries);
  });
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  Location loc = function.getLoc();
  Value length = integer(loc, i64, longest);
  buffers = LLVM::AllocaOp::create(builder, loc, pointer, pointer, length);
  slots = LLVM::AllocaOp::create(builder, loc, pointer, i64, length);
}

void CallWriter::store(Location loc, Value array, unsigned index, Value value) {
  Value address =
      LLVM::GEPOp::create(builder, loc, pointer, i64, array,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  LLVM::StoreOp::create(builder, loc, value, address);
}

Value CallWriter::toPointer(Location loc, Value index) {
  Value bits = arith::IndexCastOp::create(builder, loc, i64, index);
  return LLVM::IntToPtrOp::create(builder, loc, pointer, bits);
}

/// Where the elements of a row-major buffer begin.
Value CallWriter::addressOf(Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  if (!type.getLayout().isIdentity()) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value bytes = arith::ConstantIndexOp::create(
        builder, loc, elementBytes(type.getElementType()));
    Value offset =
        arith::MulIOp::create(builder, loc, metadata.getOffset(), bytes);
    address = arith::AddIOp::create(builder, loc, address, offset);
  }
  return toPointer(loc, address);
}

func::FuncOp CallWriter::declare(StringRef name, ArrayRef<Type> inputs) {
  auto module = function->getParentOfType<ModuleOp>();
  if (auto found = module.lookupSymbol<func::FuncOp>(name))
    return found;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  auto declared = func::FuncOp::create(builder, function.getLoc(), name,
                                       builder.getFunctionType(inputs, {i32}));
  declared.setPrivate();
  return declared;
}

/// A slot is eight bytes, of which a narrow scalar fills the first.
void CallWriter::storeScalar(Location loc, unsigned slot, Value value) {
  if (value.getType().isIndex()) {
    store(loc, slots, slot,
          arith::IndexCastOp::create(builder, loc, i64, value));
    return;
  }
  LLVMTypeConverter converter(builder.getContext());
  Type type = converter.convertType(value.getType());
  if (type != value.getType())
    value = UnrealizedConversionCastOp::create(builder, loc, type, value)
                .getResult(0);
  store(loc, slots, slot, integer(loc, i64, 0));
  store(loc, slots, slot, value);
}

void CallWriter::storeOperands(Location loc, ValueRange operands) {
  unsigned bufferCount = 0, slotCount = 0;
  for (Value operand : operands) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      storeScalar(loc, slotCount++, operand);
      continue;
    }
    Value buffer = stripCasts(operand);
    store(loc, buffers, bufferCount++, addressOf(loc, buffer));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        storeScalar(loc, slotCount++,
                    memref::DimOp::create(builder, loc, buffer, dim));
  }
}

void CallWriter::rewrite(func::CallOp call, const SubgraphSymbol &target,
                         int number) {
  createArrays(call);
  builder.setInsertionPoint(call);
  Location loc = call.getLoc();
  ValueRange operands = call.getOperands();
  Value work;
  if (target.workspaceBytes) {
    work = addressOf(loc, operands.back());
    operands = operands.drop_back();
  } else {
    work = LLVM::ZeroOp::create(builder, loc, pointer);
  }
  storeOperands(loc, operands);
  Value context = LLVM::ZeroOp::create(builder, loc, pointer);
  if (header)
    context = addressOf(loc, header);
  func::FuncOp symbol = declare(target.symbol, {pointer, pointer, pointer});
  func::FuncOp hook =
      declare(kCallHook, {pointer, i32, pointer, pointer, pointer, pointer});
  Value callee = func::ConstantOp::create(
      builder, loc, symbol.getFunctionType(), symbol.getSymNameAttr());
  callee = UnrealizedConversionCastOp::create(builder, loc, pointer, callee)
               .getResult(0);
  func::CallOp::create(builder, loc, hook,
                       ValueRange{context, integer(loc, i32, number), callee,
                                  buffers, slots, work});
  call.erase();
}

void diffuse::callUniformly(func::FuncOp function, Value header,
                            const SubgraphSymbols &symbols,
                            SmallVectorImpl<std::string> &calls) {
  SmallVector<func::CallOp> found;
  function.walk([&](func::CallOp call) {
    if (symbols.contains(call.getCallee()))
      found.push_back(call);
  });
  CallWriter writer(function, header);
  for (func::CallOp call : found) {
    std::string name = call.getCallee().str();
    writer.rewrite(call, symbols.at(name), calls.size());
    calls.push_back(name);
  }
}
