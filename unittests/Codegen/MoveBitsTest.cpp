// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../../lib/Codegen/MoveBits.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {
class MoveBits : public testing::Test {
protected:
  /// The function of `source` after moveBits, which must be valid.
  Function &run(StringRef source) {
    SMDiagnostic error;
    module = parseAssemblyString(source, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    diffuse::moveBits(*module);
    std::string message;
    raw_string_ostream stream(message);
    EXPECT_FALSE(verifyModule(*module, &stream)) << message;
    return *module->begin();
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};
} // namespace

/// Instructions that move bf16 as such: what they give, or what they store.
static unsigned countMoves(Function &function) {
  return count_if(instructions(function), [](Instruction &instruction) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store && !isa<LoadInst, SelectInst, PHINode>(instruction))
      return false;
    Type *type =
        store ? store->getValueOperand()->getType() : instruction.getType();
    return type->getScalarType()->isBFloatTy();
  });
}

TEST_F(MoveBits, LoadsAndStoresOfScalarsAndVectors) {
  Function &function = run(R"(
define void @copy(ptr %from, ptr %to) {
  %v = load <8 x bfloat>, ptr %from, align 2
  store <8 x bfloat> %v, ptr %to, align 2
  %at = getelementptr i8, ptr %from, i64 16
  %s = load bfloat, ptr %at, align 2
  %dest = getelementptr i8, ptr %to, i64 16
  store bfloat %s, ptr %dest, align 2
  ret void
})");
  EXPECT_EQ(countMoves(function), 0u);
}

TEST_F(MoveBits, OrderedAccessesStay) {
  Function &function = run(R"(
define void @copy(ptr %from, ptr %to) {
  %s = load volatile bfloat, ptr %from, align 2
  store volatile bfloat %s, ptr %to, align 2
  ret void
})");
  EXPECT_EQ(countMoves(function), 2u);
}

TEST_F(MoveBits, Selects) {
  Function &function = run(R"(
define void @select(ptr %from, ptr %to, i1 %c) {
  %s = load bfloat, ptr %from, align 2
  %r = select i1 %c, bfloat %s, bfloat 0.0
  store bfloat %r, ptr %to, align 2
  ret void
})");
  EXPECT_EQ(countMoves(function), 0u);
}

/// A phi that is carried around the loop, and one that reads itself.
TEST_F(MoveBits, PhisOfLoops) {
  Function &function = run(R"(
define void @loop(ptr %from, ptr %to, i1 %c) {
entry:
  %first = load bfloat, ptr %from, align 2
  br label %body
body:
  %last = phi bfloat [ %first, %entry ], [ %next, %body ]
  %same = phi bfloat [ %first, %entry ], [ %same, %body ]
  %next = load bfloat, ptr %to, align 2
  br i1 %c, label %body, label %exit
exit:
  store bfloat %last, ptr %to, align 2
  store bfloat %same, ptr %from, align 2
  ret void
})");
  EXPECT_EQ(countMoves(function), 0u);
}

/// A switch leads from one block to another by several edges, each with an
/// entry of the phi: they must be one value.
TEST_F(MoveBits, PhisOfSwitches) {
  Function &function = run(R"(
define void @switch(ptr %to, float %x, i32 %n) {
entry:
  %a = fptrunc float %x to bfloat
  switch i32 %n, label %other [
    i32 0, label %exit
    i32 1, label %exit
  ]
other:
  %y = fadd float %x, 1.0
  %b = fptrunc float %y to bfloat
  br label %exit
exit:
  %r = phi bfloat [ %a, %entry ], [ %a, %entry ], [ %b, %other ]
  store bfloat %r, ptr %to, align 2
  ret void
})");
  EXPECT_EQ(countMoves(function), 0u);
}
