// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are collected and hashed at once: a hash that is fed bit by bit would
// have to be written here, and subgraphs are small.

#include "Diffuse/Support/StableHash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace diffuse;

static std::string hexDigits(uint64_t value) {
  std::string digits = llvm::utohexstr(value, /*LowerCase=*/true);
  return std::string(16 - digits.size(), '0') + digits;
}

std::string StableHash::str() const { return hexDigits(high) + hexDigits(low); }

std::optional<StableHash> StableHash::parse(llvm::StringRef digits) {
  if (digits.size() != 32 ||
      digits.find_first_not_of("0123456789abcdef") != llvm::StringRef::npos)
    return std::nullopt;
  StableHash hash;
  digits.take_front(16).getAsInteger(16, hash.high);
  digits.drop_front(16).getAsInteger(16, hash.low);
  return hash;
}

template <typename T>
static void append(llvm::SmallVectorImpl<uint8_t> &bytes, T value) {
  uint8_t encoded[sizeof(T)];
  llvm::support::endian::write<T>(encoded, value, llvm::endianness::little);
  bytes.append(encoded, encoded + sizeof(T));
}

StableHasher &StableHasher::addBool(bool value) {
  bytes.push_back(value);
  return *this;
}

StableHasher &StableHasher::addInteger(int64_t value) {
  append<int64_t>(bytes, value);
  return *this;
}

StableHasher &StableHasher::addUnsigned(uint64_t value) {
  append<uint64_t>(bytes, value);
  return *this;
}

StableHasher &StableHasher::addFloat(float value) {
  append<uint32_t>(bytes, llvm::bit_cast<uint32_t>(value));
  return *this;
}

StableHasher &StableHasher::addDouble(double value) {
  append<uint64_t>(bytes, llvm::bit_cast<uint64_t>(value));
  return *this;
}

StableHasher &StableHasher::addString(llvm::StringRef value) {
  addUnsigned(value.size());
  bytes.append(value.bytes_begin(), value.bytes_end());
  return *this;
}

StableHasher &StableHasher::addIntegers(llvm::ArrayRef<int64_t> values) {
  addUnsigned(values.size());
  for (int64_t value : values)
    addInteger(value);
  return *this;
}

StableHasher &StableHasher::addHash(const StableHash &value) {
  return addUnsigned(value.high).addUnsigned(value.low);
}

StableHash StableHasher::finish() const {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(bytes);
  return {hash.high64, hash.low64};
}

StableHash diffuse::stableHash(llvm::StringRef text) {
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::ArrayRef(text.bytes_begin(), text.bytes_end()));
  return {hash.high64, hash.low64};
}
