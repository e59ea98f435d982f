// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an .npy file is a Python dictionary literal of three known
// members. A reader for just that grammar follows.

#include "Diffuse/Support/Npy.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Boundary.h"
#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <optional>

using namespace diffuse;
using llvm::StringRef;

namespace {
struct TypeName {
  llvm::StringLiteral npy;
  llvm::StringLiteral mlir;
};
} // namespace

/// The first row of a spelling is the one that reading answers.
static constexpr TypeName typeNames[] = {
    {"<f2", "f16"},   {"<f4", "f32"},          {"<f8", "f64"},
    {"|b1", "i1"},    {"|i1", "i8"},           {"<i2", "i16"},
    {"<i4", "i32"},   {"<i8", "i64"},          {"|u1", "ui8"},
    {"<u2", "ui16"},  {"<u4", "ui32"},         {"<u8", "ui64"},
    {"<i8", "index"}, {"<c8", "complex<f32>"}, {"<c16", "complex<f64>"},
    {"<u2", "bf16"},  {"|i1", "si8"},          {"<i2", "si16"},
    {"<i4", "si32"},  {"<i8", "si64"}};

static constexpr StringRef kMagic("\x93NUMPY", 6);

namespace {
/// Reads the dictionary, member by member.
class HeaderReader {
public:
  explicit HeaderReader(StringRef text) : rest(text) {}

  llvm::Error read() {
    if (!take("{"))
      return malformed();
    while (!take("}")) {
      std::optional<StringRef> name = takeString();
      if (!name || !take(":"))
        return malformed();
      if (llvm::Error error = readMember(*name))
        return error;
      take(",");
    }
    return llvm::Error::success();
  }

  std::string description;
  std::vector<int64_t> extents;
  bool isFortran = false;

private:
  llvm::Error malformed() {
    return makeError("malformed .npy header near '" + rest.take_front(20) +
                     "'");
  }

  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  std::optional<StringRef> takeString() {
    rest = rest.ltrim();
    if (!rest.starts_with("'") && !rest.starts_with("\""))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }

  llvm::Error readMember(StringRef name) {
    if (name == "shape")
      return readShape();
    if (name == "fortran_order") {
      isFortran = take("True");
      return isFortran || take("False") ? llvm::Error::success() : malformed();
    }
    std::optional<StringRef> text = takeString();
    if (name != "descr" || !text)
      return makeError("member '" + name +
                       "' of the .npy header is not supported");
    description = text->str();
    return llvm::Error::success();
  }

  llvm::Error readShape() {
    if (!take("("))
      return malformed();
    while (!take(")")) {
      int64_t extent = 0;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, extent) || extent < 0)
        return malformed();
      extents.push_back(extent);
      take(",");
    }
    return llvm::Error::success();
  }

  StringRef rest;
};
} // namespace

static llvm::Expected<std::string> typeOfDescription(StringRef description) {
  for (const TypeName &name : typeNames)
    if (name.npy == description)
      return name.mlir.str();
  if (description.starts_with(">"))
    return makeError("big-endian .npy arrays ('" + description +
                     "') are not supported");
  return makeError(".npy arrays of type '" + description +
                   "' are not supported");
}

/// The type narrower than a byte, which NumPy keeps in one.
static std::optional<ElementType> narrowType(StringRef elementType) {
  llvm::Expected<ElementType> type = parseElementType(elementType);
  if (type)
    return type->narrowBits ? std::optional(*type) : std::nullopt;
  llvm::consumeError(type.takeError());
  return std::nullopt;
}

static llvm::Expected<std::string> describeType(StringRef elementType) {
  if (std::optional<ElementType> narrow = narrowType(elementType))
    return std::string(narrow->kind == ElementClass::Unsigned ? "|u1" : "|i1");
  for (const TypeName &name : typeNames)
    if (name.mlir == elementType)
      return name.npy.str();
  return makeError("element type '" + elementType +
                   "' has no counterpart in .npy files");
}

static llvm::Expected<uint64_t> sizeOf(const NpyArray &array) {
  BoundaryArgument argument;
  argument.elementType = array.elementType;
  argument.extents = array.extents;
  argument.name = "array";
  return countBytes(argument);
}

/// Splits a file into header and data.
static llvm::Expected<std::pair<StringRef, StringRef>> split(StringRef file) {
  if (!file.consume_front(kMagic) || file.size() < 4)
    return makeError("not an .npy file");
  unsigned version = static_cast<uint8_t>(file[0]);
  if (version < 1 || version > 3)
    return makeError("version " + llvm::Twine(version) +
                     " of the .npy format is not supported");
  file = file.drop_front(2);
  unsigned sizeBytes = version == 1 ? 2 : 4;
  if (file.size() < sizeBytes)
    return makeError("the .npy file ends inside its header");
  uint64_t size = version == 1 ? llvm::support::endian::read16le(file.data())
                               : llvm::support::endian::read32le(file.data());
  file = file.drop_front(sizeBytes);
  if (file.size() < size)
    return makeError("the .npy file ends inside its header");
  return std::make_pair(file.take_front(size), file.drop_front(size));
}

llvm::Expected<NpyArray> diffuse::parseNpy(StringRef file) {
  auto parts = split(file);
  if (!parts)
    return parts.takeError();
  HeaderReader header(parts->first);
  if (llvm::Error error = header.read())
    return error;
  llvm::Expected<std::string> type = typeOfDescription(header.description);
  if (!type)
    return type.takeError();
  if (header.isFortran && header.extents.size() > 1)
    return makeError(".npy arrays in Fortran order are not supported; save "
                     "numpy.ascontiguousarray(a)");
  NpyArray array{*type, header.extents, ""};
  llvm::Expected<uint64_t> size = sizeOf(array);
  if (!size)
    return size.takeError();
  if (parts->second.size() < *size)
    return makeError(
        "the .npy file holds " + llvm::Twine(parts->second.size()) +
        " bytes of data where its header says " + llvm::Twine(*size));
  array.bytes = parts->second.take_front(*size).str();
  return array;
}

llvm::Expected<NpyArray> diffuse::readNpy(StringRef path) {
  llvm::Expected<std::string> file = readFile(path);
  if (!file)
    return file.takeError();
  llvm::Expected<NpyArray> array = parseNpy(*file);
  if (!array)
    return makeError("'" + path + "': " + llvm::toString(array.takeError()));
  return array;
}

static std::string printShape(llvm::ArrayRef<int64_t> extents) {
  std::string text = "(";
  for (int64_t extent : extents)
    text += std::to_string(extent) + ", ";
  // NumPy writes (3, 4) and (3,).
  if (extents.size() > 1)
    text.resize(text.size() - 2);
  else if (extents.size() == 1)
    text.pop_back();
  return text + ")";
}

/// The data as NumPy has it: with the sign in every bit of a byte.
static std::string widen(const NpyArray &array) {
  std::string bytes = array.bytes;
  if (std::optional<ElementType> narrow = narrowType(array.elementType))
    for (char &byte : bytes)
      byte = static_cast<char>(static_cast<int>(loadPart(*narrow, &byte)));
  return bytes;
}

llvm::Expected<std::string> diffuse::printNpy(const NpyArray &array) {
  llvm::Expected<std::string> description = describeType(array.elementType);
  if (!description)
    return description.takeError();
  llvm::Expected<uint64_t> size = sizeOf(array);
  if (!size)
    return size.takeError();
  if (*size != array.bytes.size())
    return makeError("an array of " + llvm::Twine(array.bytes.size()) +
                     " bytes has extents for " + llvm::Twine(*size));
  std::string header =
      "{'descr': '" + *description +
      "', 'fortran_order': False, 'shape': " + printShape(array.extents) +
      ", }";
  bool isLong = header.size() + 64 > 0xffff;
  unsigned prefix = kMagic.size() + 2 + (isLong ? 4 : 2);
  // Data starts at a multiple of 64 bytes, after a newline.
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  char sizeBytes[4];
  llvm::support::endian::write32le(sizeBytes, header.size());
  std::string file = kMagic.str();
  file += isLong ? '\2' : '\1';
  file += '\0';
  file.append(sizeBytes, isLong ? 4 : 2);
  return file + header + widen(array);
}

llvm::Error diffuse::writeNpy(StringRef path, const NpyArray &array) {
  llvm::Expected<std::string> file = printNpy(array);
  if (!file)
    return file.takeError();
  return writeFileAtomically(path, *file);
}
