/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A library with the interface of a model that writes where nothing is. */
#include <stdint.h>
int32_t diffuse_crash_create(const void *p, const void *o, void **h) {
  return 0;
}
int32_t diffuse_crash_run(void *h, const void *i, const void *o) {
  *(volatile int *)8 = 1;
  return 0;
}
int32_t diffuse_crash_extents(void *h, const void *i, int64_t *e) { return 0; }
void diffuse_crash_destroy(void *h) {}
const char *diffuse_crash_error(const void *h) { return ""; }
const char *diffuse_crash_describe(void) {
  return "{\"boundary\": [], \"calls\": []}";
}
