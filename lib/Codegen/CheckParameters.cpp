// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime checks of a file when it binds parameters, before they
// become part of a library. docs/c-interface.md has the types.

#include "Diffuse/Codegen/CheckParameters.h"

#include "Diffuse/Codegen/DescribeBoundary.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

/// The type of a file's elements for elements of the model; empty where no file
/// can hold them.
static StringRef fileTypeOf(StringRef element) {
  return llvm::StringSwitch<StringRef>(element)
      .Case("f16", "F16")
      .Case("bf16", "BF16")
      .Case("f32", "F32")
      .Case("f64", "F64")
      .Case("i1", "BOOL")
      .Cases({"i4", "i8", "si8"}, "I8")
      .Case("ui8", "U8")
      .Cases({"i16", "si16"}, "I16")
      .Case("ui16", "U16")
      .Cases({"i32", "si32"}, "I32")
      .Case("ui32", "U32")
      .Cases({"i64", "si64", "index"}, "I64")
      .Case("ui64", "U64")
      .Case("complex<f32>", "C64")
      .Default("");
}

/// Signless integers match both spellings.
static bool isSameType(StringRef element, StringRef fileType) {
  StringRef expected = fileTypeOf(element);
  return expected == fileType ||
         (element.starts_with("i") && expected.starts_with("I") &&
          fileType.starts_with("U") &&
          expected.drop_front() == fileType.drop_front());
}

static std::string printShape(ArrayRef<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : ", ") +
            (extent == kDynamicExtent ? "?" : std::to_string(extent));
  return "[" + text + "]";
}

namespace {
/// The header of a file, and the number of bytes behind it.
struct ParameterFile {
  Json header;
  uint64_t dataBytes;
};
} // namespace

static llvm::Expected<ParameterFile> readHeader(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot read '" + path +
                     "': " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  uint64_t length =
      bytes.size() < 8 ? 0 : llvm::support::endian::read64le(bytes.data());
  if (bytes.size() < 8 || length > bytes.size() - 8)
    return makeError("'" + path +
                     "' is not a safetensors file, or is cut short");
  llvm::Expected<Json> header = Json::parse(bytes.substr(8, length));
  if (!header || !header->isObject()) {
    llvm::consumeError(header.takeError());
    return makeError("'" + path +
                     "' has a malformed header of a safetensors "
                     "file");
  }
  return ParameterFile{std::move(*header), bytes.size() - 8 - length};
}

/// The numbers of a list; nothing where it is something else.
static std::optional<SmallVector<int64_t>> numbersOf(const Json *list) {
  if (!list || !list->asArray())
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const Json &number : *list->asArray()) {
    std::optional<int64_t> value = number.asInteger();
    if (!value || *value < 0)
      return std::nullopt;
    numbers.push_back(*value);
  }
  return numbers;
}

/// Whether the tensor that `entry` describes is what `argument` takes; says
/// why not after "parameter 'name' ".
static llvm::Error checkTensor(const BoundaryArgument &argument,
                               const Json &entry, uint64_t dataBytes) {
  const Json *type = entry.find("dtype");
  auto shape = numbersOf(entry.find("shape"));
  auto offsets = numbersOf(entry.find("data_offsets"));
  if (!type || !type->asString() || !shape || !offsets || offsets->size() != 2)
    return makeError("lacks its type, shape or place");
  if (!isSameType(argument.elementType, *type->asString()))
    return makeError("has elements of type " + *type->asString() +
                     " where the model has " + argument.elementType);
  bool isSame = shape->size() == argument.extents.size();
  for (size_t i = 0; isSame && i < shape->size(); ++i)
    isSame = argument.extents[i] == kDynamicExtent ||
             argument.extents[i] == (*shape)[i];
  if (!isSame)
    return makeError("has shape " + printShape(*shape) +
                     " where the model has " + printShape(argument.extents));
  BoundaryArgument found = argument;
  found.extents.assign(shape->begin(), shape->end());
  llvm::Expected<uint64_t> bytes = countBytes(found);
  if (!bytes)
    return bytes.takeError();
  auto begin = static_cast<uint64_t>((*offsets)[0]),
       end = static_cast<uint64_t>((*offsets)[1]);
  if (begin > end || end > dataBytes || end - begin != *bytes)
    return makeError("needs " + llvm::Twine(*bytes) + " bytes at " +
                     llvm::Twine(begin) + " of the " + llvm::Twine(dataBytes) +
                     " that the file holds: it is cut short or damaged");
  return llvm::Error::success();
}

LogicalResult diffuse::checkParameters(func::FuncOp entry, StringRef path) {
  auto boundary = describeBoundary(entry);
  if (failed(boundary))
    return failure();
  llvm::Expected<ParameterFile> file = readHeader(path);
  if (!file)
    return entry.emitError(llvm::toString(file.takeError()));
  bool hasParameters = false;
  for (auto [index, argument] : llvm::enumerate(*boundary)) {
    if (argument.kind != BoundaryArgument::Kind::Parameter)
      continue;
    hasParameters = true;
    auto error = [&] {
      return emitError(entry.getArgument(index).getLoc())
             << "parameter '" << argument.name << "' ";
    };
    const Json *tensor = file->header.find(argument.name);
    if (!tensor)
      return error() << "is missing in '" << path << "'";
    if (llvm::Error wrong = checkTensor(argument, *tensor, file->dataBytes))
      return error() << llvm::toString(std::move(wrong)) << ", in '" << path
                     << "'";
  }
  if (!hasParameters)
    return entry.emitError("takes no parameters, but '")
           << path << "' is to be embedded";
  return success();
}
