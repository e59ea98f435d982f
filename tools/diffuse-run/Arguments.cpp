// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arguments.h"

#include "Diffuse/Measure/TestData.h"
#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>

using namespace diffuse;
using llvm::StringRef;
using Kind = BoundaryArgument::Kind;

void Tensor::Free::operator()(void *pointer) const { std::free(pointer); }

llvm::Expected<Tensor> Tensor::allocate(const BoundaryArgument &argument) {
  llvm::Expected<uint64_t> bytes = countBytes(argument);
  if (!bytes)
    return bytes.takeError();
  Tensor tensor;
  tensor.argument = argument;
  tensor.byteCount = *bytes;
  uint64_t size = llvm::alignTo(*bytes + 1, 64);
  tensor.bytes.reset(static_cast<char *>(std::aligned_alloc(64, size)));
  if (!tensor.bytes)
    return makeError("out of memory: '" + argument.name + "' needs " +
                     llvm::Twine(size) + " bytes");
  // What a faulty model leaves unwritten must not differ from run to run.
  std::memset(tensor.bytes.get(), 0, size);
  return tensor;
}

std::vector<diffuse_tensor> Arguments::views(llvm::ArrayRef<Tensor> tensors) {
  std::vector<diffuse_tensor> views;
  for (const Tensor &tensor : tensors)
    views.push_back(tensor.view());
  return views;
}

static bool isNarrow(llvm::StringRef spelling) {
  llvm::Expected<ElementType> type = parseElementType(spelling);
  if (type)
    return type->narrowBits != 0;
  llvm::consumeError(type.takeError());
  return false;
}

/// Copies bytes of a file into elements that use only their low bits. Either
/// reading of these, signed or not, is accepted where the type says neither.
static llvm::Error copyNarrow(const NpyArray &array, Tensor &tensor,
                              const std::string &path) {
  llvm::StringRef spelling = tensor.type().elementType;
  ElementType type = llvm::cantFail(parseElementType(spelling));
  int count = 1 << type.narrowBits;
  int least = spelling.starts_with("u") ? 0 : -count / 2;
  int greatest = (spelling.starts_with("s") ? count / 2 : count) - 1;
  for (auto [index, byte] : llvm::enumerate(array.bytes)) {
    int value = array.elementType == "ui8" ? static_cast<unsigned char>(byte)
                                           : static_cast<signed char>(byte);
    if (value < least || value > greatest)
      return makeError("'" + path + "' holds " + llvm::Twine(value) +
                       " at element " + llvm::Twine(index) + ", and '" +
                       tensor.type().name + "' of type " + spelling +
                       " takes " + llvm::Twine(least) + " to " +
                       llvm::Twine(greatest));
    storeInteger(type, tensor.data() + index, value);
  }
  return llvm::Error::success();
}

/// Types whose bits agree though their spellings differ, or that a file holds
/// in wider ones.
static bool isSameType(llvm::StringRef expected, llvm::StringRef found) {
  if (isNarrow(expected))
    return found == "i8" || found == "ui8";
  auto signless = [](llvm::StringRef type) {
    type.consume_front("u");
    type.consume_front("s");
    return type == "index" ? "i64" : type;
  };
  return signless(expected) == signless(found) ||
         (expected == "bf16" && found == "ui16");
}

/// `f32 of extents 3x5`, with `?` for those that are dynamic.
static std::string describe(StringRef elementType,
                            llvm::ArrayRef<int64_t> extents) {
  if (extents.empty())
    return (elementType + " of rank 0").str();
  auto spell = [](int64_t extent) {
    return extent == kDynamicExtent ? "?" : std::to_string(extent);
  };
  return (elementType + " of extents " +
          llvm::join(llvm::map_range(extents, spell), "x"))
      .str();
}

/// Takes over the extents of the file where the argument's are dynamic.
static llvm::Expected<Tensor> fromFile(BoundaryArgument argument,
                                       const std::string &path) {
  llvm::Expected<NpyArray> array = readNpy(path);
  if (!array)
    return array.takeError();
  std::string wanted = describe(argument.elementType, argument.extents);
  bool fits = isSameType(argument.elementType, array->elementType) &&
              array->extents.size() == argument.extents.size();
  for (size_t i = 0; fits && i < argument.extents.size(); ++i) {
    if (argument.extents[i] == kDynamicExtent)
      argument.extents[i] = array->extents[i];
    fits = argument.extents[i] == array->extents[i];
  }
  if (!fits)
    return makeError("'" + path + "' does not fit '" + argument.name +
                     "': the model takes " + wanted + ", the file holds " +
                     describe(array->elementType, array->extents));
  llvm::Expected<Tensor> tensor = Tensor::allocate(argument);
  if (!tensor)
    return tensor.takeError();
  if (array->bytes.size() != tensor->size())
    return makeError("'" + path + "' holds " +
                     llvm::Twine(array->bytes.size()) + " bytes, '" +
                     argument.name + "' takes " + llvm::Twine(tensor->size()));
  if (isNarrow(argument.elementType)) {
    if (llvm::Error error = copyNarrow(*array, *tensor, path))
      return error;
    return tensor;
  }
  std::memcpy(tensor->data(), array->bytes.data(), array->bytes.size());
  return tensor;
}

namespace {
/// Hands out the extents of the command line in order.
class ExtentSource {
public:
  explicit ExtentSource(llvm::ArrayRef<int64_t> extents) : left(extents) {}

  /// How many are left.
  unsigned count() const { return left.size(); }

  llvm::Error fill(BoundaryArgument &argument) {
    for (int64_t &extent : argument.extents) {
      if (extent != kDynamicExtent)
        continue;
      if (left.empty())
        return makeError("'" + argument.name +
                         "' has dynamic extents: give --input or --extents");
      extent = left.front();
      left = left.drop_front();
    }
    return llvm::Error::success();
  }

private:
  llvm::ArrayRef<int64_t> left;
};
} // namespace

static llvm::Expected<Tensor> fromSeed(const BoundaryArgument &argument,
                                       uint64_t seed, unsigned position) {
  llvm::Expected<Tensor> tensor = Tensor::allocate(argument);
  if (!tensor)
    return tensor.takeError();
  if (argument.isBuffer()) {
    if (llvm::Error error =
            fillArgument(argument, seed, position, tensor->data()))
      return error;
    return tensor;
  }
  llvm::Expected<int64_t> slot = scalarSlot(argument, seed, position);
  if (!slot)
    return slot.takeError();
  std::memcpy(tensor->data(), &*slot, std::min<uint64_t>(8, tensor->size()));
  return tensor;
}

llvm::Expected<Arguments>
diffuse::makeArguments(llvm::ArrayRef<BoundaryArgument> types,
                       const DataOptions &options, bool fileParameters) {
  Arguments arguments;
  ExtentSource extents(options.extents);
  llvm::ArrayRef<std::string> files = options.inputFiles;
  for (auto [position, type] : llvm::enumerate(types)) {
    bool isParameter = type.kind == Kind::Parameter;
    if (type.kind == Kind::Destination || (isParameter && fileParameters))
      continue;
    BoundaryArgument argument = type;
    bool hasFile = !isParameter && !files.empty();
    if (!hasFile)
      if (llvm::Error error = extents.fill(argument))
        return error;
    llvm::Expected<Tensor> tensor =
        hasFile ? fromFile(argument, files.front())
                : fromSeed(argument, options.seed, position);
    if (!tensor)
      return tensor.takeError();
    if (hasFile)
      files = files.drop_front();
    (isParameter ? arguments.parameters : arguments.inputs)
        .push_back(std::move(*tensor));
  }
  if (unsigned left = extents.count())
    return makeError("--extents gives " + llvm::Twine(options.extents.size()) +
                     " extents where " +
                     llvm::Twine(options.extents.size() - left) +
                     " are dynamic and not given by --input");
  if (!files.empty())
    return makeError("--input=" + files.front() +
                     ": the model has no input left for it");
  return arguments;
}

llvm::Error diffuse::makeOutputs(const LoadedModel &model,
                                 diffuse_handle *handle, Arguments &arguments) {
  unsigned dynamic = 0;
  for (const BoundaryArgument &argument : model.boundary())
    if (argument.kind == Kind::Destination)
      dynamic += llvm::count(argument.extents, kDynamicExtent);
  std::vector<int64_t> extents(dynamic);
  if (dynamic) {
    auto inputs = Arguments::views(arguments.inputs);
    if (model.extents(handle, inputs.data(), extents.data()))
      return makeError(model.error(handle));
  }
  llvm::ArrayRef<int64_t> left = extents;
  for (BoundaryArgument argument : model.boundary()) {
    if (argument.kind != Kind::Destination)
      continue;
    for (int64_t &extent : argument.extents)
      if (extent == kDynamicExtent) {
        extent = left.front();
        left = left.drop_front();
      }
    llvm::Expected<Tensor> tensor = Tensor::allocate(argument);
    if (!tensor)
      return tensor.takeError();
    arguments.outputs.push_back(std::move(*tensor));
  }
  return llvm::Error::success();
}
