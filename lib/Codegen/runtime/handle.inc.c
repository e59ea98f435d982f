/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

struct diffuse_handle {
  int ready;
  char message[512];
  void *work;
  char *prepared; /* what depends on parameters alone */
  void *mapped;
  size_t mapped_bytes;
  void *buffers[RT_ARGUMENTS + RT_PREPARED + RT_RESULT_EXTENTS + 1];
  int64_t slots[RT_SLOTS + 1];
  struct rt_parameter parameters[RT_PARAMETERS + 1];
};

__attribute__((format(printf, 3, 4))) static int
rt_fail(diffuse_handle *handle, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(handle->message, sizeof(handle->message), format, arguments);
  va_end(arguments);
  return code;
}
