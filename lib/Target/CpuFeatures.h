// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_LIB_TARGET_CPUFEATURES_H
#define DIFFUSE_LIB_TARGET_CPUFEATURES_H

#include "Diffuse/Target/TargetDescription.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace diffuse {

/// Sets width, number of registers and FMA from the feature names `has` knows.
void setVectorLimits(CpuLimits &limits,
                     llvm::function_ref<bool(llvm::StringRef)> has);

/// Every feature that LLVM expects of the named processor, those implied by
/// others included.
llvm::StringMap<bool> featuresOf(llvm::StringRef processor);

/// `+a,-b,...` in alphabetical order, so that equal machines give equal text.
std::string describeFeatures(const llvm::StringMap<bool> &features);

} // namespace diffuse

#endif // DIFFUSE_LIB_TARGET_CPUFEATURES_H
