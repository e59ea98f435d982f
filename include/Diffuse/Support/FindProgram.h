// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the programs lie that Diffuse starts.

#ifndef DIFFUSE_SUPPORT_FINDPROGRAM_H
#define DIFFUSE_SUPPORT_FINDPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace diffuse {

/// Path of the program `name`: beside the running program, else beside the
/// shared library this code was loaded from (a plugin) or in the bin folder
/// next to it, else on PATH. The failure lists where it was looked for. A name
/// with a slash is taken as it is.
llvm::Expected<std::string> findProgram(llvm::StringRef name);

/// The first of `names` that is found.
llvm::Expected<std::string> findProgram(llvm::ArrayRef<llvm::StringRef> names);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_FINDPROGRAM_H
