// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starting a linker takes longer than linking a candidate, so LLD links in the
// process of the candidate.

#ifndef DIFFUSE_TOOLS_DIFFUSECOMPILESERVER_LINKINPROCESS_H
#define DIFFUSE_TOOLS_DIFFUSECOMPILESERVER_LINKINPROCESS_H

#include "llvm/ADT/StringRef.h"

namespace diffuse {

/// Links one object into the shared library `library`, against the C and the
/// math library of this process. False, with no library written, where that
/// fails, as for an object that needs the compiler's own library.
bool linkInProcess(llvm::StringRef object, llvm::StringRef library);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSECOMPILESERVER_LINKINPROCESS_H
