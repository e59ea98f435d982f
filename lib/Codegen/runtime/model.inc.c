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
extern rt_function diffuse_prepare;
extern rt_function diffuse_extents;

static int64_t rt_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The entry calls every subgraph through here. `header` is the start of its
 * workspace, or null in functions that have none. */
__attribute__((visibility("hidden"))) int32_t
diffuse_rt_call(struct rt_header *header, int32_t call, rt_function *function,
                void *const *buffers, const int64_t *slots, void *work) {
  int profiled = header && header->profile;
  int64_t begin = profiled ? rt_now() : 0;
  int32_t result = function(buffers, slots, work);
  if (result && header && !header->code) {
    header->code = result;
    header->call = call;
  }
  if (profiled)
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

/* Runs a function of the entry's object in the model's floating-point mode.
 * `what` it calls, for the message where a call fails. */
static int rt_invoke(diffuse_handle *handle, rt_function *function,
                     const char *what) {
  struct rt_header *header = handle->work;
  header->code = 0;
  unsigned mode = rt_enter();
  int32_t code = function(handle->buffers, handle->slots, handle->work);
  rt_leave(mode);
  if (header->code)
    return rt_fail(handle, DIFFUSE_FAILED,
                   "%s %d of a subgraph failed with status %d", what,
                   (int)header->call, (int)header->code);
  if (code)
    return rt_fail(handle, DIFFUSE_FAILED, "the model failed with status %d",
                   (int)code);
  return DIFFUSE_OK;
}

#if RT_PREPARED
/* Called after each preparation: what it read of a parameters file need not
 * stay in memory. Pages that a run reads come back. */
static void rt_release_parameters(void *user, int32_t call, int64_t begin,
                                  int64_t end) {
  diffuse_handle *handle = user;
  (void)call, (void)begin, (void)end;
  if (handle->mapped)
    madvise(handle->mapped, handle->mapped_bytes, MADV_DONTNEED);
}
#endif

/* Computes once what depends on parameters alone. */
static int rt_prepare(diffuse_handle *handle) {
#if RT_PREPARED
  /* Buffers of no bytes need an address too. */
  handle->prepared = aligned_alloc(64, RT_PREPARED_BYTES + 64);
  if (!handle->prepared)
    return rt_fail(handle, DIFFUSE_OUT_OF_MEMORY,
                   "out of memory: what the model computes from its parameters "
                   "needs %llu bytes",
                   (unsigned long long)RT_PREPARED_BYTES);
  rt_marshal_prepare(handle);
  struct rt_header *header = handle->work;
  header->profile = rt_release_parameters;
  header->profile_user = handle;
  int code = rt_invoke(handle, diffuse_prepare, "preparation");
  header->profile = NULL;
  return code;
#else
  (void)handle;
  return DIFFUSE_OK;
#endif
}

RT_EXPORT int32_t RT_PUBLIC(_create)(const diffuse_parameters *parameters,
                                     const diffuse_options *options,
                                     diffuse_handle **result) {
  diffuse_handle *handle = calloc(1, sizeof(diffuse_handle));
  *result = handle;
  if (!handle)
    return DIFFUSE_OUT_OF_MEMORY;
  const char *missing = rt_missing_feature(rt_features, RT_FEATURES);
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
    code = rt_check_parameter_rules(handle);
  if (code == DIFFUSE_OK)
    code = rt_allocate(handle);
  if (code == DIFFUSE_OK)
    code = rt_prepare(handle);
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

static int rt_check_ready(diffuse_handle *handle) {
  if (!handle)
    return DIFFUSE_BAD_ARGUMENT;
  if (!handle->ready)
    return DIFFUSE_BAD_ARGUMENT; /* the message of _create stays */
  handle->message[0] = 0;
  return DIFFUSE_OK;
}

#if RT_RULES || RT_RESULT_EXTENTS
/* Checks the extents of the arguments and computes those of the results. */
static int rt_compute_extents(diffuse_handle *handle,
                              const diffuse_tensor *inputs, int64_t *extents) {
  int buffers = rt_marshal(handle, inputs, NULL);
  if (buffers < 0)
    return DIFFUSE_BAD_ARGUMENT;
  int code = rt_check_rules(handle, DIFFUSE_BAD_ARGUMENT, 0);
  if (code != DIFFUSE_OK)
    return code;
#if RT_RESULT_EXTENTS
  for (int i = 0; i < RT_RESULT_EXTENTS; ++i)
    handle->buffers[buffers + i] = &extents[i];
  return rt_invoke(handle, diffuse_extents, "call");
#else
  (void)extents;
  return DIFFUSE_OK;
#endif
}

/* The caller's results must be as large as what is written into them. */
static int rt_check_extents(diffuse_handle *handle,
                            const diffuse_tensor *inputs,
                            const diffuse_tensor *outputs) {
  int64_t extents[RT_RESULT_EXTENTS + 1];
  int code = rt_compute_extents(handle, inputs, extents);
  for (int i = 0, at = 0; code == DIFFUSE_OK && i < RT_ARGUMENTS; ++i) {
    const struct rt_argument *argument = &rt_arguments[i];
    if (argument->kind != RT_DESTINATION)
      continue;
    const int64_t *given = outputs++->extents;
    for (int d = 0; d < argument->rank; ++d) {
      if (argument->extents[d] >= 0)
        continue;
      int64_t wanted = extents[at++];
      if (given && given[d] >= 0 && given[d] != wanted)
        return rt_fail(handle, DIFFUSE_BAD_ARGUMENT,
                       "extent %d of '%s' is %lld where the model writes %lld",
                       d, argument->name, (long long)given[d],
                       (long long)wanted);
    }
  }
  return code;
}
#endif

RT_EXPORT int32_t RT_PUBLIC(_run)(diffuse_handle *handle,
                                  const diffuse_tensor *inputs,
                                  const diffuse_tensor *outputs) {
  int code = rt_check_ready(handle);
  if (code == DIFFUSE_OK)
    code = rt_check_given(handle, inputs, outputs, 1);
#if RT_RULES || RT_RESULT_EXTENTS
  if (code == DIFFUSE_OK)
    code = rt_check_extents(handle, inputs, outputs);
#endif
  if (code != DIFFUSE_OK)
    return code;
  if (rt_marshal(handle, inputs, outputs) < 0)
    return DIFFUSE_BAD_ARGUMENT;
  return rt_invoke(handle, diffuse_entry, "call");
}

RT_EXPORT int32_t RT_PUBLIC(_extents)(diffuse_handle *handle,
                                      const diffuse_tensor *inputs,
                                      int64_t *extents) {
  int code = rt_check_ready(handle);
  if (code == DIFFUSE_OK)
    code = rt_check_given(handle, inputs, NULL, 0);
  if (code == DIFFUSE_OK && RT_RESULT_EXTENTS && !extents)
    return rt_fail(handle, DIFFUSE_BAD_ARGUMENT,
                   "no memory for the extents of the results");
  if (code != DIFFUSE_OK)
    return code;
#if RT_RULES || RT_RESULT_EXTENTS
  return rt_compute_extents(handle, inputs, extents);
#else
  return rt_marshal(handle, inputs, NULL) < 0 ? DIFFUSE_BAD_ARGUMENT
                                              : DIFFUSE_OK;
#endif
}

RT_EXPORT void RT_PUBLIC(_destroy)(diffuse_handle *handle) {
  if (!handle)
    return;
  for (int i = 0; i < RT_PARAMETERS; ++i)
    free(handle->parameters[i].owned);
  if (handle->mapped)
    munmap(handle->mapped, handle->mapped_bytes);
  free(handle->prepared);
  free(handle->work);
  free(handle);
}

RT_EXPORT const char *RT_PUBLIC(_error)(const diffuse_handle *handle) {
  return handle ? handle->message : "no handle";
}

RT_EXPORT const char *RT_PUBLIC(_describe)(void) { return rt_description; }
