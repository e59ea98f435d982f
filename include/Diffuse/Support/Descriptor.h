// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open files of the system: who closes them, and writes that are whole.

#ifndef DIFFUSE_SUPPORT_DESCRIPTOR_H
#define DIFFUSE_SUPPORT_DESCRIPTOR_H

#include "llvm/ADT/StringRef.h"

#include <system_error>
#include <utility>

namespace diffuse {

/// Owns a descriptor, which is closed, and with that unlocked, at the end.
class Descriptor {
public:
  Descriptor() = default;
  /// Takes over `number`; one below 0 is no file.
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() { close(); }

  bool isOpen() const { return number >= 0; }
  int get() const { return number; }
  void close();

private:
  int number = -1;
};

/// Writes all of `bytes`, however many calls that takes; an error where not all
/// could be written.
std::error_code writeAll(int descriptor, llvm::StringRef bytes);

/// Takes a lock of flock (LOCK_SH, LOCK_EX, with LOCK_NB or without) on an open
/// file. An error where it is not to be had: EWOULDBLOCK where another holds
/// it, others where the file system has none.
std::error_code lockFile(const Descriptor &descriptor, int operation);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_DESCRIPTOR_H
