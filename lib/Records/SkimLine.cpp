// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SkimLine.h"

#include "Diffuse/Records/MeasurementRecord.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>

using namespace diffuse;
using llvm::StringRef;

namespace {
/// What a byte may be part of.
enum class Byte : uint8_t { Other, InNumber, Quote, Foreign };
} // namespace

static constexpr std::array<Byte, 256> classify() {
  std::array<Byte, 256> bytes{};
  for (unsigned value = 0; value < 256; ++value)
    bytes[value] = value < 0x20 || value >= 0x80 ? Byte::Foreign : Byte::Other;
  for (char value : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-',
                     '.', 'e', 'E'})
    bytes[static_cast<uint8_t>(value)] = Byte::InNumber;
  bytes['"'] = Byte::Quote;
  // What it escapes is for the parser to see.
  bytes['\\'] = Byte::Foreign;
  return bytes;
}

static constexpr std::array<Byte, 256> kBytes = classify();
/// Deeper lines are the parser's.
static constexpr unsigned kMaxDepth = 8;

namespace {
/// Goes over one line. Every step is false where the line is not plain.
class Skimmer {
public:
  using Member = llvm::function_ref<bool(StringRef name, StringRef value)>;

  explicit Skimmer(StringRef line) : at(line.begin()), end(line.end()) {}

  bool isAtEnd() const { return at == end; }

  bool object(unsigned depth, Member member) {
    return list('{', '}', [&] {
      const char *name = at;
      if (!string())
        return false;
      StringRef key(name + 1, at - name - 2);
      if (!take(':'))
        return false;
      const char *start = at;
      return value(depth) && member(key, StringRef(start, at - start));
    });
  }

private:
  Byte here() const { return kBytes[static_cast<uint8_t>(*at)]; }

  bool take(char expected) {
    if (at == end || *at != expected)
      return false;
    ++at;
    return true;
  }

  bool list(char open, char close, llvm::function_ref<bool()> element) {
    if (!take(open))
      return false;
    if (take(close))
      return true;
    do
      if (!element())
        return false;
    while (take(','));
    return take(close);
  }

  bool string() {
    if (!take('"'))
      return false;
    while (at != end && (here() == Byte::Other || here() == Byte::InNumber))
      ++at;
    return take('"');
  }

  bool number() {
    const char *start = at;
    while (at != end && here() == Byte::InNumber)
      ++at;
    return at != start;
  }

  bool word(StringRef text) {
    if (!StringRef(at, end - at).starts_with(text))
      return false;
    at += text.size();
    return true;
  }

  bool value(unsigned depth) {
    if (at == end || depth == kMaxDepth)
      return false;
    switch (*at) {
    case '"':
      return string();
    case '{':
      return object(depth + 1, [](StringRef, StringRef) { return true; });
    case '[':
      return list('[', ']', [&] { return value(depth + 1); });
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      return number();
    }
  }

  const char *at, *end;
};

/// The members that are looked at.
enum class Wanted {
  ExactHash,
  Target,
  Threads,
  Numerics,
  Codegen,
  Protocol,
  // These may be absent.
  Denormals,
  Extents,
  // These are not of the scope.
  Kind,
  Format,
  Schedule,
  Failure,
  None
};
constexpr size_t kWanted = size_t(Wanted::None);
} // namespace

static Wanted wantedOf(StringRef name) {
  return llvm::StringSwitch<Wanted>(name)
      .Case("exact_hash", Wanted::ExactHash)
      .Case("target", Wanted::Target)
      .Case("threads", Wanted::Threads)
      .Case("numerics", Wanted::Numerics)
      .Case("codegen", Wanted::Codegen)
      .Case("protocol", Wanted::Protocol)
      .Case("denormals", Wanted::Denormals)
      .Case("extents", Wanted::Extents)
      .Case("kind", Wanted::Kind)
      .Case("format", Wanted::Format)
      .Case("schedule", Wanted::Schedule)
      .Case("failure", Wanted::Failure)
      .Default(Wanted::None);
}

/// The value of `format`; others are the parser's to refuse.
static bool isKnownFormat(StringRef value) {
  unsigned format = 0;
  return !value.starts_with("0") && !value.getAsInteger(10, format) &&
         format <= kRecordFormat;
}

std::optional<SkimmedLine> diffuse::skimMeasurement(StringRef line) {
  std::array<StringRef, kWanted> values;
  Skimmer skimmer(line);
  // Of members with one name the last counts, as it does for the parser.
  bool isPlain = skimmer.object(0, [&](StringRef name, StringRef value) {
    if (Wanted wanted = wantedOf(name); wanted != Wanted::None)
      values[size_t(wanted)] = value;
    return true;
  });
  auto valueOf = [&](Wanted wanted) { return values[size_t(wanted)]; };
  if (!isPlain || !skimmer.isAtEnd() ||
      valueOf(Wanted::Kind) != "\"measurement\"" ||
      !isKnownFormat(valueOf(Wanted::Format)) ||
      valueOf(Wanted::Schedule).empty() || valueOf(Wanted::Failure).empty())
    return std::nullopt;
  SkimmedLine skimmed;
  for (size_t member = 0; member <= size_t(Wanted::Extents); ++member) {
    if (values[member].empty() && member < size_t(Wanted::Denormals))
      return std::nullopt;
    skimmed.scope += values[member];
    skimmed.scope += '\n';
  }
  skimmed.succeeded = valueOf(Wanted::Failure) == "\"none\"";
  return skimmed;
}
