// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/DescribeBoundary.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace diffuse;

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Types that a slot of eight bytes, or an element of a buffer, can hold.
static bool isPlain(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isPlain(complex.getElementType());
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

static bool fitsSlot(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return isPlain(type) &&
         (!complex || complex.getElementType().getIntOrFloatBitWidth() <= 32);
}

/// The key of a parameter in a safetensors file.
static std::string nameOf(func::FuncOp function, unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, kParameterAttr))
    return name.str();
  return "arg" + std::to_string(index);
}

static LogicalResult describeType(func::FuncOp function, const Twine &what,
                                  Type type, BoundaryArgument &argument) {
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  argument.elementType = spell(element);
  if (!shaped) {
    if (fitsSlot(element))
      return success();
    return function.emitError()
           << what << " has type " << type
           << ", which cannot be passed by value: at most 8 bytes fit";
  }
  if (!shaped.hasRank())
    return function.emitError()
           << what << " has the unranked type " << type
           << ", which cannot cross the C interface: give it a rank";
  if (!isPlain(element) || isa<VectorType>(type))
    return function.emitError()
           << what << " has type " << type
           << ", which cannot cross the C interface: it takes tensors and "
              "memrefs of numbers, and scalars";
  for (int64_t extent : shaped.getShape())
    argument.extents.push_back(ShapedType::isDynamic(extent) ? kDynamicExtent
                                                             : extent);
  return success();
}

static FailureOr<BoundaryArgument> describeArgument(func::FuncOp function,
                                                    unsigned index) {
  using Kind = BoundaryArgument::Kind;
  BoundaryArgument argument;
  Type type = function.getArgumentTypes()[index];
  argument.name = nameOf(function, index);
  argument.kind = !isa<ShapedType>(type)           ? Kind::Scalar
                  : isDestination(function, index) ? Kind::Destination
                  : isParameter(function, index)   ? Kind::Parameter
                                                   : Kind::Input;
  if (failed(
          describeType(function, "argument #" + Twine(index), type, argument)))
    return failure();
  return argument;
}

FailureOr<SmallVector<BoundaryArgument>>
diffuse::describeBoundary(func::FuncOp function) {
  SmallVector<BoundaryArgument> boundary;
  unsigned destinations = 0;
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    FailureOr<BoundaryArgument> argument = describeArgument(function, i);
    if (failed(argument))
      return failure();
    destinations += isDestination(function, i);
    boundary.push_back(std::move(*argument));
  }
  auto results = function.getResultTypes();
  for (unsigned i = destinations, e = results.size(); i < e; ++i) {
    BoundaryArgument result;
    result.kind = BoundaryArgument::Kind::Destination;
    result.name = "result" + std::to_string(i);
    if (failed(
            describeType(function, "result #" + Twine(i), results[i], result)))
      return failure();
    boundary.push_back(std::move(result));
  }
  return boundary;
}
