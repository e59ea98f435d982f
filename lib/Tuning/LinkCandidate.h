// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose fault it is that a candidate was not linked.

#ifndef DIFFUSE_LIB_TUNING_LINKCANDIDATE_H
#define DIFFUSE_LIB_TUNING_LINKCANDIDATE_H

#include "Diffuse/Tuning/CompileServer.h"

#include <string>

namespace diffuse {

/// Whether `link` works and the disk takes a library: then what it refused was
/// the candidate's own. Tries it with `object`, the bytes of one that links,
/// beside `path`, where nothing stays.
bool canLinkBeside(const std::string &path, CandidateLinker link,
                   llvm::StringRef object);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_LINKCANDIDATE_H
