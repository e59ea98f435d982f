// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build passes the version, so that only this file is compiled again when
// it changes.

#include "Diffuse/Support/Version.h"

#include "llvm/Config/llvm-config.h"

llvm::StringRef diffuse::toolVersion() { return DIFFUSE_VERSION; }

llvm::StringRef diffuse::llvmVersion() { return LLVM_VERSION_STRING; }
