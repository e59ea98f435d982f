// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name for this machine in records: two machines with one target key may
// still differ in clock, memory and cooling.

#ifndef DIFFUSE_SUPPORT_MACHINEID_H
#define DIFFUSE_SUPPORT_MACHINEID_H

#include <string>

namespace diffuse {

/// 16 hexadecimal digits that stay the same from run to run and tell nothing
/// about the machine to others.
std::string machineId();

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_MACHINEID_H
