// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model compiled from text, behind its C interface.

#ifndef DIFFUSE_UNITTESTS_CODEGEN_INTERFACE_H
#define DIFFUSE_UNITTESTS_CODEGEN_INTERFACE_H

#include "CompileAndLoad.h"

#include "Diffuse/Codegen/diffuse_model.h"

namespace diffuse::test {

using Extents = std::vector<int64_t>;

/// A model compiled from text and loaded; handles are made and freed here.
class Interface {
public:
  Interface() = default;
  ~Interface();
  Interface(const Interface &) = delete;
  Interface &operator=(const Interface &) = delete;

  /// Outlines `text` and compiles it, unscheduled.
  void compile(llvm::StringRef text);
  /// Links and loads what `compiled` holds by now.
  void load();

  /// Each returns the code; the message follows in `message`.
  int32_t create(const diffuse_parameters *parameters = nullptr,
                 const diffuse_options *options = nullptr) {
    if (handle)
      destroy(handle);
    return keep(createFunction(parameters, options, &handle));
  }
  int32_t run(std::vector<diffuse_tensor> inputs,
              std::vector<diffuse_tensor> outputs) {
    return keep(runFunction(handle, inputs.data(), outputs.data()));
  }
  int32_t extents(std::vector<diffuse_tensor> inputs, int64_t *results) {
    return keep(extentsFunction(handle, inputs.data(), results));
  }

  Compilation compilation;
  CompiledModule compiled;
  std::string message;

private:
  template <typename Function> void find(Function &function, const char *name);
  int32_t keep(int32_t code) {
    message = lastError(handle);
    return code;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  void *library = nullptr;
  diffuse_handle *handle = nullptr;
  int32_t (*createFunction)(const diffuse_parameters *, const diffuse_options *,
                            diffuse_handle **) = nullptr;
  int32_t (*runFunction)(diffuse_handle *, const diffuse_tensor *,
                         const diffuse_tensor *) = nullptr;
  int32_t (*extentsFunction)(diffuse_handle *, const diffuse_tensor *,
                             int64_t *) = nullptr;
  void (*destroy)(diffuse_handle *) = nullptr;
  const char *(*lastError)(const diffuse_handle *) = nullptr;
};

/// The object of C functions, to take the place of what was compiled.
std::string objectOf(llvm::StringRef text);

} // namespace diffuse::test

#endif // DIFFUSE_UNITTESTS_CODEGEN_INTERFACE_H
