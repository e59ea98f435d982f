/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks the caller's tensors and lays them out as the entry takes them.
 */

/* A slot is a scalar's bits, zero-extended. */
static int64_t rt_scalar(const struct rt_argument *argument, const void *data) {
  int64_t slot = 0;
  memcpy(&slot, data, argument->element_bytes);
  return slot;
}

/* Checks one tensor against its argument. */
static int rt_check_tensor(diffuse_handle *handle, int code,
                           const struct rt_argument *argument,
                           const diffuse_tensor *tensor) {
  const int64_t *extents = tensor->extents;
  int empty = 0;
  for (int d = 0; d < argument->rank; ++d) {
    int64_t expected = argument->extents[d];
    if (expected < 0 && (!extents || extents[d] < 0))
      return rt_fail(handle, code,
                     "extent %d of '%s' is dynamic: give it in extents", d,
                     argument->name);
    if (expected >= 0 && extents && extents[d] != expected)
      return rt_fail(
          handle, code, "extent %d of '%s' is %lld where the model has %lld", d,
          argument->name, (long long)extents[d], (long long)expected);
    empty |= (expected < 0 ? extents[d] : expected) == 0;
  }
  if (!tensor->data && !empty)
    return rt_fail(handle, code, "no data for '%s'", argument->name);
  if (argument->kind != RT_SCALAR &&
      (uintptr_t)tensor->data % argument->alignment != 0)
    return rt_fail(handle, code,
                   "data of '%s' lies at %p where elements of type %s need an "
                   "alignment of %u bytes",
                   argument->name, tensor->data, argument->element,
                   argument->alignment);
  return DIFFUSE_OK;
}

/* Appends the dynamic extents of one argument to the slots. */
static void rt_add_extents(diffuse_handle *handle, int *slots,
                           const struct rt_argument *argument,
                           const int64_t *extents) {
  for (int d = 0; d < argument->rank; ++d)
    if (argument->extents[d] < 0)
      handle->slots[(*slots)++] = extents[d];
}

/* Buffers and slots of a call that are filled in so far. */
struct rt_filled {
  int buffers, slots;
};

static void rt_add_parameter(diffuse_handle *handle, struct rt_filled *filled,
                             const struct rt_argument *argument,
                             const struct rt_parameter *bound) {
  handle->buffers[filled->buffers++] = bound->data;
  rt_add_extents(handle, &filled->slots, argument, bound->extents);
}

/* Prepared buffers follow the arguments and precede the results. */
static void rt_add_prepared(diffuse_handle *handle, struct rt_filled *filled) {
  for (int i = 0; i < RT_PREPARED; ++i)
    handle->buffers[filled->buffers++] = handle->prepared + rt_prepared[i];
}

static int rt_add_tensor(diffuse_handle *handle, struct rt_filled *filled,
                         const struct rt_argument *argument,
                         const diffuse_tensor *tensor) {
  int code = rt_check_tensor(handle, DIFFUSE_BAD_ARGUMENT, argument, tensor);
  if (code != DIFFUSE_OK)
    return code;
  if (argument->kind == RT_SCALAR) {
    handle->slots[filled->slots++] = rt_scalar(argument, tensor->data);
    return DIFFUSE_OK;
  }
  handle->buffers[filled->buffers++] = tensor->data;
  rt_add_extents(handle, &filled->slots, argument, tensor->extents);
  return DIFFUSE_OK;
}

/* Fills in buffers and slots. `outputs` may be null: then none are passed.
 * Returns the number of buffers, or -1 after an error. */
static int rt_marshal(diffuse_handle *handle, const diffuse_tensor *inputs,
                      const diffuse_tensor *outputs) {
  struct rt_filled filled = {0, 0};
  int parameter = 0, i = 0;
  for (; i < RT_ARGUMENTS && rt_arguments[i].kind != RT_DESTINATION; ++i) {
    const struct rt_argument *argument = &rt_arguments[i];
    if (argument->kind == RT_PARAMETER)
      rt_add_parameter(handle, &filled, argument,
                       &handle->parameters[parameter++]);
    else if (rt_add_tensor(handle, &filled, argument, inputs++))
      return -1;
  }
  rt_add_prepared(handle, &filled);
  for (; outputs && i < RT_ARGUMENTS; ++i)
    if (rt_add_tensor(handle, &filled, &rt_arguments[i], outputs++))
      return -1;
  return filled.buffers;
}

#if RT_PREPARED
/* Fills in what preparing takes: the parameters and what it writes. */
static void rt_marshal_prepare(diffuse_handle *handle) {
  struct rt_filled filled = {0, 0};
  int parameter = 0;
  for (int i = 0; i < RT_ARGUMENTS; ++i)
    if (rt_arguments[i].kind == RT_PARAMETER)
      rt_add_parameter(handle, &filled, &rt_arguments[i],
                       &handle->parameters[parameter++]);
  rt_add_prepared(handle, &filled);
}
#endif

static void rt_print_slot(char *text, size_t size, int argument, int dim) {
  if (dim < 0)
    snprintf(text, size, "'%s'", rt_arguments[argument].name);
  else
    snprintf(text, size, "extent %d of '%s'", dim, rt_arguments[argument].name);
}

/* What the entry takes for granted of extents: rules that are about parameters
 * alone, or the others. The slots are those of a call without outputs. */
static int rt_check_rules(diffuse_handle *handle, int code, int parameters) {
  for (int i = 0; i < RT_RULES; ++i) {
    const struct rt_rule *rule = &rt_rules[i];
    if (rule->parameters != parameters)
      continue;
    int64_t found = rule->times * handle->slots[rule->slot];
    int64_t wanted = rt_wanted(i, handle->slots);
    if (rule->relation == '='   ? found == wanted
        : rule->relation == '>' ? found >= wanted
                                : found <= wanted)
      continue;
    char name[160], times[32] = "";
    rt_print_slot(name, sizeof(name), rule->argument, rule->dim);
    if (rule->times != 1)
      snprintf(times, sizeof(times), "%lld times ", (long long)rule->times);
    return rt_fail(
        handle, code, "%s%s is %lld where the model needs %s%lld%s%s", times,
        name, (long long)found,
        rule->relation == '='   ? ""
        : rule->relation == '>' ? "at least "
                                : "at most ",
        (long long)wanted, rule->reason[0] ? ", which is " : "", rule->reason);
  }
  return DIFFUSE_OK;
}

/* What can be checked once the parameters are known. */
static int rt_check_parameter_rules(diffuse_handle *handle) {
  int slots = 0, parameter = 0;
  for (int i = 0; i < RT_ARGUMENTS; ++i) {
    const struct rt_argument *argument = &rt_arguments[i];
    if (argument->kind == RT_DESTINATION)
      continue;
    if (argument->kind == RT_PARAMETER) {
      rt_add_extents(handle, &slots, argument,
                     handle->parameters[parameter++].extents);
      continue;
    }
    slots += argument->kind == RT_SCALAR;
    for (int d = 0; d < argument->rank; ++d)
      slots += argument->extents[d] < 0;
  }
  return rt_check_rules(handle, DIFFUSE_BAD_PARAMETERS, 1);
}

/* The caller's tensors, which may be missing altogether. */
static int rt_check_given(diffuse_handle *handle, const diffuse_tensor *inputs,
                          const diffuse_tensor *outputs, int needs_outputs) {
  for (int i = 0; i < RT_ARGUMENTS; ++i) {
    int kind = rt_arguments[i].kind;
    if (kind == RT_DESTINATION ? needs_outputs && !outputs
                               : kind != RT_PARAMETER && !inputs)
      return rt_fail(handle, DIFFUSE_BAD_ARGUMENT, "no tensor for '%s'",
                     rt_arguments[i].name);
  }
  return DIFFUSE_OK;
}
