// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model as the C interface shows it.

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_LOADEDMODEL_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_LOADEDMODEL_H

#include "Diffuse/Codegen/diffuse_model.h"
#include "Diffuse/Support/Boundary.h"

#include <memory>

namespace diffuse {

/// Code of a library in memory, and what it is, for messages.
struct CodeRange {
  uintptr_t begin;
  uintptr_t end;
  std::string what;
};

/// A shared library with one model in it. The program keeps it loaded to its
/// end.
class LoadedModel {
public:
  /// Loads `path` and reads its description. Fails where it is no library, or
  /// one without a model. Symbols it lacks are looked for in the runner
  /// libraries of MLIR.
  static llvm::Expected<LoadedModel> load(const std::string &path);

  llvm::ArrayRef<BoundaryArgument> boundary() const { return arguments; }
  /// Names of the subgraphs in the order of calls.
  llvm::ArrayRef<std::string> calls() const { return callNames; }
  const Json &description() const { return json; }
  /// Where the code of each subgraph and of the entry lies, as far as the
  /// library has symbols.
  llvm::ArrayRef<CodeRange> code() const { return ranges; }
  /// Fails where the provenance has another value for one of the keys.
  llvm::Error checkProvenance(
      llvm::ArrayRef<std::pair<std::string, std::string>> expected) const;
  /// True where the library carries its parameters.
  bool embedsParameters() const;

  int32_t (*create)(const diffuse_parameters *, const diffuse_options *,
                    diffuse_handle **) = nullptr;
  int32_t (*run)(diffuse_handle *, const diffuse_tensor *,
                 const diffuse_tensor *) = nullptr;
  int32_t (*extents)(diffuse_handle *, const diffuse_tensor *,
                     int64_t *) = nullptr;
  void (*destroy)(diffuse_handle *) = nullptr;
  const char *(*error)(const diffuse_handle *) = nullptr;

private:
  llvm::Error readDescription(llvm::StringRef text);
  void findCode(const std::string &path);

  std::vector<BoundaryArgument> arguments;
  std::vector<std::string> callNames;
  std::vector<CodeRange> ranges;
  Json json;
};

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_LOADEDMODEL_H
