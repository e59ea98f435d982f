// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors are compared with the largest value of a result, not with each value:
// where terms cancel, a small value carries the error of the large terms.

#include "ReferenceOutputs.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace diffuse;
using llvm::StringRef;

/// First line of the file. Names do not matter.
static std::string describeOutputs(const RunBuffers &buffers, uint64_t seed) {
  Json::Array results;
  for (unsigned i : buffers.destinations()) {
    const BoundaryArgument &argument = buffers.arguments()[i];
    Json result = Json::object();
    result.set("type", argument.elementType)
        .set("extents", Json::arrayOf(argument.extents));
    results.push_back(std::move(result));
  }
  Json header = Json::object();
  header.set("format", 1).set("seed", seed).set("results", std::move(results));
  return header.dump();
}

llvm::Error diffuse::writeOutputs(const RunBuffers &buffers,
                                  const MeasureRequest &request) {
  std::string file = describeOutputs(buffers, request.dataSeed) + "\n";
  for (unsigned i : buffers.destinations())
    file.append(buffers.bufferOf(i).data(), buffers.bufferOf(i).size());
  return writeFileAtomically(request.writeOutputs, file);
}

//===-- comparing ---------------------------------------------------------===//

namespace {
/// Differences of one destination.
struct Differences {
  uint64_t count = 0;
  uint64_t firstIndex = 0;
  double firstValue = 0;
  double firstExpected = 0;
  /// Of all values, those that pass included.
  double largestError = 0;

  void note(uint64_t index, double value, double expected, double error,
            bool passes) {
    largestError = std::max(largestError, error);
    if (passes)
      return;
    if (count++ == 0) {
      firstIndex = index;
      firstValue = value;
      firstExpected = expected;
    }
  }
};
} // namespace

namespace {
/// Reads a value as a number: at full speed where the compiler knows the type.
template <typename T> struct NativeLoader {
  const char *bytes;
  double operator()(uint64_t index) const {
    T value;
    std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  }
};

struct AnyLoader {
  const char *bytes;
  ElementType type;
  double operator()(uint64_t index) const {
    return loadPart(type, bytes + index * type.partBytes());
  }
};
} // namespace

template <typename Loader>
static double largestFinite(const Loader &load, uint64_t count) {
  double largest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double magnitude = std::fabs(load(i));
    if (std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  }
  return largest;
}

/// Distance of two values; an infinity or NaN is at distance 0 from its like
/// and at an infinite one from all else.
static double distance(double value, double expected) {
  if (std::isfinite(value) && std::isfinite(expected))
    return std::fabs(value - expected);
  bool isSame = std::isnan(expected) ? std::isnan(value) : value == expected;
  return isSame ? 0 : HUGE_VAL;
}

template <typename Loader>
static Differences compareValues(const Loader &values, const Loader &expected,
                                 uint64_t count, double allowed) {
  Differences differences;
  for (uint64_t i = 0; i < count; ++i) {
    double error = distance(values(i), expected(i));
    differences.note(i, values(i), expected(i), error, error <= allowed);
  }
  return differences;
}

/// Integers are compared by bytes, so that a byte of an i1 that is neither 0
/// nor 1 is seen.
static Differences compareIntegers(const AnyLoader &values,
                                   const AnyLoader &expected, uint64_t count) {
  Differences differences;
  unsigned bytes = values.type.bytes;
  for (uint64_t i = 0; i < count; ++i) {
    if (std::memcmp(values.bytes + i * bytes, expected.bytes + i * bytes,
                    bytes) == 0)
      continue;
    double error = std::fabs(values(i) - expected(i));
    differences.note(i, values(i), expected(i), error, false);
  }
  return differences;
}

namespace {
/// One destination and what it should hold.
struct OutputPair {
  unsigned argument;
  const BoundaryArgument &description;
  ElementType type;
  const char *values;
  const char *expected;
  uint64_t bytes;
};
} // namespace

static double allowedError(const Tolerance &tolerance, double largest) {
  return tolerance.absolute + tolerance.relative * largest;
}

template <typename Loader>
static Differences compareFloats(const Loader &values, const Loader &expected,
                                 uint64_t count, const Tolerance &tolerance,
                                 double &largest) {
  largest = largestFinite(expected, count);
  return compareValues(values, expected, count,
                       allowedError(tolerance, largest));
}

static Differences compare(const OutputPair &pair, const Tolerance &tolerance,
                           double &largest) {
  uint64_t count = pair.bytes / pair.type.partBytes();
  AnyLoader values{pair.values, pair.type}, expected{pair.expected, pair.type};
  if (pair.type.isInteger()) {
    largest = largestFinite(expected, count);
    return compareIntegers(values, expected, count);
  }
  if (pair.type.partBytes() == 4)
    return compareFloats(NativeLoader<float>{pair.values},
                         NativeLoader<float>{pair.expected}, count, tolerance,
                         largest);
  if (pair.type.partBytes() == 8)
    return compareFloats(NativeLoader<double>{pair.values},
                         NativeLoader<double>{pair.expected}, count, tolerance,
                         largest);
  return compareFloats(values, expected, count, tolerance, largest);
}

/// Position in a tensor, such as `[0, 5]`.
static std::string printPosition(const OutputPair &pair, uint64_t part) {
  uint64_t index = part * pair.type.partBytes() / pair.type.bytes;
  std::string text;
  for (int64_t extent : llvm::reverse(pair.description.extents)) {
    text = std::to_string(index % extent) + (text.empty() ? "" : ", ") + text;
    index /= extent;
  }
  return "[" + text + "]";
}

/// Without the sign of a NaN, which says nothing.
static std::string printValue(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return std::isnan(value) ? "nan" : text;
}

static std::string describe(const OutputPair &pair, const Differences &found,
                            double allowed) {
  char errors[96];
  std::snprintf(errors, sizeof(errors),
                "; the largest error is %.3g where %.3g is allowed",
                found.largestError, allowed);
  return std::to_string(found.count) + " of " +
         std::to_string(pair.bytes / pair.type.partBytes()) +
         " values of result '" + pair.description.name + "' (argument " +
         std::to_string(pair.argument) + ") differ, the first at " +
         printPosition(pair, found.firstIndex) + ": " +
         printValue(found.firstValue) + " instead of " +
         printValue(found.firstExpected) + errors;
}

static void compareInto(const OutputPair &pair, const Tolerance &tolerance,
                        Comparison &comparison) {
  double largest = 0;
  Differences found = compare(pair, tolerance, largest);
  double relative =
      largest > 0 ? found.largestError / largest : found.largestError;
  comparison.maxRelativeError = std::max(comparison.maxRelativeError, relative);
  double allowed = pair.type.isInteger() ? 0 : allowedError(tolerance, largest);
  if (found.count > 0 && comparison.difference.empty())
    comparison.difference = describe(pair, found, allowed);
}

llvm::Expected<Comparison>
diffuse::compareOutputs(const RunBuffers &buffers,
                        const MeasureRequest &request) {
  llvm::Expected<std::string> file = readFile(request.reference);
  if (!file)
    return file.takeError();
  auto [header, rest] = StringRef(*file).split('\n');
  if (header != describeOutputs(buffers, request.dataSeed))
    return makeError("reference '" + request.reference +
                     "' is not for this boundary and seed");
  Comparison comparison;
  llvm::ArrayRef<Tolerance> tolerances = request.tolerances;
  for (unsigned i : buffers.destinations()) {
    const GuardedBuffer &buffer = buffers.bufferOf(i);
    const BoundaryArgument &argument = buffers.arguments()[i];
    if (rest.size() < buffer.size())
      return makeError("reference '" + request.reference + "' is cut short");
    OutputPair pair{i,
                    argument,
                    llvm::cantFail(parseElementType(argument.elementType)),
                    buffer.data(),
                    rest.data(),
                    buffer.size()};
    compareInto(pair, tolerances.empty() ? Tolerance() : tolerances.front(),
                comparison);
    tolerances = tolerances.drop_front(tolerances.empty() ? 0 : 1);
    rest = rest.drop_front(buffer.size());
  }
  return comparison;
}
