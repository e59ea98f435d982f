// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds IR to a stable hash in a form of our own. Ops are visited along the
// data flow from a block's terminator, operands first, so the order of
// independent ops in the text does not matter, while sharing does: one op used
// twice differs from two equal ops. Ops with side effects are not independent
// of each other.

#ifndef DIFFUSE_LIB_ANALYSIS_IRSERIALIZER_H
#define DIFFUSE_LIB_ANALYSIS_IRSERIALIZER_H

#include "Diffuse/Support/StableHash.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace diffuse {

/// Whether extents are fed as they are or only as 0, 1, unknown or other.
enum class Extents { Exact, Masked };

class IRSerializer {
public:
  IRSerializer(StableHasher &hasher, Extents extents)
      : hasher(hasher), extents(extents) {}

  /// Arguments with their marks, result types, body. Not the name.
  void addFunction(mlir::func::FuncOp function);
  void addType(mlir::Type type);
  void addAttribute(mlir::Attribute attribute);

private:
  void addRegion(mlir::Region &region);
  void numberBlocks(mlir::Region &region);
  void addBlock(mlir::Block &block);
  void addOp(mlir::Operation *op);
  void addProperties(mlir::Operation *op);
  void addMarks(mlir::DictionaryAttr attributes);
  void addNamed(mlir::NamedAttribute attribute);
  void addShaped(mlir::ShapedType type);
  void addDenseElements(mlir::Attribute attribute);
  void addAffineMap(mlir::AffineMap map);
  void addAffineExpr(mlir::AffineExpr expr);
  void addBits(const llvm::APInt &bits);
  void addText(mlir::Attribute attribute);
  int64_t mask(int64_t extent) const;

  StableHasher &hasher;
  Extents extents;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Block *, unsigned> blocks;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_ANALYSIS_IRSERIALIZER_H
