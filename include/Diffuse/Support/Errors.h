// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One spelling for errors that are not tied to IR.

#ifndef DIFFUSE_SUPPORT_ERRORS_H
#define DIFFUSE_SUPPORT_ERRORS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace diffuse {

/// An error with a message for people: lower case, no full stop, naming the
/// value at fault, the limit, and what to do.
inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The same, ending in the system's reason for `errorNumber` (an errno).
llvm::Error makeSystemError(const llvm::Twine &message, int errorNumber);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_ERRORS_H
