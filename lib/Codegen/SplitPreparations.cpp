// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preparations are copied one by one, each with the constants and views that it
// reads. A copy that equals an earlier one is dropped, so that what reads both
// becomes equal in its turn. A call has effects as far as MLIR knows, so the
// common subexpression elimination of upstream would keep it.

#include "SplitPreparations.h"

#include "Diffuse/IR/EraseDead.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/Preparation.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace diffuse;

namespace {
/// Equal by what they do: operands are compared as they are.
struct EqualOps : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *left, const Operation *right) {
    if (left == right)
      return true;
    if (left == getEmptyKey() || left == getTombstoneKey() ||
        right == getEmptyKey() || right == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(left), const_cast<Operation *>(right),
        OperationEquivalence::IgnoreLocations);
  }
};

class Splitter {
public:
  explicit Splitter(func::FuncOp entry);
  func::FuncOp run(ArrayRef<func::CallOp> preparations);

private:
  Operation *keepFirst(Operation *made);
  void copyCall(func::CallOp call);
  Value copied(Value value);
  Value emptyLike(Value value);
  void readPrepared(func::CallOp call);
  void dropUnread();

  func::FuncOp entry;
  /// Where arguments for what is prepared go.
  unsigned firstPrepared;
  unsigned numPrepared = 0;
  SymbolTable symbols;
  OpBuilder builder;
  func::FuncOp prepare;
  /// From the entry to `prepare`.
  IRMapping mapping;
  llvm::DenseSet<Operation *, EqualOps> copies;
  /// Of each prepared value, the argument of the entry that holds it.
  llvm::MapVector<Value, BlockArgument> arguments;
};
} // namespace

/// The position of the first argument that the caller gives to be written, or
/// that behind all arguments.
static unsigned findFirstDestination(func::FuncOp entry) {
  for (unsigned index = 0; index < entry.getNumArguments(); ++index)
    if (entry.getArgAttr(index, kDestinationAttr))
      return index;
  return entry.getNumArguments();
}

Splitter::Splitter(func::FuncOp entry)
    : entry(entry), firstPrepared(findFirstDestination(entry)),
      symbols(entry->getParentOfType<ModuleOp>()), builder(entry.getContext()) {
  SmallVector<BlockArgument> parameters;
  for (BlockArgument argument : entry.getArguments())
    if (isa<ShapedType>(argument.getType()) &&
        isParameter(entry, argument.getArgNumber()))
      parameters.push_back(argument);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument parameter : parameters) {
    types.push_back(parameter.getType());
    attributes.push_back(entry.getArgAttrDict(parameter.getArgNumber()));
  }
  builder.setInsertionPointAfter(entry);
  prepare = func::FuncOp::create(builder, entry.getLoc(),
                                 (entry.getSymName() + "_prepare").str(),
                                 builder.getFunctionType(types, {}));
  prepare.setAllArgAttrs(attributes);
  symbols.insert(prepare);
  Block *body = prepare.addEntryBlock();
  mapping.map(ArrayRef<BlockArgument>(parameters), body->getArguments());
  builder.setInsertionPointToEnd(body);
}

/// `made`, or in its place the equal op that was made before.
Operation *Splitter::keepFirst(Operation *made) {
  auto [found, isNew] = copies.insert(made);
  if (isNew)
    return made;
  made->erase();
  return *found;
}

/// What stands for `value` in the new function: constants and views come along.
Value Splitter::copied(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (isStaticView(op))
    copied(op->getOperand(0));
  mapping.map(op->getResults(),
              keepFirst(builder.clone(*op, mapping))->getResults());
  return mapping.lookup(value);
}

Value Splitter::emptyLike(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return keepFirst(tensor::EmptyOp::create(builder, entry.getLoc(),
                                           type.getShape(),
                                           type.getElementType()))
      ->getResult(0);
}

/// What a destination holds is never read, so any will do.
void Splitter::copyCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  SmallVector<Value> operands;
  for (auto [index, operand] : llvm::enumerate(call.getOperands()))
    operands.push_back(isDestination(callee, index) ? emptyLike(operand)
                                                    : copied(operand));
  Operation *made = builder.clone(*call);
  made->setOperands(operands);
  mapping.map(call->getResults(), keepFirst(made)->getResults());
}

/// The rest reads the arguments that hold what the call computed.
void Splitter::readPrepared(func::CallOp call) {
  for (Value result : call.getResults()) {
    BlockArgument &argument = arguments[mapping.lookup(result)];
    if (!argument) {
      unsigned index = firstPrepared + numPrepared++;
      (void)entry.insertArgument(index, result.getType(), {}, call.getLoc());
      argument = entry.getArgument(index);
    }
    result.replaceAllUsesWith(argument);
  }
  call.erase();
}

/// Keeps what the rest reads, and what that is computed from.
void Splitter::dropUnread() {
  eraseDead(entry.front());
  SmallVector<Value> results;
  for (auto [value, argument] : arguments)
    if (!argument.use_empty())
      results.push_back(value);
  for (unsigned index = firstPrepared + numPrepared; index-- > firstPrepared;)
    if (entry.getArgument(index).use_empty())
      (void)entry.eraseArgument(index);
  func::ReturnOp::create(builder, entry.getLoc(), results);
  prepare.setType(builder.getFunctionType(prepare.getArgumentTypes(),
                                          TypeRange(ValueRange(results))));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(prepare.front())))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}

func::FuncOp Splitter::run(ArrayRef<func::CallOp> preparations) {
  for (func::CallOp call : preparations)
    copyCall(call);
  for (func::CallOp call : preparations)
    readPrepared(call);
  dropUnread();
  if (prepare.getNumResults() > 0)
    return prepare;
  prepare.erase();
  return nullptr;
}

func::FuncOp diffuse::splitPreparations(func::FuncOp entry) {
  SmallVector<func::CallOp> preparations = collectPreparations(entry);
  return preparations.empty() ? nullptr : Splitter(entry).run(preparations);
}
