// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/Errors.h"

#include <system_error>

using namespace diffuse;

llvm::Error diffuse::makeSystemError(const llvm::Twine &message,
                                     int errorNumber) {
  return makeError(message + ": " +
                   std::generic_category().message(errorNumber));
}
