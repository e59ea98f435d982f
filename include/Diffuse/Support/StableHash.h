// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 128-bit hash that is the same on every machine and in every run, for names
// that are stored: subgraphs, schedules, records. llvm::hash_code is seeded per
// process, so it cannot serve. Values are fed in a fixed little-endian form and
// strings with their length, so no two sequences of values feed equal bytes.

#ifndef DIFFUSE_SUPPORT_STABLEHASH_H
#define DIFFUSE_SUPPORT_STABLEHASH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace diffuse {

/// 128 bits, ordered as the number they make.
struct StableHash {
  uint64_t high = 0;
  uint64_t low = 0;

  /// 32 lower-case hexadecimal digits.
  std::string str() const;
  /// Reads what str() writes; nullopt on anything else.
  static std::optional<StableHash> parse(llvm::StringRef digits);

  bool operator==(const StableHash &other) const {
    return high == other.high && low == other.low;
  }
  bool operator!=(const StableHash &other) const { return !(*this == other); }
  bool operator<(const StableHash &other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
};

/// Collects values and hashes them (XXH3, 128 bits). Sequences of a length that
/// the reader cannot know must be fed with their length first.
class StableHasher {
public:
  StableHasher &addBool(bool value);
  StableHasher &addInteger(int64_t value);
  StableHasher &addUnsigned(uint64_t value);
  /// By bits: -0.0 differs from 0.0, and NaNs differ by payload.
  StableHasher &addFloat(float value);
  StableHasher &addDouble(double value);
  /// Length, then bytes.
  StableHasher &addString(llvm::StringRef value);
  /// Length, then each value.
  StableHasher &addIntegers(llvm::ArrayRef<int64_t> values);
  StableHasher &addHash(const StableHash &value);

  /// Hash of all that was fed so far; more may follow.
  StableHash finish() const;

private:
  llvm::SmallVector<uint8_t, 256> bytes;
};

/// Hash of one string, for digests of texts.
StableHash stableHash(llvm::StringRef text);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_STABLEHASH_H
