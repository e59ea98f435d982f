/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C interface of a compiled model. docs/c-interface.md explains it with an
 * example. Needs nothing but a C compiler.
 */
#ifndef DIFFUSE_MODEL_H
#define DIFFUSE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return; _error gives the message. */
enum {
  DIFFUSE_OK = 0,
  DIFFUSE_BAD_ARGUMENT = 1,
  DIFFUSE_OUT_OF_MEMORY = 2,
  DIFFUSE_BAD_PARAMETERS = 3,
  DIFFUSE_UNSUPPORTED_CPU = 4,
  DIFFUSE_FAILED = 5 /* code of the model itself reported a failure */
};

/* A row-major buffer with the alignment of an element. `extents` may be NULL
 * where the model's own are static; `data` may be where one of them is 0. For a
 * scalar argument `data` points to its value. */
typedef struct diffuse_tensor {
  void *data;
  const int64_t *extents;
} diffuse_tensor;

/* Where the parameters come from. `file` names a safetensors file, which is
 * mapped. Otherwise `tensors` holds one buffer for each parameter, in the
 * order of the description, checked like inputs; they stay the caller's, must
 * outlive the handle and must not change: what depends on them alone is
 * computed by _create. Both NULL: the embedded parameters. */
typedef struct diffuse_parameters {
  const char *file;
  const diffuse_tensor *tensors;
} diffuse_parameters;

/* Called after each call of a subgraph in a run; times are of CLOCK_MONOTONIC.
 * `call` is a position in the description's list of calls. */
typedef void (*diffuse_profile)(void *user, int32_t call, int64_t begin_ns,
                                int64_t end_ns);

/* Zero-initialize it and set `size` to sizeof(diffuse_options). */
typedef struct diffuse_options {
  size_t size;
  int32_t threads; /* 0 or 1 */
  diffuse_profile profile;
  void *profile_user;
} diffuse_options;

/* One instance of a model: its parameters, what is computed from them alone,
 * and working memory. Handles are independent of one another; one may be used
 * by one thread at a time. */
typedef struct diffuse_handle diffuse_handle;

/* Declares the functions of the model called NAME.
 *
 * _create fills in *handle also when it fails, for _error; destroy it in any
 * case. `parameters` and `options` may be NULL.
 * _run takes one tensor for each input and scalar, and one for each result, in
 * the order of the description. Results must not overlap anything else.
 * _extents writes the dynamic extents of the results, in order of results and
 * dimensions, for inputs of the given extents.
 * _error returns the message of the handle's last failure, or "".
 * _describe returns a JSON object; it is valid for ever. */
#define DIFFUSE_DECLARE_MODEL(NAME)                                            \
  int32_t diffuse_##NAME##_create(const diffuse_parameters *parameters,        \
                                  const diffuse_options *options,              \
                                  diffuse_handle **handle);                    \
  int32_t diffuse_##NAME##_run(diffuse_handle *handle,                         \
                               const diffuse_tensor *inputs,                   \
                               const diffuse_tensor *outputs);                 \
  int32_t diffuse_##NAME##_extents(                                            \
      diffuse_handle *handle, const diffuse_tensor *inputs, int64_t *extents); \
  void diffuse_##NAME##_destroy(diffuse_handle *handle);                       \
  const char *diffuse_##NAME##_error(const diffuse_handle *handle);            \
  const char *diffuse_##NAME##_describe(void)

#ifdef __cplusplus
}
#endif

#endif /* DIFFUSE_MODEL_H */
