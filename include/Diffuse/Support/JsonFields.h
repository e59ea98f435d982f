// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the members of a JSON object into variables, keeping the first error,
// so that a reader is a list of names and not a ladder of checks.

#ifndef DIFFUSE_SUPPORT_JSONFIELDS_H
#define DIFFUSE_SUPPORT_JSONFIELDS_H

#include "Diffuse/Support/Json.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace diffuse {

/// Usage:
///   JsonFields fields(value, "measurement");
///   fields.require("symbol", symbol);
///   fields.allow("threads", threads);
///   return fields.takeError();
/// Members that are not asked for are passed over, so that newer writers may
/// add some.
class JsonFields {
public:
  /// `what` names the object in messages; `value` must outlive this.
  JsonFields(const Json &value, llvm::StringRef what);
  JsonFields(const JsonFields &) = delete;
  JsonFields &operator=(const JsonFields &) = delete;
  ~JsonFields();

  /// The member must be there and have the type of `out`: bool, int64_t,
  /// uint64_t, unsigned, double, std::string, vectors of int64_t, double or
  /// std::string, maps from names to int64_t or double.
  template <typename T> void require(llvm::StringRef name, T &out) {
    if (const Json *member = findRequired(name))
      read(name, *member, out);
  }

  /// The same where the member is there and not null; else `out` stays.
  template <typename T> void allow(llvm::StringRef name, T &out) {
    if (const Json *member = findAllowed(name))
      read(name, *member, out);
  }

  /// Hands a required or allowed member to `reader`, which may fail.
  void require(llvm::StringRef name,
               llvm::function_ref<llvm::Error(const Json &)> reader);
  void allow(llvm::StringRef name,
             llvm::function_ref<llvm::Error(const Json &)> reader);

  /// The first thing that went wrong, or success.
  llvm::Error takeError();

private:
  const Json *findRequired(llvm::StringRef name);
  const Json *findAllowed(llvm::StringRef name);
  void fail(const llvm::Twine &message);
  void mistype(llvm::StringRef name, llvm::StringRef expected);

  void read(llvm::StringRef name, const Json &member, bool &out);
  void read(llvm::StringRef name, const Json &member, int64_t &out);
  void read(llvm::StringRef name, const Json &member, uint64_t &out);
  void read(llvm::StringRef name, const Json &member, unsigned &out);
  void read(llvm::StringRef name, const Json &member, double &out);
  void read(llvm::StringRef name, const Json &member, std::string &out);
  void read(llvm::StringRef name, const Json &member,
            std::vector<int64_t> &out);
  void read(llvm::StringRef name, const Json &member, std::vector<double> &out);
  void read(llvm::StringRef name, const Json &member,
            std::vector<std::string> &out);
  void read(llvm::StringRef name, const Json &member,
            std::map<std::string, int64_t> &out);
  void read(llvm::StringRef name, const Json &member,
            std::map<std::string, double> &out);

  const Json &value;
  std::string what;
  std::string firstError;
};

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_JSONFIELDS_H
