// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body is a function of its own because LLVM takes promises about aliasing
// at function arguments. It is small to call and is inlined where LLVM's
// optimizer runs.

#include "UniformInterface.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace diffuse;

namespace {
/// Walks the arguments of a function and says where each of its parts comes
/// from.
class Wrapper {
public:
  Wrapper(func::FuncOp function, StringRef symbol)
      : function(function), symbol(symbol), loc(function.getLoc()),
        builder(function.getContext()), converter(function.getContext()),
        pointer(LLVM::LLVMPointerType::get(function.getContext())) {}

  LogicalResult run();

private:
  void createOuter();
  LogicalResult passBuffer(BlockArgument argument, bool isWorkspace);
  LogicalResult passScalar(BlockArgument argument);
  Value loadElement(Value base, unsigned index, Type type);
  Value innerArgument(Type type, bool isPointer);
  Value passSlot(Type type);
  Value describeBuffer(MemRefType type, Value data);
  void finishInner();
  void finishOuter();

  func::FuncOp function;
  func::FuncOp outer;
  StringRef symbol;
  Location loc;
  OpBuilder builder;
  LLVMTypeConverter converter;
  LLVM::LLVMPointerType pointer;
  SmallVector<Value> passed;
  SmallVector<DictionaryAttr> innerAttributes;
  unsigned buffers = 0;
  unsigned slots = 0;
};
} // namespace

void Wrapper::createOuter() {
  builder.setInsertionPointAfter(function);
  auto type = builder.getFunctionType({pointer, pointer, pointer},
                                      {builder.getI32Type()});
  outer = func::FuncOp::create(builder, loc, symbol, type);
  outer.addEntryBlock();
}

Value Wrapper::loadElement(Value base, unsigned index, Type type) {
  builder.setInsertionPointToEnd(&outer.front());
  Value address =
      LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(), base,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

/// Appends an argument to the inner function. The old ones are erased when all
/// of them are replaced.
Value Wrapper::innerArgument(Type type, bool isPointer) {
  SmallVector<NamedAttribute> attributes;
  if (isPointer) {
    attributes.push_back(builder.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()));
    attributes.push_back(builder.getNamedAttr(
        LLVM::LLVMDialect::getNoCaptureAttrName(), builder.getUnitAttr()));
  }
  innerAttributes.push_back(builder.getDictionaryAttr(attributes));
  return function.front().addArgument(type, loc);
}

/// Passes the next slot on, as the type of `type` in LLVM.
Value Wrapper::passSlot(Type type) {
  Type converted = converter.convertType(type);
  passed.push_back(loadElement(outer.getArgument(1), slots++, converted));
  Value inner = innerArgument(converted, /*isPointer=*/false);
  if (converted == type)
    return inner;
  builder.setInsertionPointToStart(&function.front());
  return UnrealizedConversionCastOp::create(builder, loc, type, inner)
      .getResult(0);
}

Value Wrapper::describeBuffer(MemRefType type, Value data) {
  builder.setInsertionPointToStart(&function.front());
  if (type.hasStaticShape())
    return MemRefDescriptor::fromStaticShape(builder, loc, converter, type,
                                             data);
  // Slots come in the order of dimensions.
  SmallVector<Value> sizes(type.getRank());
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent)) {
      passed.push_back(
          loadElement(outer.getArgument(1), slots++, builder.getI64Type()));
      sizes[dim] = innerArgument(builder.getI64Type(), /*isPointer=*/false);
    }
  builder.setInsertionPointToStart(&function.front());
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(value));
  };
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  Value stride = constant(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    Value size = sizes[dim] ? sizes[dim] : constant(type.getDimSize(dim));
    descriptor.setSize(builder, loc, dim, size);
    descriptor.setStride(builder, loc, dim, stride);
    stride = LLVM::MulOp::create(builder, loc, stride, size);
  }
  return descriptor;
}

LogicalResult Wrapper::passBuffer(BlockArgument argument, bool isWorkspace) {
  auto type = cast<MemRefType>(argument.getType());
  if (!type.getLayout().isIdentity() || !converter.convertType(type))
    return function.emitError("argument #")
           << argument.getArgNumber() << " of type " << type
           << " cannot be passed as a bare pointer";
  passed.push_back(isWorkspace
                       ? outer.getArgument(2)
                       : loadElement(outer.getArgument(0), buffers++, pointer));
  Value data = innerArgument(pointer, /*isPointer=*/true);
  Value descriptor = describeBuffer(type, data);
  builder.setInsertionPointAfterValue(descriptor);
  Value buffer =
      UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
          .getResult(0);
  argument.replaceAllUsesWith(buffer);
  return success();
}

LogicalResult Wrapper::passScalar(BlockArgument argument) {
  Type type = argument.getType();
  if (!converter.convertType(type) || isa<UnrankedMemRefType>(type))
    return function.emitError("argument #")
           << argument.getArgNumber() << " of type " << type
           << " cannot be passed through the C interface";
  Value value = passSlot(type);
  argument.replaceAllUsesWith(value);
  return success();
}

void Wrapper::finishInner() {
  Block &entry = function.front();
  unsigned old = entry.getNumArguments() - innerAttributes.size();
  entry.eraseArguments(0, old);
  function.setType(
      builder.getFunctionType(entry.getArgumentTypes(), TypeRange()));
  function.setAllArgAttrs(innerAttributes);
  function.setName((symbol + "_body").str());
  function.setPrivate();
  function->removeAttr("no_inline");
  auto internal =
      LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal);
  function->setAttr("llvm.linkage", internal);
}

void Wrapper::finishOuter() {
  builder.setInsertionPointToEnd(&outer.front());
  func::CallOp::create(builder, loc, function, passed);
  Value done = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                        builder.getI32IntegerAttr(0));
  func::ReturnOp::create(builder, loc, done);
}

LogicalResult Wrapper::run() {
  createOuter();
  SmallVector<BlockArgument> arguments(function.getArguments());
  for (BlockArgument argument : arguments) {
    bool isLast = argument == arguments.back();
    LogicalResult done = isa<MemRefType>(argument.getType())
                             ? passBuffer(argument, isLast)
                             : passScalar(argument);
    if (failed(done))
      return failure();
  }
  finishInner();
  finishOuter();
  return success();
}

LogicalResult diffuse::wrapInUniformInterface(func::FuncOp function,
                                              StringRef symbol) {
  return Wrapper(function, symbol).run();
}
