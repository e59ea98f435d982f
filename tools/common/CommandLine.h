// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tools' command lines have in common.

#ifndef DIFFUSE_TOOLS_COMMON_COMMANDLINE_H
#define DIFFUSE_TOOLS_COMMON_COMMANDLINE_H

#include "Diffuse/Support/Errors.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace diffuse {

/// Forgets an option that libLLVM registers for programs of its own. To be
/// called before an option of that name is made.
inline void forgetOption(llvm::StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end())
    found->second->removeArgument();
}

/// `value`, which must be one of `accepted`, as an index.
inline llvm::Expected<size_t> oneOf(llvm::StringRef option,
                                    llvm::StringRef value,
                                    llvm::ArrayRef<llvm::StringRef> accepted) {
  for (size_t index = 0; index < accepted.size(); ++index)
    if (accepted[index] == value)
      return index;
  return makeError("--" + option + " does not take '" + value + "'; it takes " +
                   llvm::join(accepted, ", "));
}

} // namespace diffuse

#endif // DIFFUSE_TOOLS_COMMON_COMMANDLINE_H
