/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the tables of a model are made of. This file and its siblings are text
 * inside the compiler: for each model it prints tables around them and has the
 * system's C compiler build the result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RT_MAX_RANK 16

enum { RT_INPUT, RT_PARAMETER, RT_SCALAR, RT_DESTINATION };

struct rt_argument {
  int kind;
  const char *name;
  const char *element; /* in MLIR's spelling */
  unsigned element_bytes;
  unsigned alignment;
  int rank;
  int64_t extents[RT_MAX_RANK]; /* -1: dynamic */
};

struct rt_parameter {
  void *data;
  void *owned;
  int bound;
  int64_t extents[RT_MAX_RANK];
};

/* `times` slots of an extent (dim >= 0) or of a scalar stand in `relation` to
 * what rt_wanted computes: '=', '>' for at least, '<' for at most. */
struct rt_rule {
  char relation;
  int argument;
  int dim;
  int slot;
  int64_t times;
  int parameters; /* it is about nothing but parameters */
  const char *reason;
};

/* Division as in mathematics, for rt_wanted. */
static inline int64_t rt_floor(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static inline int64_t rt_ceil(int64_t a, int64_t b) { return -rt_floor(-a, b); }
static inline int64_t rt_mod(int64_t a, int64_t b) {
  return a - b * rt_floor(a, b);
}

/* The first 64 bytes of the entry's workspace. `code` is what the first call
 * that failed returned, 0 where none did. */
struct rt_header {
  diffuse_profile profile;
  void *profile_user;
  int32_t code;
  int32_t call;
};
