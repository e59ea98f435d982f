// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_SESSION_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_SESSION_H

#include "Options.h"

namespace diffuse {

/// Does what the command line asks for, printing messages. Returns the exit
/// status: 0 done, 1 the input or the run is at fault, 3 the answer differs.
int runSession(const RunOptions &options);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_SESSION_H
