/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Asks the processor for features by itself: the builtins of compilers know
 * fewer of them. Needs no feature.
 */
#include <stddef.h>
#include <stdint.h>

/* The feature is there where (register >> shift) & mask is at least `least` and
 * the operating system saves the registers that `state` names, bits of XCR0. */
struct rt_feature {
  const char *name;
  uint32_t leaf;
  uint32_t subleaf;
  unsigned reg; /* 0 eax, 1 ebx, 2 ecx, 3 edx */
  unsigned shift;
  uint32_t mask;
  uint32_t least;
  uint64_t state;
};

#if defined(__x86_64__)
static void rt_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]),
                     "=d"(registers[3])
                   : "0"(leaf), "2"(subleaf));
}

/* What the operating system saves when it switches tasks. */
static uint64_t rt_saved_state(void) {
  uint32_t registers[4], low, high;
  rt_cpuid(1, 0, registers);
  if (!(registers[2] >> 27 & 1)) /* xgetbv is not allowed */
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static int rt_has_feature(const struct rt_feature *feature) {
  uint32_t registers[4];
  if ((rt_saved_state() & feature->state) != feature->state)
    return 0;
  /* A processor may answer for leaves it lacks with anything. */
  rt_cpuid(feature->leaf & 0x80000000u, 0, registers);
  if (registers[0] < feature->leaf)
    return 0;
  if (feature->leaf == 7 && feature->subleaf > 0) {
    rt_cpuid(7, 0, registers);
    if (registers[0] < feature->subleaf)
      return 0;
  }
  rt_cpuid(feature->leaf, feature->subleaf, registers);
  return (registers[feature->reg] >> feature->shift & feature->mask) >=
         feature->least;
}
#else
static int rt_has_feature(const struct rt_feature *feature) {
  (void)feature;
  return 0;
}
#endif

/* The name of the first feature that this machine lacks, or null. */
static const char *rt_missing_feature(const struct rt_feature *features,
                                      int count) {
  for (int i = 0; i < count; ++i)
    if (!rt_has_feature(&features[i]))
      return features[i].name;
  return NULL;
}
