// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which build this is, for --version, provenance and records.

#ifndef DIFFUSE_SUPPORT_VERSION_H
#define DIFFUSE_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace diffuse {

/// Version of the project, such as `0.1.0`.
llvm::StringRef toolVersion();

/// Version of the LLVM it was built with, such as `22.1.8`.
llvm::StringRef llvmVersion();

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_VERSION_H
