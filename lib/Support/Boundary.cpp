// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments as data, and their JSON, which the worker's protocol and the
// description of a library share.

#include "Diffuse/Support/Boundary.h"

#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

bool BoundaryArgument::isDynamic() const {
  return llvm::is_contained(extents, kDynamicExtent);
}

unsigned
diffuse::countDynamicExtents(llvm::ArrayRef<BoundaryArgument> boundary) {
  unsigned count = 0;
  for (const BoundaryArgument &argument : boundary)
    count += llvm::count(argument.extents, kDynamicExtent);
  return count;
}

llvm::Expected<std::vector<BoundaryArgument>>
diffuse::fixExtents(llvm::ArrayRef<BoundaryArgument> boundary,
                    llvm::ArrayRef<int64_t> dynamicExtents) {
  unsigned needed = countDynamicExtents(boundary);
  if (needed != dynamicExtents.size())
    return makeError("the boundary has " + llvm::Twine(needed) +
                     " dynamic extents, but " +
                     llvm::Twine(dynamicExtents.size()) + " are given");
  std::vector<BoundaryArgument> fixed = boundary.vec();
  for (BoundaryArgument &argument : fixed)
    for (int64_t &extent : argument.extents) {
      if (extent != kDynamicExtent)
        continue;
      extent = dynamicExtents.front();
      dynamicExtents = dynamicExtents.drop_front();
      if (extent < 0)
        return makeError("extent " + llvm::Twine(extent) + " of argument '" +
                         argument.name + "' is negative");
    }
  return fixed;
}

llvm::Expected<uint64_t> diffuse::countBytes(const BoundaryArgument &argument) {
  llvm::Expected<ElementType> type = parseElementType(argument.elementType);
  if (!type)
    return type.takeError();
  uint64_t bytes = type->bytes;
  for (int64_t extent : argument.extents)
    if (extent < 0 || __builtin_mul_overflow(bytes, uint64_t(extent), &bytes) ||
        bytes > uint64_t(INT64_MAX))
      return makeError("extent " + llvm::Twine(extent) + " of argument '" +
                       argument.name + "' is unknown or too large");
  return bytes;
}

static llvm::StringRef printKind(Kind kind) {
  switch (kind) {
  case Kind::Input:
    return "input";
  case Kind::Parameter:
    return "parameter";
  case Kind::Scalar:
    return "scalar";
  case Kind::Destination:
    return "destination";
  }
  llvm_unreachable("unknown kind of argument");
}

static llvm::Error parseKind(llvm::StringRef word, Kind &kind) {
  for (Kind candidate :
       {Kind::Input, Kind::Parameter, Kind::Scalar, Kind::Destination})
    if (printKind(candidate) == word) {
      kind = candidate;
      return llvm::Error::success();
    }
  return makeError("unknown kind of argument '" + word +
                   "'; expected input, parameter, scalar or destination");
}

Json diffuse::toJson(const BoundaryArgument &argument) {
  Json value = Json::object();
  value.set("kind", printKind(argument.kind));
  value.set("type", argument.elementType);
  value.set("extents", Json::arrayOf(argument.extents));
  value.set("name", argument.name);
  if (argument.fanIn)
    value.set("fan_in", argument.fanIn);
  if (argument.least || argument.greatest) {
    value.set("least", argument.least);
    value.set("greatest", argument.greatest);
  }
  return value;
}

llvm::Error diffuse::fromJson(const Json &value, BoundaryArgument &argument) {
  JsonFields fields(value, "argument");
  std::string kind;
  fields.require("kind", kind);
  fields.require("type", argument.elementType);
  fields.allow("extents", argument.extents);
  fields.allow("name", argument.name);
  fields.allow("fan_in", argument.fanIn);
  fields.allow("least", argument.least);
  fields.allow("greatest", argument.greatest);
  if (llvm::Error error = fields.takeError())
    return error;
  return parseKind(kind, argument.kind);
}

Json diffuse::toJson(llvm::ArrayRef<BoundaryArgument> boundary) {
  Json::Array array;
  for (const BoundaryArgument &argument : boundary)
    array.push_back(toJson(argument));
  return array;
}

llvm::Error diffuse::fromJson(const Json &value,
                              std::vector<BoundaryArgument> &boundary) {
  const Json::Array *array = value.asArray();
  if (!array)
    return makeError("a boundary must be an array of arguments");
  boundary.clear();
  for (const Json &element : *array)
    if (llvm::Error error = fromJson(element, boundary.emplace_back()))
      return error;
  return llvm::Error::success();
}
