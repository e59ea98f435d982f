// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/Descriptor.h"

#include <cerrno>
#include <sys/file.h>
#include <unistd.h>

using namespace diffuse;

void Descriptor::close() {
  if (isOpen())
    ::close(number);
  number = -1;
}

std::error_code diffuse::writeAll(int descriptor, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::error_code(errno, std::generic_category());
    bytes = bytes.drop_front(static_cast<size_t>(count));
  }
  return {};
}

std::error_code diffuse::lockFile(const Descriptor &descriptor, int operation) {
  while (::flock(descriptor.get(), operation) != 0)
    if (errno != EINTR)
      return std::error_code(errno, std::generic_category());
  return {};
}
