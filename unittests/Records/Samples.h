// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records and files for the tests of this layer.

#ifndef DIFFUSE_UNITTESTS_RECORDS_SAMPLES_H
#define DIFFUSE_UNITTESTS_RECORDS_SAMPLES_H

#include "Diffuse/Records/MeasurementRecord.h"
#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include <fstream>

namespace diffuse {

inline RecordScope sampleScope() {
  RecordScope scope;
  scope.exactHash = "00000000000000000000000000000001";
  scope.target = "cpu:x86-64-v3";
  scope.codegen = 1;
  return scope;
}

inline MeasurementRecord sampleRecord(std::string schedule,
                                      std::vector<double> samples) {
  MeasurementRecord record;
  record.identity = {sampleScope(), std::move(schedule)};
  record.familyHash = "f";
  record.samplesMicros = std::move(samples);
  return record;
}

inline MeasurementRecord sampleFailure(std::string schedule,
                                       FailureKind failure) {
  MeasurementRecord record = sampleRecord(std::move(schedule), {});
  record.failure = failure;
  return record;
}

/// A folder of its own for each test.
class FolderTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("records", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string at(llvm::StringRef name) { return (folder + "/" + name).str(); }

  static void addText(const std::string &path, llvm::StringRef text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text.str();
  }

  llvm::SmallString<128> folder;
};

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_RECORDS_SAMPLES_H
