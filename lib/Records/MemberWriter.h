// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that hold their default are left out: a record file has very many
// lines.

#ifndef DIFFUSE_LIB_RECORDS_MEMBERWRITER_H
#define DIFFUSE_LIB_RECORDS_MEMBERWRITER_H

#include "Diffuse/Support/Json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace diffuse {

/// Sets members that differ from their default.
class MemberWriter {
public:
  explicit MemberWriter(Json &json) : json(json) {}

  void text(llvm::StringRef name, const std::string &value) {
    if (!value.empty())
      json.set(name, value);
  }
  void flag(llvm::StringRef name, bool value) {
    if (value)
      json.set(name, true);
  }
  void number(llvm::StringRef name, double value) {
    // JSON has no infinities.
    double limit = std::numeric_limits<double>::max();
    if (value != 0)
      json.set(name,
               std::isnan(value) ? limit : std::clamp(value, -limit, limit));
  }
  template <typename T>
  void list(llvm::StringRef name, const std::vector<T> &values) {
    if (!values.empty())
      json.set(name, Json::arrayOf(values));
  }
  template <typename T>
  void map(llvm::StringRef name, const std::map<std::string, T> &values) {
    if (values.empty())
      return;
    Json object = Json::object();
    for (const auto &[key, value] : values)
      object.set(key, value);
    json.set(name, std::move(object));
  }

private:
  Json &json;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_RECORDS_MEMBERWRITER_H
