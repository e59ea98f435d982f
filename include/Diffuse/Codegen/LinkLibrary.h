// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects to shared libraries and relocatable files by the system's compiler
// driver, which knows where libc and libm are. Its temporary files lie beside
// the objects, so that they go with the folder of these where it is killed.

#ifndef DIFFUSE_CODEGEN_LINKLIBRARY_H
#define DIFFUSE_CODEGEN_LINKLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace diffuse {

enum class UndefinedSymbols { Refuse, Allow };

/// Links `objectPaths`, in this order, into the shared library `outputPath`,
/// which depends on libc and libm only. Symbols named in `exports` stay
/// visible; with none given all do. Fails, naming them, on symbols that are
/// defined nowhere, unless `undefined` leaves them to whoever loads the
/// library. The output appears whole or not at all.
llvm::Error
linkSharedLibrary(llvm::ArrayRef<std::string> objectPaths,
                  llvm::StringRef outputPath,
                  llvm::ArrayRef<std::string> exports = {},
                  UndefinedSymbols undefined = UndefinedSymbols::Refuse);

/// Combines `objectPaths` into the one relocatable object `outputPath` in which
/// only the symbols named in `exports` stay global.
llvm::Error linkRelocatable(llvm::ArrayRef<std::string> objectPaths,
                            llvm::StringRef outputPath,
                            llvm::ArrayRef<std::string> exports);

/// Compiles the C file `sourcePath` to a position-independent object.
llvm::Error compileC(llvm::StringRef sourcePath, llvm::StringRef objectPath);

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_LINKLIBRARY_H
