/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds each parameter of the model in a safetensors file or in the caller's
 * buffers.
 */

static const char *rt_dtype_of(const char *element) {
  static const char *const names[][2] = {
      {"f16", "F16"},   {"bf16", "BF16"},       {"f32", "F32"},
      {"f64", "F64"},   {"i1", "BOOL"},         {"i4", "I8"},
      {"i8", "I8"},     {"si8", "I8"},          {"ui8", "U8"},
      {"i16", "I16"},   {"ui16", "U16"},        {"i32", "I32"},
      {"ui32", "U32"},  {"i64", "I64"},         {"ui64", "U64"},
      {"index", "I64"}, {"si16", "I16"},        {"si32", "I32"},
      {"si64", "I64"},  {"complex<f32>", "C64"}};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (strcmp(names[i][0], element) == 0)
      return names[i][1];
  return "?";
}

/* Signless integers match both spellings. */
static int rt_same_dtype(const char *element, const char *dtype) {
  const char *expected = rt_dtype_of(element);
  if (strcmp(expected, dtype) == 0)
    return 1;
  return element[0] == 'i' && expected[0] == 'I' && dtype[0] == 'U' &&
         strcmp(expected + 1, dtype + 1) == 0;
}

static void rt_print_shape(char *text, size_t size, const int64_t *extents,
                           int rank) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int i = 0; i < rank && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used,
                             extents[i] < 0 ? "%s?" : "%s%lld", i ? ", " : "",
                             (long long)extents[i]);
  if (used < size)
    snprintf(text + used, size - used, "]");
}

/* Checks one tensor of the file against the argument it is for. */
static int rt_check_entry(diffuse_handle *handle, const char *source,
                          const struct rt_argument *argument,
                          const struct rt_entry *entry, uint64_t data_bytes) {
  char expected[128], found[128];
  int same = entry->rank == argument->rank;
  uint64_t bytes = argument->element_bytes;
  for (int i = 0; same && i < entry->rank; ++i) {
    same = argument->extents[i] < 0 || argument->extents[i] == entry->shape[i];
    if (entry->shape[i] && bytes > UINT64_MAX / (uint64_t)entry->shape[i])
      same = 0;
    bytes *= (uint64_t)entry->shape[i];
  }
  if (!rt_same_dtype(argument->element, entry->dtype))
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                   "%s: parameter '%s' has elements of type %s where the "
                   "model has %s (%s)",
                   source, argument->name, entry->dtype, argument->element,
                   rt_dtype_of(argument->element));
  if (!same) {
    rt_print_shape(expected, sizeof(expected), argument->extents,
                   argument->rank);
    rt_print_shape(found, sizeof(found), entry->shape, entry->rank);
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                   "%s: parameter '%s' has shape %s where the model has %s",
                   source, argument->name, found, expected);
  }
  if (entry->begin > entry->end || entry->end > data_bytes ||
      entry->end - entry->begin != bytes)
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                   "%s: data of parameter '%s' is not where the header says",
                   source, argument->name);
  return DIFFUSE_OK;
}

/* Data that lies at an odd address is copied: code assumes the alignment of an
 * element. */
static int rt_bind(diffuse_handle *handle, int index,
                   const struct rt_argument *argument,
                   const struct rt_entry *entry, const unsigned char *data) {
  struct rt_parameter *bound = &handle->parameters[index];
  memcpy(bound->extents, entry->shape, sizeof(bound->extents));
  bound->data = (void *)(uintptr_t)(data + entry->begin);
  if ((uintptr_t)bound->data % argument->alignment == 0)
    return DIFFUSE_OK;
  size_t bytes = (size_t)(entry->end - entry->begin);
  bound->owned = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
  if (!bound->owned)
    return rt_fail(handle, DIFFUSE_OUT_OF_MEMORY, "out of memory");
  memcpy(bound->owned, bound->data, bytes);
  bound->data = bound->owned;
  return DIFFUSE_OK;
}

static int rt_bind_all(diffuse_handle *handle, const char *source,
                       const unsigned char *file, uint64_t size) {
  uint64_t header = 0;
  if (size >= 8)
    memcpy(&header, file, 8);
  if (size < 8 || header > size - 8)
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS, "%s: not a safetensors file",
                   source);
  const unsigned char *data = file + 8 + header;
  struct rt_cursor cursor = {(const char *)file + 8,
                             (const char *)file + 8 + header};
  struct rt_entry entry;
  int more = rt_take(&cursor, '{') ? 1 : -1;
  while (more == 1 && (more = rt_next(&cursor, &entry)) == 1) {
    int index = 0;
    for (int i = 0; i < RT_ARGUMENTS; ++i) {
      const struct rt_argument *argument = &rt_arguments[i];
      if (argument->kind != RT_PARAMETER)
        continue;
      if (rt_is(entry.name, entry.name_length, argument->name)) {
        int code =
            rt_check_entry(handle, source, argument, &entry, size - 8 - header);
        if (code == DIFFUSE_OK)
          code = rt_bind(handle, index, argument, &entry, data);
        if (code != DIFFUSE_OK)
          return code;
        handle->parameters[index].bound = 1;
      }
      ++index;
    }
  }
  if (more < 0)
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                   "%s: malformed header of a safetensors file", source);
  return DIFFUSE_OK;
}

static int rt_map_file(diffuse_handle *handle, const char *path) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    int code = rt_fail(handle, DIFFUSE_BAD_PARAMETERS, "cannot read '%s': %s",
                       path, strerror(errno));
    if (descriptor >= 0)
      close(descriptor);
    return code;
  }
  if (!S_ISREG(status.st_mode) || !status.st_size) {
    close(descriptor);
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                   "'%s' is %s, where a safetensors file is wanted", path,
                   S_ISREG(status.st_mode) ? "empty" : "no regular file");
  }
  handle->mapped_bytes = (size_t)status.st_size;
  handle->mapped =
      mmap(NULL, handle->mapped_bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  int fault = errno;
  close(descriptor);
  if (handle->mapped == MAP_FAILED) {
    handle->mapped = NULL;
    return rt_fail(handle, DIFFUSE_BAD_PARAMETERS, "cannot map '%s': %s", path,
                   strerror(fault));
  }
  return rt_bind_all(handle, path, handle->mapped, handle->mapped_bytes);
}

static int rt_bind_tensors(diffuse_handle *handle,
                           const diffuse_tensor *tensors) {
  int index = 0;
  for (int i = 0; i < RT_ARGUMENTS; ++i) {
    const struct rt_argument *argument = &rt_arguments[i];
    if (argument->kind != RT_PARAMETER)
      continue;
    struct rt_parameter *bound = &handle->parameters[index];
    int code = rt_check_tensor(handle, DIFFUSE_BAD_PARAMETERS, argument,
                               &tensors[index]);
    if (code != DIFFUSE_OK)
      return code;
    for (int d = 0; d < argument->rank; ++d)
      bound->extents[d] = tensors[index].extents ? tensors[index].extents[d]
                                                 : argument->extents[d];
    bound->data = tensors[index].data;
    bound->bound = 1;
    ++index;
  }
  return DIFFUSE_OK;
}

static int rt_bind_parameters(diffuse_handle *handle,
                              const diffuse_parameters *parameters) {
  int code = DIFFUSE_OK;
  if (parameters && parameters->file) {
    if (RT_PARAMETERS == 0)
      return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                     "this model takes no parameters, but '%s' was given",
                     parameters->file);
    code = rt_map_file(handle, parameters->file);
  } else if (parameters && parameters->tensors) {
    code = rt_bind_tensors(handle, parameters->tensors);
  } else if (RT_EMBEDDED) {
    code = rt_bind_all(handle, "embedded parameters", rt_embedded_begin,
                       (uint64_t)(rt_embedded_end - rt_embedded_begin));
  }
  int index = 0;
  for (int i = 0; code == DIFFUSE_OK && i < RT_ARGUMENTS; ++i)
    if (rt_arguments[i].kind == RT_PARAMETER &&
        !handle->parameters[index++].bound)
      return rt_fail(handle, DIFFUSE_BAD_PARAMETERS,
                     "parameter '%s' is missing: %s", rt_arguments[i].name,
                     parameters && parameters->file
                         ? parameters->file
                         : "give a safetensors file that holds it");
  return code;
}
