// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text printed with elided resources, or with one that is cut short, parses
// without complaint and fails late, without a location, when it is translated.
// Here it is found early.

#include "Diffuse/Analysis/CheckConstants.h"

#include "Diffuse/Analysis/CheckSizes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace diffuse;
using namespace mlir;

/// Code reaches what lies within 32 bits of it.
static constexpr uint64_t kMaxConstantBytes = uint64_t(1) << 31;

static uint64_t countResourceBytes(ShapedType type) {
  return static_cast<uint64_t>(type.getNumElements()) *
         storageBytes(type.getElementType());
}

/// Reports a resource that is not what its type says; false where it is.
static bool reportFault(Operation *op, DenseResourceElementsAttr resource) {
  DenseResourceElementsHandle handle = resource.getRawHandle();
  ShapedType type = resource.getType();
  AsmResourceBlob *blob = handle.getBlob();
  if (!blob) {
    op->emitError() << "constant of type " << type << " has no data: resource '"
                    << handle.getKey()
                    << "' is not in the file (it was printed with elided "
                       "resources)";
    return true;
  }
  uint64_t wanted = countResourceBytes(type);
  if (blob->getData().size() == wanted)
    return false;
  op->emitError() << "resource '" << handle.getKey() << "' holds "
                  << blob->getData().size()
                  << " bytes where a constant of type " << type << " takes "
                  << wanted;
  return true;
}

/// Reports a constant that no library can hold, a splat included: it would be
/// written out; false where it is none.
static bool reportSize(Operation *op, ElementsAttr elements) {
  ShapedType type = elements.getShapedType();
  uint64_t bytes = countResourceBytes(type);
  if (bytes <= kMaxConstantBytes)
    return false;
  op->emitError() << "constant of type " << type << " takes " << bytes
                  << " bytes, more than the " << kMaxConstantBytes
                  << " that code can reach; make it an argument, marked "
                     "diffuse.parameter, or compute it";
  return true;
}

LogicalResult diffuse::checkConstants(ModuleOp module) {
  if (failed(checkSizes(module)))
    return failure();
  bool wrong = false;
  module->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      if (auto elements = dyn_cast<ElementsAttr>(attribute.getValue()))
        wrong |= reportSize(op, elements);
      if (auto resource =
              dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
        wrong |= reportFault(op, resource);
    }
  });
  return failure(wrong);
}
