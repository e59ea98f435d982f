// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON values. The parser and printer behind them are nlohmann's, which throws
// and is slow to include, so Json.cpp alone sees it: it is compiled with
// exceptions and lets none out.

#ifndef DIFFUSE_SUPPORT_JSON_H
#define DIFFUSE_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace diffuse {

/// One JSON value. Objects keep their members sorted by name, so that equal
/// values print equal bytes.
class Json {
public:
  using Member = std::pair<std::string, Json>;
  using Array = std::vector<Json>;

  /// Null.
  Json() = default;
  Json(bool value) : value(value) {}
  Json(int value) : value(int64_t(value)) {}
  Json(unsigned value) : value(int64_t(value)) {}
  Json(int64_t value) : value(value) {}
  Json(uint64_t value);
  Json(double value) : value(value) {}
  Json(llvm::StringRef value) : value(value.str()) {}
  Json(std::string value) : value(std::move(value)) {}
  Json(const char *value) : value(std::string(value)) {}
  Json(Array value) : value(std::move(value)) {}
  template <typename T> static Json arrayOf(const T &values) {
    Array array;
    for (const auto &element : values)
      array.push_back(Json(element));
    return Json(std::move(array));
  }
  /// `{}`; set() fills it.
  static Json object();

  bool isNull() const { return value.index() == 0; }
  bool isObject() const { return std::holds_alternative<Object>(value); }
  bool isArray() const { return std::holds_alternative<Array>(value); }

  /// The value where it has the type asked for, else nullopt or null. A number
  /// without a fraction is also a number; one that does not fit is neither
  /// integer nor unsigned.
  std::optional<bool> asBool() const;
  std::optional<int64_t> asInteger() const;
  std::optional<uint64_t> asUnsigned() const;
  std::optional<double> asNumber() const;
  const std::string *asString() const;
  const Array *asArray() const;

  /// The members of an object in order of names; nothing for other values.
  llvm::ArrayRef<Member> members() const;
  /// A member of an object, or null where there is none.
  const Json *find(llvm::StringRef name) const;
  /// Sets a member of an object, replacing one of that name.
  Json &set(llvm::StringRef name, Json member);

  /// Reads one value that takes up all of `text`. The message of a failure
  /// names the byte at fault. Nesting deeper than 100 is refused.
  static llvm::Expected<Json> parse(llvm::StringRef text);

  /// Members in order of names, numbers in their shortest exact form, on one
  /// line or indented by `indent` spaces. Bytes that are not UTF-8 become
  /// U+FFFD; numbers that are not finite become null.
  std::string dump(int indent = -1) const;

private:
  struct Object {
    std::vector<Member> members;
  };
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string,
               Array, Object>
      value;
  friend class JsonConversion;
};

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_JSON_H
