// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program asks an x86 processor, by the instruction CPUID, whether it has
// a feature of LLVM's target-features.

#ifndef DIFFUSE_TARGET_CPUCHECKS_H
#define DIFFUSE_TARGET_CPUCHECKS_H

#include "Diffuse/Target/TargetDescription.h"

#include "llvm/ADT/SmallVector.h"

namespace diffuse {

enum class CpuidRegister { Eax, Ebx, Ecx, Edx };

/// The feature is there where `(register >> shift) & mask` of the leaf is at
/// least `least` and the operating system saves all of the registers that
/// `state` names, bits of XCR0.
struct CpuCheck {
  const char *feature;
  uint32_t leaf;
  uint32_t subleaf;
  CpuidRegister reg;
  unsigned shift;
  uint64_t state = 0;
  uint32_t mask = 1;
  uint32_t least = 1;
};

/// What must all hold for `feature`; empty where it is not known.
llvm::SmallVector<CpuCheck, 2> checksOf(llvm::StringRef feature);

/// Whether code may hold instructions of `feature`. It never holds those that
/// serve operating systems, enclaves, keys, tracing and transactions, which
/// firmware and hypervisors often switch off.
bool isUsedByCode(llvm::StringRef feature);

/// The checks before code for `target` may run, in order of its features. Fails
/// on a feature that is not known: its lack would not be noticed.
llvm::Expected<std::vector<CpuCheck>>
checksFor(const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_TARGET_CPUCHECKS_H
