/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints how often one run of a model asks the C library for memory, after a
 * first run. The allocators of this program stand before libc's for all
 * libraries of the process.
 *
 *   count_allocations PARAMETERS INPUTS OUTPUTS BYTES...
 *
 * The numbers of tensors of each kind, then the size of each.
 */
#include "Diffuse/Codegen/diffuse_model.h"

#include <stdio.h>
#include <stdlib.h>

DIFFUSE_DECLARE_MODEL(counted);

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static long count;

void *malloc(size_t bytes) { return ++count, __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) {
  return ++count, __libc_calloc(n, bytes);
}
void *realloc(void *old, size_t bytes) {
  return ++count, __libc_realloc(old, bytes);
}
void *aligned_alloc(size_t align, size_t bytes) {
  return ++count, __libc_memalign(align, bytes);
}
void *memalign(size_t align, size_t bytes) {
  return ++count, __libc_memalign(align, bytes);
}
int posix_memalign(void **result, size_t align, size_t bytes) {
  *result = aligned_alloc(align, bytes);
  return *result == NULL;
}

int main(int argc, char **argv) {
  int kinds[3], next = 4;
  diffuse_tensor *tensors[3];
  for (int kind = 0; kind < 3; ++kind) {
    kinds[kind] = atoi(argv[1 + kind]);
    tensors[kind] = calloc((size_t)kinds[kind] + 1, sizeof(diffuse_tensor));
    for (int i = 0; i < kinds[kind] && next < argc; ++i)
      tensors[kind][i].data = calloc(1, (size_t)atol(argv[next++]));
  }
  diffuse_parameters parameters = {NULL, tensors[0]};
  diffuse_handle *handle;
  if (diffuse_counted_create(&parameters, NULL, &handle) ||
      diffuse_counted_run(handle, tensors[1], tensors[2])) {
    fprintf(stderr, "error: %s\n", diffuse_counted_error(handle));
    return 1;
  }
  long before = count;
  int status = diffuse_counted_run(handle, tensors[1], tensors[2]);
  long asked = count - before;
  diffuse_counted_destroy(handle);
  printf("%ld of %ld\n", asked, before);
  return status;
}
