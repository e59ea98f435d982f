// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/ElementType.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace diffuse;

static double passThrough(llvm::StringRef spelling, double value) {
  ElementType type = llvm::cantFail(parseElementType(spelling));
  char bytes[16] = {};
  storePart(type, bytes, value);
  return loadPart(type, bytes);
}

TEST(ElementType, ValuesPassThroughMemory) {
  for (llvm::StringRef type : {"f16", "bf16", "f32", "f64", "i8", "i16", "i32",
                               "i64", "index", "si32", "complex<f32>"})
    EXPECT_EQ(passThrough(type, -3), -3) << type.str();
  EXPECT_EQ(passThrough("ui8", 200), 200);
  EXPECT_EQ(passThrough("i1", 1), 1);
  EXPECT_TRUE(std::isnan(passThrough("bf16", NAN)));
  EXPECT_TRUE(std::isinf(passThrough("f16", 1e6)));
}

TEST(ElementType, HalvesRoundToNearestEven) {
  EXPECT_EQ(passThrough("bf16", 1 + 1.0 / 256), 1.0);
  EXPECT_EQ(passThrough("bf16", 1 + 3.0 / 256), 1 + 4.0 / 256);
  EXPECT_EQ(passThrough("f16", 2049), 2048);
}

TEST(ElementType, EpsilonIsTheNextNumber) {
  for (llvm::StringRef spelling : {"f16", "bf16", "f32"}) {
    double epsilon = llvm::cantFail(parseElementType(spelling)).epsilon();
    EXPECT_EQ(passThrough(spelling, 1 + epsilon), 1 + epsilon);
    EXPECT_EQ(passThrough(spelling, 1 + epsilon / 2), 1.0);
  }
}

TEST(ElementType, UnknownTypesAreRefusedByName) {
  llvm::Expected<ElementType> type = parseElementType("f8E4M3FN");
  ASSERT_FALSE(bool(type));
  EXPECT_NE(llvm::toString(type.takeError()).find("'f8E4M3FN'"),
            std::string::npos);
}
