// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of one image share /etc/machine-id wherever they run, so the
// processor goes in as well. The name of the host does not where it can be
// helped: many containers draw a new one each time.

#include "Diffuse/Support/MachineId.h"

#include "Diffuse/Support/StableHash.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

static std::string readText(StringRef path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// The processor by its name; the rest of the file changes with its clock.
static std::string processorName() {
  std::string text = readText("/proc/cpuinfo");
  return StringRef(text).split("model name").second.split('\n').first.str();
}

static std::string hostName() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

std::string diffuse::machineId() {
  std::string installed = readText("/etc/machine-id");
  return StableHasher()
      .addString(installed.empty() ? hostName() : installed)
      .addString(processorName())
      .finish()
      .str()
      .substr(0, 16);
}
