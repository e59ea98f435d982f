// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MoveBits.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace diffuse;
using namespace llvm;

/// i16 in the shape of a type of bf16; null for other types.
static Type *bitsOf(Type *type) {
  if (!type->getScalarType()->isBFloatTy())
    return nullptr;
  return type->getWithNewType(Type::getInt16Ty(type->getContext()));
}

/// The bits of `value`, through the bitcast it came from where there is one.
static Value *toBits(IRBuilder<> &builder, Value *value) {
  Type *bits = bitsOf(value->getType());
  if (auto *cast = dyn_cast<BitCastInst>(value))
    if (cast->getOperand(0)->getType() == bits)
      return cast->getOperand(0);
  return builder.CreateBitCast(value, bits);
}

/// Has every reader see `bits`, which stand in the place of `old`.
static void replaceByBits(IRBuilder<> &builder, Instruction *old, Value *bits) {
  bits->takeName(old);
  old->replaceAllUsesWith(builder.CreateBitCast(bits, old->getType()));
  old->eraseFromParent();
}

static void moveLoad(LoadInst *load, Type *type) {
  IRBuilder<> builder(load);
  LoadInst *bits = builder.CreateAlignedLoad(type, load->getPointerOperand(),
                                             load->getAlign());
  bits->copyMetadata(*load);
  replaceByBits(builder, load, bits);
}

static void moveStore(StoreInst *store) {
  IRBuilder<> builder(store);
  StoreInst *bits =
      builder.CreateAlignedStore(toBits(builder, store->getValueOperand()),
                                 store->getPointerOperand(), store->getAlign());
  bits->copyMetadata(*store);
  store->eraseFromParent();
}

static void moveSelect(SelectInst *select) {
  IRBuilder<> builder(select);
  Value *bits = builder.CreateSelect(select->getCondition(),
                                     toBits(builder, select->getTrueValue()),
                                     toBits(builder, select->getFalseValue()));
  replaceByBits(builder, select, bits);
}

static void movePhi(PHINode *phi, Type *type) {
  IRBuilder<> builder(phi);
  PHINode *bits = builder.CreatePHI(type, phi->getNumIncomingValues());
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    BasicBlock *from = phi->getIncomingBlock(i);
    // From one block comes one value, however many edges lead here.
    if (int known = bits->getBasicBlockIndex(from); known >= 0) {
      bits->addIncoming(bits->getIncomingValue(known), from);
      continue;
    }
    IRBuilder<> before(from->getTerminator());
    bits->addIncoming(toBits(before, phi->getIncomingValue(i)), from);
  }
  builder.SetInsertPoint(phi->getParent(),
                         phi->getParent()->getFirstInsertionPt());
  replaceByBits(builder, phi, bits);
}

static void move(Instruction &instruction) {
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    if (store->isSimple() && bitsOf(store->getValueOperand()->getType()))
      moveStore(store);
    return;
  }
  Type *type = bitsOf(instruction.getType());
  if (!type)
    return;
  if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
    moveLoad(load, type);
  else if (auto *select = dyn_cast<SelectInst>(&instruction))
    moveSelect(select);
  else if (auto *phi = dyn_cast<PHINode>(&instruction))
    movePhi(phi, type);
}

/// A cast there and back is the value itself, whatever blocks it goes through.
static void foldCasts(Function &function) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *back = dyn_cast<BitCastInst>(&instruction);
      auto *there = back ? dyn_cast<BitCastInst>(back->getOperand(0)) : nullptr;
      if (!there || there->getOperand(0)->getType() != back->getType())
        continue;
      back->replaceAllUsesWith(there->getOperand(0));
      back->eraseFromParent();
      if (there->use_empty())
        there->eraseFromParent();
    }
}

void diffuse::moveBits(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *> instructions;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        instructions.push_back(&instruction);
    for (Instruction *instruction : instructions)
      move(*instruction);
    foldCasts(function);
  }
}
