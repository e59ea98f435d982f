// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine this process runs on. A hypervisor may hide features of the
// processor that it names, so features are asked for one by one and those that
// are hidden become part of the key.

#include "CpuFeatures.h"
#include "Diffuse/Support/CacheSizes.h"
#include "Diffuse/Target/CpuChecks.h"
#include "Diffuse/Target/TargetDescription.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <thread>

using namespace diffuse;
using llvm::StringRef;

/// Size of a cache, or `fallback` where the system does not tell.
static uint64_t cacheBytesOr(unsigned level, uint64_t fallback) {
  uint64_t bytes = cacheBytes(level);
  return bytes > 0 ? bytes : fallback;
}

/// Features that LLVM expects of the named processor and this machine lacks.
/// Only names that the host reports count: the others are tuning hints.
static llvm::SmallVector<std::string>
hiddenFeatures(StringRef processor, const llvm::StringMap<bool> &host) {
  llvm::SmallVector<std::string> hidden;
  for (const auto &feature : featuresOf(processor)) {
    auto found = host.find(feature.first());
    if (found != host.end() && !found->second)
      hidden.push_back(feature.first().str());
  }
  llvm::sort(hidden);
  return hidden;
}

TargetDescription diffuse::describeHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  TargetDescription target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  target.processor = llvm::sys::getHostCPUName().str();
  target.features = describeFeatures(features);
  target.key = "cpu:" + target.processor;
  for (const std::string &feature : hiddenFeatures(target.processor, features))
    target.key += "-" + feature;
  setVectorLimits(target.cpu,
                  [&](StringRef feature) { return features.lookup(feature); });
  target.cpu.l1Bytes = cacheBytesOr(1, target.cpu.l1Bytes);
  target.cpu.l2Bytes = cacheBytesOr(2, target.cpu.l2Bytes);
  target.cpu.l3Bytes = cacheBytesOr(3, target.cpu.l3Bytes);
  target.cpu.cores = std::max(1u, std::thread::hardware_concurrency());
  return target;
}

std::string diffuse::missingHostFeature(const TargetDescription &target) {
  if (target.isGpu())
    return "";
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<StringRef> needed;
  StringRef(target.features).split(needed, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : needed) {
    if (!feature.consume_front("+") || !isUsedByCode(feature))
      continue;
    auto found = host.find(feature);
    if (found != host.end() && !found->second)
      return feature.str();
  }
  return "";
}
