// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function run in a forked copy of this process, under limits. What the
// function does to memory, descriptors or the process itself stays in the copy.

#ifndef DIFFUSE_SUPPORT_FORKEDCALL_H
#define DIFFUSE_SUPPORT_FORKEDCALL_H

#include "Diffuse/Support/ChildProcess.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace diffuse {

/// Forks and runs `body` in the child, which leads a process group of its own
/// and is killed with it at a limit. `body` gets a descriptor to write to; what
/// it writes becomes the outcome's output, and what it returns its exit status.
/// Whatever else it prints is taken for errors: the standard streams may carry
/// a protocol of this process.
/// Destructors of the child's globals do not run. When this process dies, the
/// child and its group die too, and where `reader` is a pipe or socket, they
/// are killed as soon as nobody reads from it any more: the answer has no
/// taker.
///
/// The calling process must have one thread only: a lock that another thread
/// holds at the fork would stay locked for ever. Fails only where the system
/// refuses a process or a pipe.
llvm::Expected<ChildOutcome> runForked(llvm::function_ref<int(int output)> body,
                                       const ChildLimits &limits,
                                       int reader = -1);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_FORKEDCALL_H
