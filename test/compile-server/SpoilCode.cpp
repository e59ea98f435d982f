// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores that must not happen are volatile ones through raw addresses, which no
// pass looks into.

#include "InjectFault.h"

#include "Diffuse/Measure/TestData.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using llvm::StringRef;

namespace {
/// Writes the fault into one function, at its start or, for wrong answers, at
/// its end.
class Spoiler {
public:
  explicit Spoiler(func::FuncOp function)
      : function(function),
        builder(&function.front(), function.front().begin()),
        loc(function.getLoc()) {}
  LogicalResult run(StringRef kind);

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                        value);
  }
  Value real(float value) {
    return arith::ConstantFloatOp::create(builder, loc, builder.getF32Type(),
                                          llvm::APFloat(value));
  }
  /// The last argument but for the workspace, which holds bytes.
  Value destination() {
    Value last;
    for (Value argument : function.getArguments())
      if (cast<MemRefType>(argument.getType()).getElementType().isF32())
        last = argument;
    return last;
  }
  Value input() { return function.getArgument(0); }
  int64_t bytesOf(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements() * 4;
  }
  SmallVector<Value> origin(Value buffer) {
    return SmallVector<Value>(cast<MemRefType>(buffer.getType()).getRank(),
                              index(0));
  }

  Value address(Value buffer, int64_t offset);
  void store(Value pointer);
  void storeAt(Value buffer, int64_t offset) { store(address(buffer, offset)); }
  void repeat(int64_t times, llvm::function_ref<void()> body);
  void forEver(llvm::function_ref<void()> body) {
    repeat(int64_t(1) << 60, body);
  }
  void eatMemory();
  void eatStack();
  void answerWrongly(StringRef kind);
  void answerRightOnFirstSeed();

  func::FuncOp function;
  OpBuilder builder;
  Location loc;
};
} // namespace

Value Spoiler::address(Value buffer, int64_t offset) {
  Value place =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value number =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), place);
  Value moved = arith::AddIOp::create(builder, loc, number, integer(offset));
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::IntToPtrOp::create(builder, loc, pointer, moved);
}

void Spoiler::store(Value pointer) {
  LLVM::StoreOp::create(builder, loc, real(1.0f), pointer, /*alignment=*/4,
                        /*isVolatile=*/true);
}

void Spoiler::repeat(int64_t times, llvm::function_ref<void()> body) {
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(times), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body();
}

void Spoiler::eatMemory() {
  constexpr int64_t count = 1 << 20;
  auto type = MemRefType::get({count}, builder.getF32Type());
  forEver([&] {
    Value block = memref::AllocOp::create(builder, loc, type);
    for (int64_t page = 0; page < count * 4; page += count)
      storeAt(block, page);
  });
}

void Spoiler::eatStack() {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  forEver([&] {
    store(LLVM::AllocaOp::create(builder, loc, pointer, builder.getI8Type(),
                                 integer(4096)));
  });
}

void Spoiler::answerWrongly(StringRef kind) {
  builder.setInsertionPoint(function.front().getTerminator());
  Value wrong = real(1e6f);
  if (kind == "wrong-all")
    linalg::FillOp::create(builder, loc, wrong, destination());
  else
    memref::StoreOp::create(builder, loc, wrong, destination(),
                            origin(destination()));
}

void Spoiler::answerRightOnFirstSeed() {
  builder.setInsertionPoint(function.front().getTerminator());
  auto type = cast<MemRefType>(input().getType());
  diffuse::BoundaryArgument argument;
  argument.kind = diffuse::BoundaryArgument::Kind::Input;
  argument.elementType = "f32";
  argument.extents.assign(type.getShape().begin(), type.getShape().end());
  std::vector<float> values(type.getNumElements());
  llvm::cantFail(diffuse::fillArgument(argument, /*seed=*/1, /*position=*/0,
                                       values.data()));
  Value first = memref::LoadOp::create(builder, loc, input(), origin(input()));
  Value isOther = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                        first, real(values.front()));
  auto branch = scf::IfOp::create(builder, loc, isOther);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  memref::StoreOp::create(builder, loc, real(1e6f), destination(),
                          origin(destination()));
}

LogicalResult Spoiler::run(StringRef kind) {
  if (kind == "run-crash")
    LLVM::Trap::create(builder, loc);
  else if (kind == "run-hang")
    forEver([&] { storeAt(destination(), 0); });
  else if (kind == "slow")
    repeat(100000, [&] { storeAt(destination(), 0); });
  else if (kind == "run-memory")
    eatMemory();
  else if (kind == "run-stack")
    eatStack();
  else if (kind == "write-after")
    storeAt(destination(), bytesOf(destination()));
  else if (kind == "write-before")
    storeAt(destination(), -4);
  else if (kind == "write-input")
    storeAt(input(), 8);
  else if (kind == "wrong-all" || kind == "wrong-one")
    answerWrongly(kind);
  else if (kind == "wrong-on-other-data")
    answerRightOnFirstSeed();
  else
    return function.emitError("unknown fault '") << kind << "'";
  return success();
}

LogicalResult diffuse::spoilCode(func::FuncOp function, StringRef kind) {
  return Spoiler(function).run(kind);
}
