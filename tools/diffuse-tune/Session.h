// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_TUNE_SESSION_H
#define DIFFUSE_TOOLS_TUNE_SESSION_H

#include "Options.h"

namespace diffuse {

/// Reads, tunes, writes and reports. Returns the exit status: 0, 1 with a
/// message printed, or 130 after an interrupt, with the best module written.
int runTuneSession(const TuneOptions &options);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_TUNE_SESSION_H
