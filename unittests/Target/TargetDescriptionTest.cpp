// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Target/TargetDescription.h"
#include "gtest/gtest.h"

using namespace diffuse;

static std::string messageOf(llvm::StringRef spec) {
  llvm::Expected<TargetDescription> target = parseTarget(spec);
  if (target)
    return "";
  return llvm::toString(target.takeError());
}

TEST(TargetDescription, RegistersFollowTheProcessor) {
  llvm::Expected<TargetDescription> narrow = parseTarget("cpu:x86-64-v3");
  ASSERT_TRUE(bool(narrow));
  EXPECT_EQ(narrow->cpu.vectorBits, 256u);
  EXPECT_EQ(narrow->cpu.vectorRegisters, 16u);
  EXPECT_EQ(narrow->lanes(32), 8u);

  llvm::Expected<TargetDescription> wide = parseTarget("cpu:x86-64-v4");
  ASSERT_TRUE(bool(wide));
  EXPECT_EQ(wide->cpu.vectorBits, 512u);
  EXPECT_EQ(wide->cpu.vectorRegisters, 32u);
}

TEST(TargetDescription, HostLacksNothingOfItself) {
  EXPECT_EQ(missingHostFeature(describeHost()), "");
}

TEST(TargetDescription, ForeignFeatureIsNamed) {
  TargetDescription target = describeHost();
  target.features = "+avx2,+sse4a,+amx-tile,+xop,+tbm,+fma4";
  // No processor has both AMX and XOP.
  EXPECT_NE(missingHostFeature(target), "");
}

TEST(TargetDescription, UnknownTargetsAreRefusedByName) {
  EXPECT_NE(messageOf("cpu:pentium-9").find("'pentium-9'"), std::string::npos);
  EXPECT_NE(messageOf("nvidia:sm_20").find("nvidia:sm_20"), std::string::npos);
  EXPECT_NE(messageOf("tpu").find("expected host"), std::string::npos);
}
