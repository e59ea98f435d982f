// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_CODEGEN_INTERFACESOURCE_H
#define DIFFUSE_LIB_CODEGEN_INTERFACESOURCE_H

#include "Diffuse/Codegen/BuildLibrary.h"

namespace diffuse {

/// Where each prepared buffer begins in the memory that a handle holds them in,
/// and where that memory ends.
std::vector<uint64_t> preparedOffsets(const CompiledModule &module);

/// The C source of a model's interface. Fails where the path of the embedded
/// parameters cannot be written in assembler.
llvm::Expected<std::string> printInterfaceSource(const CompiledModule &module,
                                                 const LibraryOptions &options,
                                                 const CodegenOptions &codegen);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_INTERFACESOURCE_H
