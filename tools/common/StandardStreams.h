// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool does about its standard streams: LLVM's end the program with a
// message that names neither it nor the stream where one could not be written.

#ifndef DIFFUSE_TOOLS_COMMON_STANDARDSTREAMS_H
#define DIFFUSE_TOOLS_COMMON_STANDARDSTREAMS_H

#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace diffuse {

/// To be called first: a stream that is closed becomes /dev/null, since the
/// next file to be opened, such as an output, would take its number and all
/// messages.
inline void openStandardStreams() {
  (void)llvm::sys::Process::FixupStandardFileDescriptors();
}

/// To be called last: the exit status of `tool`, which is 1 instead of `status`
/// where standard output did not take everything. That messages were not taken
/// is no failure.
inline int closeStandardStreams(llvm::StringRef tool, int status) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  if (error)
    llvm::WithColor::error(llvm::errs(), tool)
        << "cannot write standard output: " << error.message() << '\n';
  llvm::errs().clear_error();
  return error ? 1 : status;
}

} // namespace diffuse

#endif // DIFFUSE_TOOLS_COMMON_STANDARDSTREAMS_H
