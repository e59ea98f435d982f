// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one file that includes nlohmann, and the one that is compiled with
// exceptions. Parsing goes through its event interface, which reports errors
// by a call and fills our values without a second tree.

#include "Diffuse/Support/Json.h"

#include "Diffuse/Support/Errors.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

using namespace diffuse;
using llvm::StringRef;

/// Deeper nesting would let a hostile file overflow the stack of whoever walks
/// the value.
static constexpr size_t kMaxDepth = 100;

Json::Json(uint64_t number) {
  if (number <= uint64_t(std::numeric_limits<int64_t>::max()))
    value = static_cast<int64_t>(number);
  else
    value = number;
}

Json Json::object() {
  Json json;
  json.value = Object();
  return json;
}

std::optional<bool> Json::asBool() const {
  if (const bool *held = std::get_if<bool>(&value))
    return *held;
  return std::nullopt;
}

std::optional<int64_t> Json::asInteger() const {
  if (const int64_t *held = std::get_if<int64_t>(&value))
    return *held;
  return std::nullopt;
}

std::optional<uint64_t> Json::asUnsigned() const {
  if (const uint64_t *held = std::get_if<uint64_t>(&value))
    return *held;
  if (const int64_t *held = std::get_if<int64_t>(&value); held && *held >= 0)
    return static_cast<uint64_t>(*held);
  return std::nullopt;
}

std::optional<double> Json::asNumber() const {
  if (const double *held = std::get_if<double>(&value))
    return *held;
  if (const int64_t *held = std::get_if<int64_t>(&value))
    return static_cast<double>(*held);
  if (const uint64_t *held = std::get_if<uint64_t>(&value))
    return static_cast<double>(*held);
  return std::nullopt;
}

const std::string *Json::asString() const {
  return std::get_if<std::string>(&value);
}

const Json::Array *Json::asArray() const { return std::get_if<Array>(&value); }

llvm::ArrayRef<Json::Member> Json::members() const {
  if (const Object *object = std::get_if<Object>(&value))
    return object->members;
  return {};
}

/// Where a member of that name stands or belongs.
template <typename Members>
static auto findPlace(Members &members, StringRef name) {
  return std::lower_bound(members.begin(), members.end(), name,
                          [](const Json::Member &member, StringRef name) {
                            return StringRef(member.first) < name;
                          });
}

const Json *Json::find(StringRef name) const {
  llvm::ArrayRef<Member> all = members();
  auto place = findPlace(all, name);
  return place != all.end() && place->first == name ? &place->second : nullptr;
}

Json &Json::set(StringRef name, Json member) {
  Object *object = std::get_if<Object>(&value);
  assert(object && "only an object has members");
  auto place = findPlace(object->members, name);
  if (place != object->members.end() && place->first == name)
    place->second = std::move(member);
  else
    object->members.emplace(place, name.str(), std::move(member));
  return *this;
}

namespace diffuse {
/// Receives nlohmann's events and builds the value; turns values into
/// nlohmann's for printing.
class JsonConversion {
public:
  using Tree = nlohmann::json;

  static Tree toTree(const Json &json);

  bool null() { return put(Json()); }
  bool boolean(bool value) { return put(Json(value)); }
  bool number_integer(int64_t value) { return put(Json(value)); }
  bool number_unsigned(uint64_t value) { return put(Json(value)); }
  bool number_float(double value, const std::string &) {
    return put(Json(value));
  }
  bool string(std::string &value) { return put(Json(std::move(value))); }
  bool binary(Tree::binary_t &) { return false; }
  bool start_object(size_t) {
    if (!open(Json::object()))
      return false;
    // The lines of a record file have about this many members.
    if (stack.size() == 1)
      openObject().reserve(32);
    return true;
  }
  bool start_array(size_t) { return open(Json(Json::Array())); }
  bool key(std::string &name) {
    openObject().emplace_back(std::move(name), Json());
    return true;
  }
  bool end_object() {
    sortMembers(openObject());
    stack.pop_back();
    return true;
  }
  bool end_array() {
    stack.pop_back();
    return true;
  }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: why".
    // Errors of range say no place.
    StringRef reason = exception.what();
    reason = reason.substr(reason.find("] ") + 2);
    if (reason.starts_with("parse error at"))
      reason = reason.split(": ").second;
    error =
        "bad JSON at byte " + std::to_string(position) + ": " + reason.str();
    return false;
  }

  Json root;
  std::string error;

private:
  std::vector<Json::Member> &openObject() {
    return std::get<Json::Object>(stack.back()->value).members;
  }

  /// The place for the next value; containers stay where they are until they
  /// are closed, so pointers to the open ones hold.
  Json *nextPlace() {
    if (stack.empty())
      return &root;
    if (auto *array = std::get_if<Json::Array>(&stack.back()->value))
      return &array->emplace_back();
    return &openObject().back().second;
  }

  bool put(Json value) {
    *nextPlace() = std::move(value);
    return true;
  }

  bool open(Json container) {
    if (stack.size() == kMaxDepth) {
      error = "JSON is nested deeper than " + std::to_string(kMaxDepth);
      return false;
    }
    Json *place = nextPlace();
    *place = std::move(container);
    stack.push_back(place);
    return true;
  }

  /// Sorts by name; of members with one name the last counts.
  static void sortMembers(std::vector<Json::Member> &members) {
    auto before = [](const Json::Member &a, const Json::Member &b) {
      return a.first < b.first;
    };
    auto isSame = [](const Json::Member &a, const Json::Member &b) {
      return a.first == b.first;
    };
    if (!std::is_sorted(members.begin(), members.end(), before))
      std::stable_sort(members.begin(), members.end(), before);
    auto firstToKeep = std::unique(members.rbegin(), members.rend(), isSame);
    members.erase(members.begin(), firstToKeep.base());
  }

  std::vector<Json *> stack;
};
} // namespace diffuse

JsonConversion::Tree JsonConversion::toTree(const Json &json) {
  struct Visitor {
    Tree operator()(std::monostate) const { return nullptr; }
    Tree operator()(const Json::Array &array) const {
      Tree tree = Tree::array();
      for (const Json &element : array)
        tree.push_back(toTree(element));
      return tree;
    }
    Tree operator()(const Json::Object &object) const {
      Tree tree = Tree::object();
      for (const Json::Member &member : object.members)
        tree[member.first] = toTree(member.second);
      return tree;
    }
    Tree operator()(const std::string &text) const { return text; }
    Tree operator()(bool value) const { return value; }
    Tree operator()(int64_t value) const { return value; }
    Tree operator()(uint64_t value) const { return value; }
    Tree operator()(double value) const { return value; }
  };
  return std::visit(Visitor(), json.value);
}

llvm::Expected<Json> Json::parse(StringRef text) {
  JsonConversion conversion;
  // Only running out of memory is thrown here, and that is not worth more than
  // a message.
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &conversion))
      return std::move(conversion.root);
  } catch (const std::exception &exception) {
    return makeError(llvm::Twine("bad JSON: ") + exception.what());
  }
  return makeError(conversion.error);
}

/// Nothing is thrown in here but for want of memory, which ends the program.
static std::string print(const Json &json, int indent) noexcept {
  return JsonConversion::toTree(json).dump(
      indent, ' ', /*ensure_ascii=*/false,
      nlohmann::json::error_handler_t::replace);
}

std::string Json::dump(int indent) const { return print(*this, indent); }
