// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text printed with elided resources parses without complaint and fails late,
// without a location, when it is translated. Here it is found early.

#include "Diffuse/Analysis/CheckConstants.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace diffuse;
using namespace mlir;

static bool lacksData(Attribute attribute) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  return resource && !resource.getRawHandle().getBlob();
}

LogicalResult diffuse::checkConstants(ModuleOp module) {
  bool wrong = false;
  module->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      if (!lacksData(attribute.getValue()))
        continue;
      auto resource = cast<DenseResourceElementsAttr>(attribute.getValue());
      op->emitError() << "constant of type " << resource.getType()
                      << " has no data: resource '"
                      << resource.getRawHandle().getKey()
                      << "' is not in the file (it was printed with elided "
                         "resources)";
      wrong = true;
    }
  });
  return failure(wrong);
}
