// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processes that measure on one core measure each other. Each holds a lock
// on a file that stands for its core; the system frees it however the process
// ends.

#ifndef DIFFUSE_MEASURE_RESERVEDCORE_H
#define DIFFUSE_MEASURE_RESERVEDCORE_H

#include "Diffuse/Support/Descriptor.h"

#include <string>
#include <vector>

namespace diffuse {

/// A core that no other holder of one uses, as far as they share the folder for
/// temporary files. Logical cores of one physical core are taken together.
class ReservedCore {
public:
  enum class Hold {
    /// Nobody else measures on it.
    Alone,
    /// Others hold every core that this process may use.
    Shared,
    /// Locks are not to be had, so nobody knows.
    Unknown
  };

  /// Takes the last core that this process may use and that is free: the first
  /// takes most interrupts. Where none is known to be, it takes the last.
  static ReservedCore take();

  /// Of the logical core; -1 where the system does not say which there are.
  int number() const { return core; }
  Hold hold() const { return held; }

private:
  /// Takes one of `cores`, unless all are taken or locks are not to be had;
  /// true where it is worth another try.
  bool tryAny(const std::string &folder, const std::vector<int> &cores);

  int core = -1;
  Hold held = Hold::Unknown;
  Descriptor lock;
};

/// The logical cores that this process may use, without those of physical cores
/// on which somebody measures now: the one that `core` is of, and those that a
/// ReservedCore is held of. None where `core` is shared.
std::vector<int> coresBeside(int core);

/// Lets a process of this user run on `cores` alone; where there are none, on
/// those of this process. Does nothing where that is not allowed.
void keepToCores(int processId, const std::vector<int> &cores);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_RESERVEDCORE_H
