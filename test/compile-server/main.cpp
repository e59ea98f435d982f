// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compile server with one pass more, so that tests can have candidates
// that go wrong in every way. Never installed.

#include "InjectFault.h"

#include "Diffuse/Tuning/CompileServer.h"

#include <unistd.h>

int main() {
  diffuse::registerInjectFaultPass();
  return diffuse::runCompileServer(STDIN_FILENO, STDOUT_FILENO);
}
