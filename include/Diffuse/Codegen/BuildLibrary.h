// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the objects of a compiled module to a library with the C interface that
// diffuse_model.h declares. The interface is C source that is printed for each
// model and compiled by the system's C compiler; objects of subgraphs and of
// the entry are linked as they are.

#ifndef DIFFUSE_CODEGEN_BUILDLIBRARY_H
#define DIFFUSE_CODEGEN_BUILDLIBRARY_H

#include "Diffuse/Codegen/CompileModule.h"
#include "Diffuse/Support/Json.h"

namespace diffuse {

struct LibraryOptions {
  /// Name of the model in the C interface: letters, digits and underscores.
  std::string model;
  /// Safetensors file that becomes part of the library, or empty.
  std::string embeddedParameters;
  /// Leave functions that are only declared to whoever loads the library.
  bool allowUndefined = false;
  /// What `_describe` says besides arguments and calls.
  Json provenance = Json::object();
};

/// A name for the C interface made from any text: other characters become
/// underscores, and a digit gets one in front.
std::string makeModelName(llvm::StringRef text);

/// The JSON text that `_describe` of the library returns.
std::string describeModel(const CompiledModule &module,
                          const LibraryOptions &options);

/// Links the shared library `outputPath`. Everything but the six functions of
/// the interface is hidden.
llvm::Error buildSharedLibrary(const CompiledModule &module,
                               const LibraryOptions &options,
                               const CodegenOptions &codegen,
                               llvm::StringRef outputPath);

/// Writes the same as one relocatable object, in which everything else is
/// local, so that several models link into one program.
llvm::Error buildObject(const CompiledModule &module,
                        const LibraryOptions &options,
                        const CodegenOptions &codegen,
                        llvm::StringRef outputPath);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_BUILDLIBRARY_H
