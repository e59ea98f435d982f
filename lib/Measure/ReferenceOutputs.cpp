// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of one destination are laid end to end and compared as one row of
// values: what is allowed follows from the largest of all of them.

#include "ReferenceOutputs.h"

#include "CompareValues.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"

#include <algorithm>
#include <cmath>

using namespace diffuse;
using llvm::StringRef;

namespace {
/// One output in a file.
struct Output {
  StringRef type;
  llvm::ArrayRef<int64_t> extents;
};
} // namespace

/// First line of the file. Names do not matter.
static std::string describeOutputs(llvm::ArrayRef<Output> outputs,
                                   uint64_t seed) {
  Json::Array results;
  for (const Output &output : outputs) {
    Json result = Json::object();
    result.set("type", output.type)
        .set("extents", Json::arrayOf(output.extents));
    results.push_back(std::move(result));
  }
  Json header = Json::object();
  header.set("format", 1).set("seed", seed).set("results", std::move(results));
  return header.dump();
}

static std::vector<Output> allOutputs(const RunBuffers &buffers) {
  std::vector<Output> outputs;
  for (unsigned i : buffers.destinations()) {
    const BoundaryArgument &argument = buffers.arguments()[i];
    outputs.push_back({argument.elementType, argument.extents});
  }
  return outputs;
}

llvm::Error diffuse::writeOutputs(const RunBuffers &buffers,
                                  const MeasureRequest &request) {
  std::string file =
      describeOutputs(allOutputs(buffers), request.dataSeed) + "\n";
  for (unsigned i : buffers.destinations())
    file.append(buffers.bufferOf(i).data(), buffers.bufferOf(i).size());
  return writeFileAtomically(request.writeOutputs, file);
}

//===-- elements of tiles -------------------------------------------------===//

/// Index in a destination of element `number` of a tile.
static uint64_t indexOf(const OutputTile &tile, llvm::ArrayRef<int64_t> extents,
                        int64_t number) {
  int64_t index = 0, stride = 1;
  for (size_t dim = extents.size(); dim-- > 0;) {
    index += (tile.offsets[dim] + number % tile.sizes[dim]) * stride;
    number /= tile.sizes[dim];
    stride *= extents[dim];
  }
  return static_cast<uint64_t>(index);
}

namespace {
/// Those elements of one destination that a file knows.
struct CheckedElements {
  unsigned argument;
  const BoundaryArgument &description;
  ElementType type;
  /// Empty where the file knows them all.
  std::vector<OutputTile> tiles;
  /// Copies, where there are tiles.
  std::string values, expected;

  /// Index in the destination of a value that was compared.
  uint64_t indexAt(uint64_t part) const {
    uint64_t number = part * type.partBytes() / type.bytes;
    for (const OutputTile &tile : tiles) {
      auto count = static_cast<uint64_t>(tile.elements());
      if (number < count)
        return indexOf(tile, description.extents, number);
      number -= count;
    }
    return number;
  }
};
} // namespace

static void appendTile(const OutputTile &tile, const GuardedBuffer &buffer,
                       StringRef bytes, CheckedElements &checked) {
  unsigned width = checked.type.bytes;
  for (int64_t i = 0, e = tile.elements(); i != e; ++i)
    checked.values.append(
        buffer.data() + indexOf(tile, checked.description.extents, i) * width,
        width);
  checked.expected += bytes;
  checked.tiles.push_back(tile);
}

//===-- messages ----------------------------------------------------------===//

static std::vector<int64_t> positionOf(llvm::ArrayRef<int64_t> extents,
                                       uint64_t index) {
  std::vector<int64_t> position(extents.size());
  for (size_t dim = extents.size(); dim-- > 0;) {
    position[dim] = static_cast<int64_t>(index % extents[dim]);
    index /= extents[dim];
  }
  return position;
}

/// Without the sign of a NaN, which says nothing.
static std::string printValue(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return std::isnan(value) ? "nan" : text;
}

static std::string describe(const CheckedElements &checked,
                            const Differences &found, uint64_t count,
                            llvm::ArrayRef<int64_t> position) {
  char errors[96];
  std::snprintf(errors, sizeof(errors),
                "; the largest error is %.3g where %.3g is allowed",
                found.largestError, found.allowed);
  return std::to_string(found.count) + " of " + std::to_string(count) +
         (checked.tiles.empty() ? "" : " sampled") + " values of result '" +
         checked.description.name + "' (argument " +
         std::to_string(checked.argument) + ") differ, the first at " +
         printPosition(position) + ": " + printValue(found.firstValue) +
         " instead of " + printValue(found.firstExpected) + errors;
}

//===-- comparing ---------------------------------------------------------===//

namespace {
/// Compares with one file after another.
class Comparer {
public:
  Comparer(const RunBuffers &buffers, const MeasureRequest &request)
      : buffers(buffers), request(request),
        destinations(buffers.destinations()) {}

  llvm::Error compareWith(unsigned reference);
  Comparison comparison;

private:
  /// The bytes of a file behind its first line, which says `outputs`.
  llvm::Expected<StringRef> check(const ExpectedOutputs &reference,
                                  llvm::ArrayRef<Output> outputs,
                                  const std::string &file) const;
  CheckedElements elementsOf(unsigned result) const;
  void compareWhole(unsigned reference, StringRef bytes);
  void compareTiles(unsigned reference, StringRef bytes);
  void compare(unsigned reference, unsigned result,
               const CheckedElements &checked, const ValuePair &pair);

  const RunBuffers &buffers;
  const MeasureRequest &request;
  std::vector<unsigned> destinations;
};
} // namespace

CheckedElements Comparer::elementsOf(unsigned result) const {
  unsigned argument = destinations[result];
  const BoundaryArgument &description = buffers.arguments()[argument];
  return {argument,
          description,
          llvm::cantFail(parseElementType(description.elementType)),
          {},
          {},
          {}};
}

void Comparer::compare(unsigned reference, unsigned result,
                       const CheckedElements &checked, const ValuePair &pair) {
  Tolerance tolerance;
  if (result < request.tolerances.size())
    tolerance = request.tolerances[result];
  double factor = request.references[reference].toleranceFactor;
  tolerance.absolute *= factor;
  tolerance.relative *= factor;
  Differences found = compareValues(pair, tolerance);
  double relative = found.largestError;
  if (found.largestExpected > 0)
    relative /= found.largestExpected;
  comparison.maxRelativeError = std::max(comparison.maxRelativeError, relative);
  if (found.count == 0 || !comparison.difference.empty())
    return;
  std::vector<int64_t> position = positionOf(checked.description.extents,
                                             checked.indexAt(found.firstIndex));
  comparison.difference = describe(checked, found, pair.count(), position);
  comparison.wrongElement = AnswerElement{result, position};
  comparison.wrongReference = reference;
}

void Comparer::compareWhole(unsigned reference, StringRef bytes) {
  for (unsigned result = 0; result < destinations.size(); ++result) {
    CheckedElements checked = elementsOf(result);
    const GuardedBuffer &buffer = buffers.bufferOf(checked.argument);
    compare(reference, result, checked,
            {checked.type, buffer.data(), bytes.data(), buffer.size()});
    bytes = bytes.drop_front(buffer.size());
  }
}

void Comparer::compareTiles(unsigned reference, StringRef bytes) {
  std::vector<CheckedElements> checked;
  for (unsigned result = 0; result < destinations.size(); ++result)
    checked.push_back(elementsOf(result));
  for (const OutputTile &tile : request.references[reference].tiles) {
    CheckedElements &elements = checked[tile.result];
    uint64_t size = tile.elements() * elements.type.bytes;
    appendTile(tile, buffers.bufferOf(elements.argument),
               bytes.take_front(size), elements);
    bytes = bytes.drop_front(size);
  }
  for (unsigned result = 0; result < destinations.size(); ++result)
    compare(reference, result, checked[result],
            {checked[result].type, checked[result].values.data(),
             checked[result].expected.data(), checked[result].values.size()});
}

llvm::Expected<StringRef> Comparer::check(const ExpectedOutputs &reference,
                                          llvm::ArrayRef<Output> outputs,
                                          const std::string &file) const {
  auto [header, bytes] = StringRef(file).split('\n');
  if (header != describeOutputs(outputs, request.dataSeed))
    return makeError("reference '" + reference.path +
                     "' is not for this boundary and seed");
  uint64_t needed = 0;
  for (const Output &output : outputs) {
    uint64_t size = llvm::cantFail(parseElementType(output.type)).bytes;
    for (int64_t extent : output.extents)
      size *= extent;
    needed += size;
  }
  if (bytes.size() < needed)
    return makeError("reference '" + reference.path + "' is cut short");
  return bytes;
}

llvm::Error Comparer::compareWith(unsigned number) {
  const ExpectedOutputs &reference = request.references[number];
  std::vector<Output> whole = allOutputs(buffers), outputs;
  for (const OutputTile &tile : reference.tiles) {
    if (tile.result >= whole.size() || !tile.liesIn(whole[tile.result].extents))
      return makeError("a tile of reference '" + reference.path +
                       "' lies in no result");
    outputs.push_back({whole[tile.result].type, tile.sizes});
  }
  bool isWhole = reference.tiles.empty();
  llvm::Expected<std::string> file = readFile(reference.path);
  if (!file)
    return file.takeError();
  llvm::Expected<StringRef> bytes =
      check(reference, isWhole ? whole : outputs, *file);
  if (!bytes)
    return bytes.takeError();
  isWhole ? compareWhole(number, *bytes) : compareTiles(number, *bytes);
  return llvm::Error::success();
}

llvm::Expected<Comparison>
diffuse::compareOutputs(const RunBuffers &buffers,
                        const MeasureRequest &request) {
  Comparer comparer(buffers, request);
  for (unsigned i = 0; i < request.references.size(); ++i)
    if (llvm::Error error = comparer.compareWith(i))
      return error;
  return comparer.comparison;
}
