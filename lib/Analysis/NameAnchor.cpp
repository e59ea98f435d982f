// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalization makes generics of named ops, but schedules written by hand look
// for the names. Upstream's specialization is tried on a copy and its result
// compared with what went in: on 22.1 it gives the same matmul for an operand
// that is read transposed, and for one that is widened without a sign.

#include "NameAnchor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace diffuse;
using namespace mlir;

/// The op that upstream makes of `generic`; empty where it makes none, or one
/// that walks its operands differently.
static std::string nameBySpecializing(linalg::GenericOp generic) {
  // Arguments of a block of its own stand for the operands.
  Block block;
  IRMapping mapping;
  for (Value operand : generic->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand,
                  block.addArgument(operand.getType(), generic.getLoc()));
  OpBuilder builder(generic.getContext());
  builder.setInsertionPointToEnd(&block);
  auto copy = cast<linalg::GenericOp>(builder.clone(*generic, mapping));
  IRRewriter rewriter(copy);
  FailureOr<linalg::LinalgOp> named =
      linalg::specializeGenericOp(rewriter, copy);
  if (failed(named) ||
      (*named).getIndexingMapsArray() != generic.getIndexingMapsArray() ||
      (*named).getIteratorTypesArray() != generic.getIteratorTypesArray() ||
      (*named)->getOperandTypes() != generic->getOperandTypes() ||
      !OperationEquivalence::isRegionEquivalentTo(
          &(*named)->getRegion(0), &generic.getRegion(),
          OperationEquivalence::IgnoreLocations))
    return "";
  return (*named)->getName().getStringRef().str();
}

/// The named contraction that has loops of these roles in this order.
static std::string nameByLoops(linalg::GenericOp generic,
                               llvm::ArrayRef<DimInfo> dims) {
  if (!linalg::isaContractionOpInterface(generic))
    return "";
  llvm::SmallVector<DimRole> roles;
  for (const DimInfo &dim : dims)
    roles.push_back(dim.role);
  auto are = [&](llvm::ArrayRef<DimRole> wanted) {
    return llvm::ArrayRef(roles) == wanted;
  };
  if (are({DimRole::M, DimRole::N, DimRole::K}))
    return "linalg.matmul";
  if (are({DimRole::Batch, DimRole::M, DimRole::N, DimRole::K}))
    return "linalg.batch_matmul";
  if (!are({DimRole::M, DimRole::K}) && !are({DimRole::N, DimRole::K}))
    return "";
  auto first = dyn_cast<ShapedType>(generic->getOperand(0).getType());
  return first && first.getRank() == 2 ? "linalg.matvec" : "linalg.vecmat";
}

void diffuse::nameAnchor(Operation *anchor, SubgraphDescriptor &descriptor) {
  auto generic = dyn_cast<linalg::GenericOp>(anchor);
  if (!generic)
    return;
  descriptor.namedAnchor = nameBySpecializing(generic);
  descriptor.isSpecializable = !descriptor.namedAnchor.empty();
  if (!descriptor.isSpecializable)
    descriptor.namedAnchor = nameByLoops(generic, descriptor.dims);
}
