// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of type and attribute that ops of subgraphs carry has its own
// form here. Attributes of dialects that no rule covers fall back on their
// text: a false difference after an LLVM upgrade is harmless, a false equality
// would apply a schedule to the wrong code.

#include "IRSerializer.h"

#include "DataFlowOrder.h"
#include "Diffuse/IR/Names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace diffuse;
using namespace mlir;

int64_t IRSerializer::mask(int64_t extent) const {
  if (ShapedType::isDynamic(extent))
    return -1;
  return extents == Extents::Exact || extent <= 1 ? extent : 2;
}

//===-- types -------------------------------------------------------------===//

void IRSerializer::addShaped(ShapedType type) {
  hasher.addBool(type.hasRank());
  if (type.hasRank()) {
    hasher.addUnsigned(type.getRank());
    for (int64_t extent : type.getShape())
      hasher.addInteger(mask(extent));
  }
  addType(type.getElementType());
}

void IRSerializer::addType(Type type) {
  hasher.addString(type.getAbstractType().getName());
  llvm::TypeSwitch<Type>(type)
      .Case([&](IntegerType integer) {
        hasher.addUnsigned(integer.getWidth());
        hasher.addUnsigned(static_cast<unsigned>(integer.getSignedness()));
      })
      .Case([&](ComplexType complex) { addType(complex.getElementType()); })
      .Case([&](RankedTensorType tensor) {
        addShaped(tensor);
        if (tensor.getEncoding())
          addAttribute(tensor.getEncoding());
      })
      .Case([&](VectorType vector) {
        addShaped(vector);
        for (bool scalable : vector.getScalableDims())
          hasher.addBool(scalable);
      })
      .Case([&](MemRefType memref) {
        addShaped(memref);
        addAffineMap(memref.getLayout().getAffineMap());
        if (memref.getMemorySpace())
          addAttribute(memref.getMemorySpace());
      })
      // The name of these says all.
      .Case<FloatType, IndexType, NoneType>([](Type) {})
      .Default([&](Type other) { addText(TypeAttr::get(other)); });
}

//===-- attributes --------------------------------------------------------===//

void IRSerializer::addBits(const llvm::APInt &bits) {
  hasher.addUnsigned(bits.getBitWidth());
  for (unsigned i = 0, e = bits.getNumWords(); i < e; ++i)
    hasher.addUnsigned(bits.getRawData()[i]);
}

void IRSerializer::addText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream);
  hasher.addString(text);
}

void IRSerializer::addAffineExpr(AffineExpr expr) {
  hasher.addUnsigned(static_cast<unsigned>(expr.getKind()));
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    addAffineExpr(binary.getLHS());
    addAffineExpr(binary.getRHS());
  } else if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    hasher.addInteger(constant.getValue());
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    hasher.addUnsigned(dim.getPosition());
  } else {
    hasher.addUnsigned(cast<AffineSymbolExpr>(expr).getPosition());
  }
}

void IRSerializer::addAffineMap(AffineMap map) {
  hasher.addUnsigned(map.getNumDims());
  hasher.addUnsigned(map.getNumSymbols());
  hasher.addUnsigned(map.getNumResults());
  for (AffineExpr result : map.getResults())
    addAffineExpr(result);
}

static StringRef toText(ArrayRef<char> bytes) {
  return StringRef(bytes.data(), bytes.size());
}

/// Strides come as tensors and as vectors; both mean the same, so the kind of
/// the shaped type is not fed.
void IRSerializer::addDenseElements(Attribute attribute) {
  auto elements = cast<ElementsAttr>(attribute);
  addShaped(elements.getShapedType());
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    hasher.addBool(dense.isSplat());
    hasher.addString(toText(dense.getRawData()));
  } else if (auto strings = dyn_cast<DenseStringElementsAttr>(attribute)) {
    for (StringRef value : strings.getRawStringData())
      hasher.addString(value);
  } else {
    // By data: the key is only a name. Absent data is checkConstants' business.
    auto resource = cast<DenseResourceElementsAttr>(attribute);
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    hasher.addBool(blob);
    if (blob)
      hasher.addString(toText(blob->getData()));
  }
}

void IRSerializer::addAttribute(Attribute attribute) {
  hasher.addString(attribute.getAbstractAttribute().getName());
  llvm::TypeSwitch<Attribute>(attribute)
      .Case([&](IntegerAttr integer) {
        addType(integer.getType());
        addBits(integer.getValue());
      })
      .Case([&](FloatAttr number) {
        addType(number.getType());
        addBits(number.getValue().bitcastToAPInt());
      })
      .Case([&](StringAttr text) { hasher.addString(text.getValue()); })
      .Case([&](ArrayAttr array) {
        hasher.addUnsigned(array.size());
        for (Attribute element : array)
          addAttribute(element);
      })
      .Case([&](DictionaryAttr dictionary) {
        hasher.addUnsigned(dictionary.size());
        for (NamedAttribute entry : dictionary)
          addNamed(entry);
      })
      .Case([&](TypeAttr type) { addType(type.getValue()); })
      .Case([&](AffineMapAttr map) { addAffineMap(map.getValue()); })
      .Case([&](DenseArrayAttr array) {
        addType(array.getElementType());
        hasher.addString(toText(array.getRawData()));
      })
      .Case<DenseIntOrFPElementsAttr, DenseStringElementsAttr,
            DenseResourceElementsAttr>(
          [&](Attribute elements) { addDenseElements(elements); })
      .Case([&](arith::FastMathFlagsAttr flags) {
        hasher.addUnsigned(static_cast<unsigned>(flags.getValue()));
      })
      .Case([](UnitAttr) {})
      .Default([&](Attribute other) { addText(other); });
}

/// Properties that repeat extents of types.
static bool holdsExtents(StringRef name) {
  return name == "static_output_shape" || name == "static_sizes";
}

void IRSerializer::addNamed(NamedAttribute attribute) {
  hasher.addString(attribute.getName().getValue());
  auto array = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (!array || !holdsExtents(attribute.getName().getValue())) {
    addAttribute(attribute.getValue());
    return;
  }
  hasher.addUnsigned(array.size());
  for (int64_t extent : array.asArrayRef())
    hasher.addInteger(mask(extent));
}

/// Our own marks only: a parameter's name is no part of the code.
void IRSerializer::addMarks(DictionaryAttr attributes) {
  if (!attributes)
    return;
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName().getValue();
    if (!name.starts_with(kAttributePrefix))
      continue;
    if (name == kParameterAttr)
      hasher.addString(name);
    else
      addNamed(attribute);
  }
}

//===-- ops ---------------------------------------------------------------===//

void IRSerializer::addProperties(Operation *op) {
  if (!op->isRegistered()) {
    addAttribute(op->getAttrDictionary());
    return;
  }
  if (op->getPropertiesStorageSize() == 0)
    return;
  if (Attribute properties = op->getPropertiesAsAttribute())
    addAttribute(properties);
}

void IRSerializer::addOp(Operation *op) {
  hasher.addString(op->getName().getStringRef());
  hasher.addUnsigned(op->getNumOperands());
  for (Value operand : op->getOperands())
    hasher.addUnsigned(numbers.lookup(operand));
  hasher.addUnsigned(op->getNumResults());
  for (Value result : op->getResults()) {
    numbers.try_emplace(result, numbers.size() + 1);
    addType(result.getType());
  }
  if (op->getNumSuccessors() != 0)
    hasher.addUnsigned(op->getNumSuccessors());
  for (Block *successor : op->getSuccessors())
    hasher.addUnsigned(blocks.lookup(successor));
  addProperties(op);
  addMarks(op->getDiscardableAttrDictionary());
  hasher.addUnsigned(op->getNumRegions());
  for (Region &region : op->getRegions())
    addRegion(region);
}

void IRSerializer::addBlock(Block &block) {
  hasher.addUnsigned(block.getNumArguments());
  for (BlockArgument argument : block.getArguments()) {
    numbers.try_emplace(argument, numbers.size() + 1);
    addType(argument.getType());
  }
  for (Operation *op : orderByDataFlow(block))
    addOp(op);
}

/// Branches name blocks, and values may be used before the block that defines
/// them is met: both get their numbers first.
void IRSerializer::numberBlocks(Region &region) {
  for (Block &block : region) {
    blocks[&block] = blocks.size() + 1;
    for (BlockArgument argument : block.getArguments())
      numbers.try_emplace(argument, numbers.size() + 1);
    for (Operation *op : orderByDataFlow(block))
      for (Value result : op->getResults())
        numbers.try_emplace(result, numbers.size() + 1);
  }
}

void IRSerializer::addRegion(Region &region) {
  hasher.addUnsigned(region.getBlocks().size());
  if (!region.hasOneBlock())
    numberBlocks(region);
  for (Block &block : region)
    addBlock(block);
}

void IRSerializer::addFunction(func::FuncOp function) {
  hasher.addUnsigned(function.getNumArguments());
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    hasher.addUnsigned(i);
    addMarks(function.getArgAttrDict(i));
  }
  hasher.addUnsigned(function.getNumResults());
  for (Type type : function.getResultTypes())
    addType(type);
  addRegion(function.getBody());
}
