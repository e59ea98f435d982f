// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the generated code runs on: a printable key and the limits that default
// schedules, legality and the cost model reckon with.

#ifndef DIFFUSE_TARGET_TARGETDESCRIPTION_H
#define DIFFUSE_TARGET_TARGETDESCRIPTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace diffuse {

enum class TargetKind { Cpu, Nvidia };

/// Limits of one core and of the caches it sees.
struct CpuLimits {
  /// Width in bits of the widest vectors that pay (512, 256 or 128).
  unsigned vectorBits = 128;
  /// Architectural vector registers of that width.
  unsigned vectorRegisters = 16;
  bool hasFma = false;
  uint64_t l1Bytes = 32 << 10;
  /// Private to a core.
  uint64_t l2Bytes = 512 << 10;
  /// Shared by the cores.
  uint64_t l3Bytes = 8 << 20;
  unsigned cores = 1;
};

/// Limits of one device and of one thread block on it.
struct GpuLimits {
  unsigned multiprocessors = 108;
  unsigned maxThreadsPerBlock = 1024;
  unsigned registersPerThread = 255;
  unsigned warpSize = 32;
  uint64_t sharedBytesPerBlock = 48 << 10;
  uint64_t l2Bytes = 40 << 20;
};

/// A machine that code can be generated for. Two descriptions with the same
/// key run the same code, and their measurements are comparable.
struct TargetDescription {
  TargetKind kind = TargetKind::Cpu;
  /// For example `cpu:znver4`, `cpu:x86-64-v3`, `nvidia:sm_90`.
  std::string key;
  /// LLVM triple, processor and features (`+avx2,-avx512f,...`) of the code.
  std::string triple;
  std::string processor;
  std::string features;
  CpuLimits cpu;
  GpuLimits gpu;

  bool isGpu() const { return kind == TargetKind::Nvidia; }
  /// Elements of `elementBits` bits in one vector of the target, at least 1.
  unsigned lanes(unsigned elementBits) const;
};

/// The machine this process runs on.
TargetDescription describeHost();

/// Reads `host`, `cpu:<llvm processor>` or `nvidia:sm_<number>`. Fails on any
/// other spelling and on a processor that LLVM does not know, naming what is
/// accepted.
llvm::Expected<TargetDescription> parseTarget(llvm::StringRef spec);

/// Names the first CPU feature that code for `target` may use and this machine
/// lacks, or returns an empty string when its code runs here.
std::string missingHostFeature(const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_TARGET_TARGETDESCRIPTION_H
