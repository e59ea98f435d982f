// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a library asks the processor for, against what LLVM finds.

#include "../../lib/Codegen/runtime/processor.inc.c"

#include "Diffuse/Target/CpuChecks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <gtest/gtest.h>

using namespace diffuse;

static bool isThere(llvm::StringRef feature) {
  auto checks = checksOf(feature);
  EXPECT_FALSE(checks.empty()) << feature.str() << " is not known";
  for (const CpuCheck &check : checks) {
    rt_feature asked = {check.feature, check.leaf,
                        check.subleaf, static_cast<unsigned>(check.reg),
                        check.shift,   check.mask,
                        check.least,   check.state};
    if (!rt_has_feature(&asked))
      return false;
  }
  return true;
}

TEST(Processor, AgreesWithLLVM) {
#if defined(__x86_64__)
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    // LLVM 22 takes every version of AVX10 for the first one, and does not ask
    // whether the system saves the registers of APX.
    if (feature.first() == "avx10.2" ||
        checksOf(feature.first()).front().state == 0x80000)
      continue;
    EXPECT_EQ(isThere(feature.first()), feature.second)
        << feature.first().str();
  }
#endif
}

TEST(Processor, NamesTheFirstThatIsMissing) {
  // No processor has a leaf of that number.
  rt_feature features[] = {{"cmov", 1, 0, 3, 15, 1, 1, 0},
                           {"none", 0x3fffffff, 0, 0, 0, 1, 1, 0}};
  EXPECT_STREQ(rt_missing_feature(features, 2), "none");
#if defined(__x86_64__)
  EXPECT_EQ(rt_missing_feature(features, 1), nullptr);
  features[0].state = uint64_t(1) << 62; // registers that nobody saves
  EXPECT_STREQ(rt_missing_feature(features, 1), "cmov");
#endif
}

TEST(Processor, EveryFeatureOfEveryProcessorIsKnown) {
  llvm::SmallVector<llvm::StringRef> processors;
  llvm::X86::fillValidCPUArchList(processors, /*Only64Bit=*/true);
  for (llvm::StringRef processor : processors) {
    auto target = parseTarget(("cpu:" + processor).str());
    ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
    auto checks = checksFor(*target);
    EXPECT_TRUE(bool(checks)) << llvm::toString(checks.takeError());
  }
}

TEST(Processor, AFeatureThatIsNotKnownIsRefused) {
  TargetDescription target;
  target.key = "cpu:future";
  target.features = "+avx,-other,+avx99";
  auto checks = checksFor(target);
  ASSERT_FALSE(bool(checks));
  EXPECT_EQ(llvm::toString(checks.takeError()),
            "the code for 'cpu:future' needs the CPU feature 'avx99', which a "
            "library cannot ask a machine for; choose a target without it");
}

TEST(Processor, WhatCodeNeverHoldsIsNotAskedFor) {
  TargetDescription target;
  target.features = "+sgx,+avx2,+pku";
  auto checks = checksFor(target);
  ASSERT_TRUE(bool(checks));
  ASSERT_EQ(checks->size(), 1u);
  EXPECT_STREQ(checks->front().feature, "avx2");
}
