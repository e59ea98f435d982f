// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of named targets. Limits that the name does not tell (cache
// sizes) are those of a common machine of the kind: they steer defaults and
// estimates, never correctness.

#include "Diffuse/Target/TargetDescription.h"

#include "CpuFeatures.h"
#include "Diffuse/Support/Errors.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>

using namespace diffuse;
using llvm::StringRef;

unsigned TargetDescription::lanes(unsigned elementBits) const {
  unsigned bits = isGpu() ? 128 : cpu.vectorBits;
  return std::max(1u, bits / std::max(1u, elementBits));
}

llvm::StringMap<bool> diffuse::featuresOf(StringRef processor) {
  llvm::SmallVector<StringRef> listed;
  llvm::X86::getFeaturesForCPU(processor, listed);
  llvm::StringMap<bool> features;
  for (StringRef feature : listed) {
    features[feature] = true;
    // LLVM lists only what no other feature of the processor implies.
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, features);
  }
  return features;
}

std::string diffuse::describeFeatures(const llvm::StringMap<bool> &features) {
  llvm::SmallVector<std::string> parts;
  for (const auto &feature : features)
    parts.push_back(((feature.second ? "+" : "-") + feature.first()).str());
  llvm::sort(parts);
  return llvm::join(parts, ",");
}

void diffuse::setVectorLimits(CpuLimits &limits,
                              llvm::function_ref<bool(StringRef)> has) {
  limits.hasFma = has("fma");
  // 512-bit vectors are used only with VL, without which the shorter tails of
  // a loop could not use the upper sixteen registers.
  bool wide = has("avx512f") && has("avx512vl");
  limits.vectorBits = wide ? 512 : has("avx") ? 256 : 128;
  limits.vectorRegisters = wide ? 32 : 16;
}

static llvm::Expected<TargetDescription> parseCpu(StringRef name) {
  llvm::SmallVector<StringRef> known;
  llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  if (!llvm::is_contained(known, name))
    return makeError("unknown processor '" + name + "' in target 'cpu:" + name +
                     "'; known are: " + llvm::join(known, ", "));
  TargetDescription target;
  target.key = ("cpu:" + name).str();
  target.triple = llvm::sys::getDefaultTargetTriple();
  target.processor = name.str();
  llvm::StringMap<bool> features = featuresOf(name);
  target.features = describeFeatures(features);
  setVectorLimits(target.cpu,
                  [&](StringRef feature) { return features.lookup(feature); });
  return target;
}

static llvm::Expected<TargetDescription> parseNvidia(StringRef spec,
                                                     StringRef name) {
  unsigned capability = 0;
  StringRef digits = name;
  if (!digits.consume_front("sm_") || digits.getAsInteger(10, capability) ||
      (capability != 80 && capability != 90))
    return makeError("unknown target '" + spec +
                     "'; known NVIDIA targets are nvidia:sm_80 and "
                     "nvidia:sm_90");
  TargetDescription target;
  target.kind = TargetKind::Nvidia;
  target.key = spec.str();
  target.triple = "nvptx64-nvidia-cuda";
  target.processor = name.str();
  target.features = "+ptx80";
  if (capability == 90) {
    target.gpu.multiprocessors = 132;
    target.gpu.l2Bytes = 50 << 20;
  }
  return target;
}

llvm::Expected<TargetDescription> diffuse::parseTarget(StringRef spec) {
  if (spec == "host")
    return describeHost();
  StringRef name = spec;
  if (name.consume_front("cpu:"))
    return parseCpu(name);
  if (name.consume_front("nvidia:"))
    return parseNvidia(spec, name);
  return makeError("unknown target '" + spec +
                   "'; expected host, cpu:<llvm processor> or nvidia:sm_80 "
                   "or nvidia:sm_90");
}
