// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack that overflows dies by the same signal as a wild pointer; this tells
// them apart for whoever reads the process's errors.

#ifndef DIFFUSE_SUPPORT_STACKOVERFLOW_H
#define DIFFUSE_SUPPORT_STACKOVERFLOW_H

namespace diffuse {

/// From now on an overflow of this thread's stack is told of on standard error
/// before the process dies of it. For processes of one thread that nobody else
/// handles SIGSEGV in.
void reportStackOverflow();

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_STACKOVERFLOW_H
