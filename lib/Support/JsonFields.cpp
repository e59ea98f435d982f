// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One overload per type instead of a template for all, so that the header needs
// no parser and a wrong type does not compile.

#include "Diffuse/Support/JsonFields.h"

#include "Diffuse/Support/Errors.h"

#include <limits>

using namespace diffuse;
using llvm::StringRef;

JsonFields::JsonFields(const Json &value, StringRef what)
    : value(value), what(what.str()) {
  if (!value.isObject())
    fail("is not an object");
}

JsonFields::~JsonFields() {
  assert(firstError.empty() && "takeError was not called");
}

void JsonFields::fail(const llvm::Twine &message) {
  if (firstError.empty())
    firstError = (what + " " + message).str();
}

void JsonFields::mistype(StringRef name, StringRef expected) {
  fail("has a member '" + name + "' that is not " + expected);
}

llvm::Error JsonFields::takeError() {
  if (firstError.empty())
    return llvm::Error::success();
  std::string message;
  std::swap(message, firstError);
  return makeError(message);
}

const Json *JsonFields::findAllowed(StringRef name) {
  const Json *member = value.find(name);
  return member && !member->isNull() ? member : nullptr;
}

const Json *JsonFields::findRequired(StringRef name) {
  const Json *member = findAllowed(name);
  if (!member)
    fail("has no member '" + name + "'");
  return member;
}

void JsonFields::require(StringRef name,
                         llvm::function_ref<llvm::Error(const Json &)> reader) {
  if (const Json *member = findRequired(name))
    if (llvm::Error error = reader(*member))
      fail("has a bad member '" + name +
           "': " + llvm::toString(std::move(error)));
}

void JsonFields::allow(StringRef name,
                       llvm::function_ref<llvm::Error(const Json &)> reader) {
  if (findAllowed(name))
    require(name, reader);
}

/// Sets `out` from an optional; false where there is nothing in it.
template <typename T>
static bool assign(const std::optional<T> &value, T &out) {
  if (value)
    out = *value;
  return value.has_value();
}

static bool convert(const Json &value, int64_t &out) {
  return assign(value.asInteger(), out);
}

static bool convert(const Json &value, double &out) {
  return assign(value.asNumber(), out);
}

static bool convert(const Json &value, std::string &out) {
  if (const std::string *text = value.asString())
    return out = *text, true;
  return false;
}

template <typename T>
static bool convert(const Json &value, std::vector<T> &out) {
  const Json::Array *array = value.asArray();
  if (!array)
    return false;
  out.assign(array->size(), T());
  for (size_t i = 0; i < array->size(); ++i)
    if (!convert((*array)[i], out[i]))
      return false;
  return true;
}

template <typename T>
static bool convert(const Json &value, std::map<std::string, T> &out) {
  if (!value.isObject())
    return false;
  out.clear();
  // Members come sorted, so each goes to the end.
  for (const Json::Member &member : value.members())
    if (!convert(member.second,
                 out.emplace_hint(out.end(), member.first, T())->second))
      return false;
  return true;
}

void JsonFields::read(StringRef name, const Json &member, bool &out) {
  if (!assign(member.asBool(), out))
    mistype(name, "true or false");
}

void JsonFields::read(StringRef name, const Json &member, int64_t &out) {
  if (!convert(member, out))
    mistype(name, "an integer");
}

void JsonFields::read(StringRef name, const Json &member, uint64_t &out) {
  if (!assign(member.asUnsigned(), out))
    mistype(name, "a non-negative integer");
}

void JsonFields::read(StringRef name, const Json &member, unsigned &out) {
  std::optional<uint64_t> wide = member.asUnsigned();
  if (!wide || *wide > std::numeric_limits<unsigned>::max())
    return mistype(name, "a non-negative integer of 32 bits");
  out = static_cast<unsigned>(*wide);
}

void JsonFields::read(StringRef name, const Json &member, double &out) {
  if (!convert(member, out))
    mistype(name, "a number");
}

void JsonFields::read(StringRef name, const Json &member, std::string &out) {
  if (!convert(member, out))
    mistype(name, "a string");
}

void JsonFields::read(StringRef name, const Json &member,
                      std::vector<int64_t> &out) {
  if (!convert(member, out))
    mistype(name, "an array of integers");
}

void JsonFields::read(StringRef name, const Json &member,
                      std::vector<double> &out) {
  if (!convert(member, out))
    mistype(name, "an array of numbers");
}

void JsonFields::read(StringRef name, const Json &member,
                      std::vector<std::string> &out) {
  if (!convert(member, out))
    mistype(name, "an array of strings");
}

void JsonFields::read(StringRef name, const Json &member,
                      std::map<std::string, int64_t> &out) {
  if (!convert(member, out))
    mistype(name, "an object of integers");
}

void JsonFields::read(StringRef name, const Json &member,
                      std::map<std::string, double> &out) {
  if (!convert(member, out))
    mistype(name, "an object of numbers");
}
