// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SubgraphCalls.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace diffuse;

static MemRefType anyLayout(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

static MemRefType rowMajor(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Type of a subgraph's argument in calls on buffers.
static Type bufferArgument(func::FuncOp subgraph, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(subgraph.getArgumentTypes()[index]);
  if (!type)
    return subgraph.getArgumentTypes()[index];
  return isDestination(subgraph, index) ? rowMajor(type) : anyLayout(type);
}

/// A buffer with the extents of a tensor.
static Value allocateLike(OpBuilder &builder, Location loc, Value tensor) {
  MemRefType type = rowMajor(cast<RankedTensorType>(tensor.getType()));
  SmallVector<Value> extents;
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(
          empty ? empty.getDynamicSize(dim)
                : Value(tensor::DimOp::create(builder, loc, tensor, dim)));
  return memref::AllocOp::create(builder, loc, type, extents,
                                 builder.getI64IntegerAttr(kBufferAlignment));
}

static void callOnBuffers(func::CallOp call, func::FuncOp subgraph) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  SmallVector<Value> operands;
  SmallVector<Value> destinations;
  for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
    Type type = bufferArgument(subgraph, index);
    if (isDestination(subgraph, index)) {
      destinations.push_back(allocateLike(builder, loc, operand));
      operands.push_back(destinations.back());
    } else if (isa<MemRefType>(type) && isa<TensorType>(operand.getType())) {
      operands.push_back(bufferization::ToBufferOp::create(
          builder, loc, type, operand, /*read_only=*/true));
    } else {
      operands.push_back(operand);
    }
  }
  func::CallOp::create(builder, loc, call.getCallee(), TypeRange(), operands);
  for (auto [result, buffer] : llvm::zip(call.getResults(), destinations))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        builder, loc, result.getType(), buffer, /*restrict=*/true,
        /*writable=*/true));
  call.erase();
}

static void declareOnBuffers(func::FuncOp subgraph) {
  SmallVector<Type> types;
  for (unsigned i = 0, e = subgraph.getNumArguments(); i != e; ++i)
    types.push_back(bufferArgument(subgraph, i));
  subgraph.eraseBody();
  subgraph.removeResAttrsAttr();
  subgraph.setType(FunctionType::get(subgraph.getContext(), types, {}));
  subgraph.setPrivate();
}

void diffuse::callOnBuffers(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && isSubgraph(callee))
      calls.emplace_back(call, callee);
  });
  for (auto [call, callee] : calls)
    ::callOnBuffers(call, callee);
  for (func::FuncOp subgraph : collectSubgraphs(module))
    declareOnBuffers(subgraph);
}

Value diffuse::stripCasts(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>()) {
    if (!isa<MemRefType>(cast.getSource().getType()))
      break;
    buffer = cast.getSource();
  }
  return buffer;
}

static bool isRowMajor(MemRefType type) {
  return type.getLayout().isIdentity() ||
         memref::isStaticShapeAndContiguousRowMajor(type);
}

static Value copyToRowMajor(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  Value copy =
      memref::AllocOp::create(builder, loc, plain, extents,
                              builder.getI64IntegerAttr(kBufferAlignment));
  memref::CopyOp::create(builder, loc, buffer, copy);
  return copy;
}

void diffuse::makeOperandsContiguous(ModuleOp module,
                                     const SubgraphSymbols &symbols) {
  module.walk([&](func::CallOp call) {
    if (!symbols.contains(call.getCallee()))
      return;
    OpBuilder builder(call);
    for (OpOperand &operand : call->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      Value buffer = stripCasts(operand.get());
      if (isRowMajor(cast<MemRefType>(buffer.getType())))
        continue;
      Value copy = copyToRowMajor(builder, call.getLoc(), buffer);
      if (copy.getType() != operand.get().getType())
        copy = memref::CastOp::create(builder, call.getLoc(),
                                      operand.get().getType(), copy);
      operand.set(copy);
    }
  });
}

/// insertArgument is for functions with a body only.
static void appendArgument(func::FuncOp declaration, Type type) {
  SmallVector<DictionaryAttr> attributes;
  declaration.getAllArgAttrs(attributes);
  attributes.push_back(DictionaryAttr::get(declaration.getContext()));
  SmallVector<Type> types(declaration.getArgumentTypes());
  types.push_back(type);
  declaration.setType(FunctionType::get(declaration.getContext(), types,
                                        declaration.getResultTypes()));
  declaration.setAllArgAttrs(attributes);
}

void diffuse::allocateScratch(ModuleOp module, const SubgraphSymbols &symbols) {
  OpBuilder builder(module.getContext());
  auto scratchType = [&](StringRef callee) {
    auto found = symbols.find(callee);
    uint64_t bytes = found == symbols.end() ? 0 : found->second.workspaceBytes;
    return bytes ? MemRefType::get({static_cast<int64_t>(bytes)},
                                   builder.getI8Type())
                 : MemRefType();
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (MemRefType type = scratchType(function.getSymName()))
      appendArgument(function, type);
  module.walk([&](func::CallOp call) {
    MemRefType type = scratchType(call.getCallee());
    if (!type)
      return;
    builder.setInsertionPoint(call);
    Value scratch =
        memref::AllocOp::create(builder, call.getLoc(), type, ValueRange(),
                                builder.getI64IntegerAttr(kBufferAlignment));
    call.getOperandsMutable().append(scratch);
  });
}
