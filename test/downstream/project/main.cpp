// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the installed library: describes the machine it runs on.

#include "Diffuse/Target/TargetDescription.h"

#include "llvm/Support/raw_ostream.h"

int main() {
  diffuse::TargetDescription host = diffuse::describeHost();
  llvm::outs() << "host: " << host.key << "\n";
  return 0;
}
