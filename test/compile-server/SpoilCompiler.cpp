// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InjectFault.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

/// Volatile, so that no compiler sees that it goes on for ever.
static volatile bool goesOn = true;

static int recurse(int depth) {
  volatile char block[4096];
  block[depth % sizeof(block)] = 1;
  return goesOn ? recurse(depth + 1) + block[0] : depth;
}

/// Limits count what is asked for; touching all of it takes a busy machine
/// longer than a test waits.
static void eatMemory() {
  constexpr size_t bytes = 64 << 20;
  while (goesOn)
    *const_cast<volatile char *>(new char[bytes]) = 1;
}

bool diffuse::spoilCompiler(llvm::StringRef kind) {
  if (kind == "compiler-crash")
    std::raise(SIGSEGV);
  else if (kind == "compiler-hang")
    while (goesOn)
      ::usleep(1000);
  else if (kind == "compiler-memory")
    eatMemory();
  else if (kind == "compiler-stack")
    recurse(0);
  else
    return false;
  return true;
}
