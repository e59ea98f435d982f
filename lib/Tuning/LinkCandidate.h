// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose fault it is that a candidate was not linked.

#ifndef DIFFUSE_LIB_TUNING_LINKCANDIDATE_H
#define DIFFUSE_LIB_TUNING_LINKCANDIDATE_H

#include <string>

namespace diffuse {

/// Whether the linker works and the disk takes a library: then what it refused
/// was the candidate's own.
bool canLinkBeside(const std::string &path);

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_LINKCANDIDATE_H
