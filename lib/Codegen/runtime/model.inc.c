/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of the C interface over the uniform interface of the entry.
 */

#define RT_PASTE(a, b, c) a##b##c
#define RT_EXPAND(a, b, c) RT_PASTE(a, b, c)
#define RT_PUBLIC(function) RT_EXPAND(diffuse_, RT_MODEL, function)
#define RT_EXPORT __attribute__((visibility("default")))

typedef int32_t rt_function(void *const *, const int64_t *, void *);

extern rt_function diffuse_entry;
extern rt_function diffuse_extents;

static int64_t rt_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The entry calls every subgraph through here. `header` is the start of its
 * workspace, or null in functions that have none. */
__attribute__((visibility("hidden"))) int32_t diffuse_rt_call(
    const struct rt_header *header, int32_t call, rt_function *function,
    void *const *buffers, const int64_t *slots, void *work) {
  if (!header || !header->profile)
    return function(buffers, slots, work);
  int64_t begin = rt_now();
  int32_t result = function(buffers, slots, work);
  header->profile(header->profile_user, call, begin, rt_now());
  return result;
}

#if RT_FLUSH && defined(__SSE__)
#include <xmmintrin.h>
static unsigned rt_enter(void) {
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040); /* flush to zero, denormals are zero */
  return mode;
}
static void rt_leave(unsigned mode) { _mm_setcsr(mode); }
#else
static unsigned rt_enter(void) { return 0; }
static void rt_leave(unsigned mode) { (void)mode; }
#endif

static int rt_allocate(diffuse_handle *handle) {
  handle->work = aligned_alloc(64, (RT_WORKSPACE + 63) / 64 * 64);
  if (!handle->work)
    return rt_fail(handle, DIFFUSE_OUT_OF_MEMORY,
                   "out of memory: the model needs %llu bytes",
                   (unsigned long long)RT_WORKSPACE);
  memset(handle->work, 0, sizeof(struct rt_header));
  return DIFFUSE_OK;
}

RT_EXPORT int32_t RT_PUBLIC(_create)(const diffuse_parameters *parameters,
                                     const diffuse_options *options,
                                     diffuse_handle **result) {
  diffuse_handle *handle = calloc(1, sizeof(diffuse_handle));
  *result = handle;
  if (!handle)
    return DIFFUSE_OUT_OF_MEMORY;
  const char *missing = rt_missing_feature();
  if (missing)
    return rt_fail(handle, DIFFUSE_UNSUPPORTED_CPU,
                   "this model was compiled for %s and needs the CPU feature "
                   "%s, which this machine lacks",
                   RT_TARGET, missing);
  if (options && options->size < sizeof(diffuse_options))
    return rt_fail(handle, DIFFUSE_BAD_ARGUMENT,
                   "diffuse_options.size is %zu, expected at least %zu",
                   options->size, sizeof(diffuse_options));
  if (options && options->threads > 1)
    return rt_fail(handle, DIFFUSE_BAD_ARGUMENT,
                   "%d threads were asked for, the model was compiled for 1",
                   (int)options->threads);
  int code = rt_bind_parameters(handle, parameters);
  if (code == DIFFUSE_OK)
    code = rt_allocate(handle);
  if (code != DIFFUSE_OK)
    return code;
  if (options) {
    struct rt_header *header = handle->work;
    header->profile = options->profile;
    header->profile_user = options->profile_user;
  }
  handle->ready = 1;
  return DIFFUSE_OK;
}

/* A slot is a scalar's bits, zero-extended. */
static int64_t rt_scalar(const struct rt_argument *argument, const void *data) {
  int64_t slot = 0;
  memcpy(&slot, data, argument->element_bytes);
  return slot;
}

/* Appends the dynamic extents of one argument to the slots. */
static int rt_add_extents(diffuse_handle *handle, int *slots,
                          const struct rt_argument *argument,
                          const int64_t *extents) {
  for (int d = 0; d < argument->rank; ++d) {
    if (argument->extents[d] >= 0) {
      if (extents && extents[d] != argument->extents[d])
        return rt_fail(handle, DIFFUSE_BAD_ARGUMENT,
                       "extent %d of '%s' is %lld where the model has %lld", d,
                       argument->name, (long long)extents[d],
                       (long long)argument->extents[d]);
      continue;
    }
    if (!extents || extents[d] < 0)
      return rt_fail(handle, DIFFUSE_BAD_ARGUMENT,
                     "extent %d of '%s' is dynamic: give it in extents", d,
                     argument->name);
    handle->slots[(*slots)++] = extents[d];
  }
  return DIFFUSE_OK;
}

/* Fills in buffers and slots. `outputs` may be null: then none are passed.
 * Returns the number of buffers, or -1 after an error. */
static int rt_marshal(diffuse_handle *handle, const diffuse_tensor *inputs,
                      const diffuse_tensor *outputs) {
  int buffers = 0, slots = 0, parameter = 0;
  for (int i = 0; i < RT_ARGUMENTS; ++i) {
    const struct rt_argument *argument = &rt_arguments[i];
    if (argument->kind == RT_PARAMETER) {
      struct rt_parameter *bound = &handle->parameters[parameter++];
      handle->buffers[buffers++] = bound->data;
      rt_add_extents(handle, &slots, argument, bound->extents);
      continue;
    }
    if (argument->kind == RT_DESTINATION && !outputs)
      continue;
    const diffuse_tensor *tensor =
        argument->kind == RT_DESTINATION ? outputs++ : inputs++;
    if (!tensor->data) {
      rt_fail(handle, DIFFUSE_BAD_ARGUMENT, "no data for '%s'", argument->name);
      return -1;
    }
    if (argument->kind == RT_SCALAR) {
      handle->slots[slots++] = rt_scalar(argument, tensor->data);
      continue;
    }
    handle->buffers[buffers++] = tensor->data;
    if (rt_add_extents(handle, &slots, argument, tensor->extents))
      return -1;
  }
  return buffers;
}

static int rt_check_ready(diffuse_handle *handle) {
  if (!handle)
    return DIFFUSE_BAD_ARGUMENT;
  if (!handle->ready)
    return DIFFUSE_BAD_ARGUMENT; /* the message of _create stays */
  handle->message[0] = 0;
  return DIFFUSE_OK;
}

RT_EXPORT int32_t RT_PUBLIC(_run)(diffuse_handle *handle,
                                  const diffuse_tensor *inputs,
                                  const diffuse_tensor *outputs) {
  int code = rt_check_ready(handle);
  if (code != DIFFUSE_OK)
    return code;
  if (rt_marshal(handle, inputs, outputs) < 0)
    return DIFFUSE_BAD_ARGUMENT;
  unsigned mode = rt_enter();
  diffuse_entry(handle->buffers, handle->slots, handle->work);
  rt_leave(mode);
  return DIFFUSE_OK;
}

RT_EXPORT int32_t RT_PUBLIC(_extents)(diffuse_handle *handle,
                                      const diffuse_tensor *inputs,
                                      int64_t *extents) {
  int code = rt_check_ready(handle);
  if (code != DIFFUSE_OK)
    return code;
  int buffers = rt_marshal(handle, inputs, NULL);
  if (buffers < 0)
    return DIFFUSE_BAD_ARGUMENT;
#if RT_RESULT_EXTENTS
  for (int i = 0; i < RT_RESULT_EXTENTS; ++i)
    handle->buffers[buffers + i] = &extents[i];
  unsigned mode = rt_enter();
  diffuse_extents(handle->buffers, handle->slots, handle->work);
  rt_leave(mode);
#else
  (void)extents;
#endif
  return DIFFUSE_OK;
}

RT_EXPORT void RT_PUBLIC(_destroy)(diffuse_handle *handle) {
  if (!handle)
    return;
  for (int i = 0; i < RT_PARAMETERS; ++i)
    free(handle->parameters[i].owned);
  if (handle->mapped)
    munmap(handle->mapped, handle->mapped_bytes);
  free(handle->work);
  free(handle);
}

RT_EXPORT const char *RT_PUBLIC(_error)(const diffuse_handle *handle) {
  return handle ? handle->message : "no handle";
}

RT_EXPORT const char *RT_PUBLIC(_describe)(void) { return rt_description; }
