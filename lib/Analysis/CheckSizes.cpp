// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Analysis/CheckSizes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace diffuse;
using namespace mlir;

uint64_t diffuse::storageBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * storageBytes(complex.getElementType());
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : sizeof(uint64_t);
}

/// Whether the extents that are known make more than kAddressLimit.
static bool isTooLarge(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || llvm::is_contained(shaped.getShape(), 0))
    return false;
  uint64_t bytes = storageBytes(shaped.getElementType());
  for (int64_t extent : shaped.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(extent));
  return bytes > kAddressLimit;
}

LogicalResult diffuse::checkSizes(ModuleOp module) {
  bool areFine = true;
  auto check = [&](Location loc, TypeRange types) {
    for (Type type : types)
      if (isTooLarge(type)) {
        emitError(loc) << "type " << type << " takes more than "
                       << kAddressLimit
                       << " bytes, which no process can address";
        areFine = false;
      }
  };
  module->walk([&](Operation *op) {
    check(op->getLoc(), op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        check(op->getLoc(), block.getArgumentTypes());
  });
  return success(areFine);
}
