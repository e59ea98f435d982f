// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Support/Npy.h"
#include "gtest/gtest.h"

using namespace diffuse;

static std::string messageOf(llvm::StringRef file) {
  llvm::Expected<NpyArray> array = parseNpy(file);
  return array ? "" : llvm::toString(array.takeError());
}

/// A version 1 file with this dictionary and no data.
static std::string fileWith(std::string header) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header;
}

TEST(Npy, ArrayIsReadBack) {
  for (llvm::StringRef type : {"f32", "i1", "ui8", "f16", "complex<f64>"}) {
    unsigned bytes = type == "f32" ? 4 : type == "f16" ? 2 : 1;
    bytes = type == "complex<f64>" ? 16 : bytes;
    for (std::vector<int64_t> extents :
         {std::vector<int64_t>{}, {3}, {2, 3}, {0, 4}}) {
      uint64_t count = 1;
      for (int64_t extent : extents)
        count *= extent;
      NpyArray array{type.str(), extents, std::string(count * bytes, 'x')};
      std::string file = llvm::cantFail(printNpy(array));
      EXPECT_EQ((file.size() - array.bytes.size()) % 64, 0u);
      NpyArray read = llvm::cantFail(parseNpy(file));
      EXPECT_EQ(read.elementType, array.elementType);
      EXPECT_EQ(read.extents, array.extents);
      EXPECT_EQ(read.bytes, array.bytes);
    }
  }
}

TEST(Npy, TypesThatNumPyLacksKeepTheirBits) {
  NpyArray array{"bf16", {1}, "ab"};
  std::string file = llvm::cantFail(printNpy(array));
  NpyArray read = llvm::cantFail(parseNpy(file));
  EXPECT_EQ(read.elementType, "ui16");
  EXPECT_EQ(read.bytes, "ab");
}

TEST(Npy, LongHeadersTakeVersionTwo) {
  NpyArray array{"i8", std::vector<int64_t>(30000, 1), "x"};
  std::string file = llvm::cantFail(printNpy(array));
  EXPECT_EQ(file[6], 2);
  EXPECT_EQ(llvm::cantFail(parseNpy(file)).extents.size(), 30000u);
}

TEST(Npy, ForeignFilesAreRefused) {
  EXPECT_EQ(messageOf("PK"), "not an .npy file");
  EXPECT_NE(messageOf(fileWith("{'descr': '>f4', 'fortran_order': False, "
                               "'shape': (1,), }"))
                .find("big-endian"),
            std::string::npos);
  EXPECT_NE(messageOf(fileWith("{'descr': '<f4', 'fortran_order': True, "
                               "'shape': (1, 2), }"))
                .find("Fortran"),
            std::string::npos);
  EXPECT_NE(messageOf(fileWith("{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (2,), }"))
                .find("holds 0 bytes"),
            std::string::npos);
  EXPECT_NE(messageOf(fileWith("{'descr': [('a', '<f4')]}")), "");
  EXPECT_NE(messageOf(fileWith("{'shape': (-1,)}")), "");
  EXPECT_NE(messageOf(fileWith("{'descr")), "");
  EXPECT_NE(messageOf(std::string("\x93NUMPY\x01\x00\xff\xff", 10)), "");
  EXPECT_NE(messageOf(std::string("\x93NUMPY\x09\x00\x00\x00", 10)), "");
}

TEST(Npy, SizesMustAgree) {
  EXPECT_NE(llvm::toString(printNpy({"f32", {2}, "abcd"}).takeError()), "");
  EXPECT_NE(llvm::toString(printNpy({"f8E5M2", {0}, ""}).takeError()), "");
}
