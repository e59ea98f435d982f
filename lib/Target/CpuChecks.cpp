// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table and no compiler's builtin: those know fewer features than LLVM
// generates code for. Positions are those of Intel's and AMD's manuals.

#include "Diffuse/Target/CpuChecks.h"

#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using llvm::StringRef;

/// Bits of XCR0: registers that the operating system saves.
static constexpr uint64_t kAvx = 0x6;
static constexpr uint64_t kAvx512 = kAvx | 0xe0;
static constexpr uint64_t kAmx = 0x60000;
static constexpr uint64_t kApx = 0x80000;

static constexpr CpuCheck kTable[] = {
    {"x87", 1, 0, CpuidRegister::Edx, 0},
    {"cx8", 1, 0, CpuidRegister::Edx, 8},
    {"cmov", 1, 0, CpuidRegister::Edx, 15},
    {"mmx", 1, 0, CpuidRegister::Edx, 23},
    {"fxsr", 1, 0, CpuidRegister::Edx, 24},
    {"sse", 1, 0, CpuidRegister::Edx, 25},
    {"sse2", 1, 0, CpuidRegister::Edx, 26},
    {"sse3", 1, 0, CpuidRegister::Ecx, 0},
    {"pclmul", 1, 0, CpuidRegister::Ecx, 1},
    {"ssse3", 1, 0, CpuidRegister::Ecx, 9},
    {"cx16", 1, 0, CpuidRegister::Ecx, 13},
    {"sse4.1", 1, 0, CpuidRegister::Ecx, 19},
    {"sse4.2", 1, 0, CpuidRegister::Ecx, 20},
    {"crc32", 1, 0, CpuidRegister::Ecx, 20},
    {"movbe", 1, 0, CpuidRegister::Ecx, 22},
    {"popcnt", 1, 0, CpuidRegister::Ecx, 23},
    {"aes", 1, 0, CpuidRegister::Ecx, 25},
    {"rdrnd", 1, 0, CpuidRegister::Ecx, 30},
    {"fma", 1, 0, CpuidRegister::Ecx, 12, kAvx},
    {"xsave", 1, 0, CpuidRegister::Ecx, 26, kAvx},
    {"avx", 1, 0, CpuidRegister::Ecx, 28, kAvx},
    {"f16c", 1, 0, CpuidRegister::Ecx, 29, kAvx},
    {"sahf", 0x80000001, 0, CpuidRegister::Ecx, 0},
    {"lzcnt", 0x80000001, 0, CpuidRegister::Ecx, 5},
    {"sse4a", 0x80000001, 0, CpuidRegister::Ecx, 6},
    {"prfchw", 0x80000001, 0, CpuidRegister::Ecx, 8},
    {"lwp", 0x80000001, 0, CpuidRegister::Ecx, 15},
    {"tbm", 0x80000001, 0, CpuidRegister::Ecx, 21},
    {"mwaitx", 0x80000001, 0, CpuidRegister::Ecx, 29},
    {"xop", 0x80000001, 0, CpuidRegister::Ecx, 11, kAvx},
    {"fma4", 0x80000001, 0, CpuidRegister::Ecx, 16, kAvx},
    {"64bit", 0x80000001, 0, CpuidRegister::Edx, 29},
    {"clzero", 0x80000008, 0, CpuidRegister::Ebx, 0},
    {"rdpru", 0x80000008, 0, CpuidRegister::Ebx, 4},
    {"wbnoinvd", 0x80000008, 0, CpuidRegister::Ebx, 9},
    {"fsgsbase", 7, 0, CpuidRegister::Ebx, 0},
    {"sgx", 7, 0, CpuidRegister::Ebx, 2},
    {"bmi", 7, 0, CpuidRegister::Ebx, 3},
    {"bmi2", 7, 0, CpuidRegister::Ebx, 8},
    {"invpcid", 7, 0, CpuidRegister::Ebx, 10},
    {"rtm", 7, 0, CpuidRegister::Ebx, 11},
    {"rdseed", 7, 0, CpuidRegister::Ebx, 18},
    {"adx", 7, 0, CpuidRegister::Ebx, 19},
    {"clflushopt", 7, 0, CpuidRegister::Ebx, 23},
    {"clwb", 7, 0, CpuidRegister::Ebx, 24},
    {"sha", 7, 0, CpuidRegister::Ebx, 29},
    {"avx2", 7, 0, CpuidRegister::Ebx, 5, kAvx},
    {"avx512f", 7, 0, CpuidRegister::Ebx, 16, kAvx512},
    {"avx512dq", 7, 0, CpuidRegister::Ebx, 17, kAvx512},
    {"avx512ifma", 7, 0, CpuidRegister::Ebx, 21, kAvx512},
    {"avx512cd", 7, 0, CpuidRegister::Ebx, 28, kAvx512},
    {"avx512bw", 7, 0, CpuidRegister::Ebx, 30, kAvx512},
    {"avx512vl", 7, 0, CpuidRegister::Ebx, 31, kAvx512},
    {"pku", 7, 0, CpuidRegister::Ecx, 4},
    {"waitpkg", 7, 0, CpuidRegister::Ecx, 5},
    {"shstk", 7, 0, CpuidRegister::Ecx, 7},
    {"gfni", 7, 0, CpuidRegister::Ecx, 8},
    {"rdpid", 7, 0, CpuidRegister::Ecx, 22},
    {"kl", 7, 0, CpuidRegister::Ecx, 23},
    {"cldemote", 7, 0, CpuidRegister::Ecx, 25},
    {"movdiri", 7, 0, CpuidRegister::Ecx, 27},
    {"movdir64b", 7, 0, CpuidRegister::Ecx, 28},
    {"enqcmd", 7, 0, CpuidRegister::Ecx, 29},
    {"vaes", 7, 0, CpuidRegister::Ecx, 9, kAvx},
    {"vpclmulqdq", 7, 0, CpuidRegister::Ecx, 10, kAvx},
    {"avx512vbmi", 7, 0, CpuidRegister::Ecx, 1, kAvx512},
    {"avx512vbmi2", 7, 0, CpuidRegister::Ecx, 6, kAvx512},
    {"avx512vnni", 7, 0, CpuidRegister::Ecx, 11, kAvx512},
    {"avx512bitalg", 7, 0, CpuidRegister::Ecx, 12, kAvx512},
    {"avx512vpopcntdq", 7, 0, CpuidRegister::Ecx, 14, kAvx512},
    {"uintr", 7, 0, CpuidRegister::Edx, 5},
    {"serialize", 7, 0, CpuidRegister::Edx, 14},
    {"tsxldtrk", 7, 0, CpuidRegister::Edx, 16},
    {"pconfig", 7, 0, CpuidRegister::Edx, 18},
    {"avx512vp2intersect", 7, 0, CpuidRegister::Edx, 8, kAvx512},
    {"avx512fp16", 7, 0, CpuidRegister::Edx, 23, kAvx512},
    {"amx-bf16", 7, 0, CpuidRegister::Edx, 22, kAmx},
    {"amx-tile", 7, 0, CpuidRegister::Edx, 24, kAmx},
    {"amx-int8", 7, 0, CpuidRegister::Edx, 25, kAmx},
    {"sha512", 7, 1, CpuidRegister::Eax, 0},
    {"sm3", 7, 1, CpuidRegister::Eax, 1},
    {"sm4", 7, 1, CpuidRegister::Eax, 2},
    {"raoint", 7, 1, CpuidRegister::Eax, 3},
    {"cmpccxadd", 7, 1, CpuidRegister::Eax, 7},
    {"hreset", 7, 1, CpuidRegister::Eax, 22},
    {"movrs", 7, 1, CpuidRegister::Eax, 31},
    {"avxvnni", 7, 1, CpuidRegister::Eax, 4, kAvx},
    {"avxifma", 7, 1, CpuidRegister::Eax, 23, kAvx},
    {"avx512bf16", 7, 1, CpuidRegister::Eax, 5, kAvx512},
    {"amx-fp16", 7, 1, CpuidRegister::Eax, 21, kAmx},
    {"avxvnniint8", 7, 1, CpuidRegister::Edx, 4, kAvx},
    {"avxneconvert", 7, 1, CpuidRegister::Edx, 5, kAvx},
    {"avxvnniint16", 7, 1, CpuidRegister::Edx, 10, kAvx},
    {"amx-complex", 7, 1, CpuidRegister::Edx, 8, kAmx},
    {"prefetchi", 7, 1, CpuidRegister::Edx, 14},
    {"usermsr", 7, 1, CpuidRegister::Edx, 15},
    {"egpr", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"push2pop2", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"ppx", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"ndd", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"ccmp", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"nf", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"cf", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"zu", 7, 1, CpuidRegister::Edx, 21, kApx},
    {"xsaveopt", 0xd, 1, CpuidRegister::Eax, 0, kAvx},
    {"xsavec", 0xd, 1, CpuidRegister::Eax, 1, kAvx},
    {"xsaves", 0xd, 1, CpuidRegister::Eax, 3, kAvx},
    {"ptwrite", 0x14, 0, CpuidRegister::Ebx, 4},
    {"widekl", 0x19, 0, CpuidRegister::Ebx, 2},
    {"amx-fp8", 0x1e, 1, CpuidRegister::Eax, 4, kAmx},
    {"amx-transpose", 0x1e, 1, CpuidRegister::Eax, 5, kAmx},
    {"amx-tf32", 0x1e, 1, CpuidRegister::Eax, 6, kAmx},
    {"amx-avx512", 0x1e, 1, CpuidRegister::Eax, 7, kAmx},
    {"amx-movrs", 0x1e, 1, CpuidRegister::Eax, 8, kAmx},
    {"avx10.1", 7, 1, CpuidRegister::Edx, 19, kAvx512},
    {"avx10.1", 0x24, 0, CpuidRegister::Ebx, 0, kAvx512, 0xff, 1},
    {"avx10.2", 7, 1, CpuidRegister::Edx, 19, kAvx512},
    {"avx10.2", 0x24, 0, CpuidRegister::Ebx, 0, kAvx512, 0xff, 2},
};

llvm::SmallVector<CpuCheck, 2> diffuse::checksOf(StringRef feature) {
  llvm::SmallVector<CpuCheck, 2> checks;
  for (const CpuCheck &check : kTable)
    if (feature == check.feature)
      checks.push_back(check);
  return checks;
}

bool diffuse::isUsedByCode(StringRef feature) {
  static constexpr StringRef system[] = {
      "enqcmd",   "fsgsbase", "hreset",   "invpcid", "kl",       "lwp",
      "mwaitx",   "pconfig",  "pku",      "ptwrite", "rdpru",    "rtm",
      "sgx",      "shstk",    "tsxldtrk", "uintr",   "usermsr",  "waitpkg",
      "wbnoinvd", "widekl",   "xsave",    "xsavec",  "xsaveopt", "xsaves"};
  return !llvm::is_contained(system, feature);
}

llvm::Expected<std::vector<CpuCheck>>
diffuse::checksFor(const TargetDescription &target) {
  std::vector<CpuCheck> checks;
  llvm::SmallVector<StringRef> features;
  StringRef(target.features).split(features, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : features) {
    if (!feature.consume_front("+"))
      continue;
    llvm::SmallVector<CpuCheck, 2> own = checksOf(feature);
    if (own.empty())
      return llvm::createStringError(
          "the code for '" + target.key + "' needs the CPU feature '" +
          feature +
          "', which a library cannot ask a machine for; choose a target "
          "without it");
    if (isUsedByCode(feature))
      checks.insert(checks.end(), own.begin(), own.end());
  }
  return checks;
}
