/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the header of a safetensors file: eight bytes of length, then JSON
 *
 *   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
 *
 * then the data. The file is not trusted: every position is checked.
 */

struct rt_entry {
  const char *name; /* not terminated, escapes as in the file */
  size_t name_length;
  char dtype[8];
  int64_t shape[RT_MAX_RANK];
  int rank;
  uint64_t begin, end;
};

struct rt_cursor {
  const char *at, *end;
};

static void rt_space(struct rt_cursor *c) {
  while (c->at < c->end &&
         (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
    ++c->at;
}

static int rt_take(struct rt_cursor *c, char expected) {
  rt_space(c);
  if (c->at >= c->end || *c->at != expected)
    return 0;
  ++c->at;
  return 1;
}

static int rt_string(struct rt_cursor *c, const char **text, size_t *length) {
  if (!rt_take(c, '"'))
    return 0;
  *text = c->at;
  while (c->at < c->end && *c->at != '"')
    c->at += *c->at == '\\' ? 2 : 1;
  if (c->at >= c->end)
    return 0;
  *length = (size_t)(c->at - *text);
  ++c->at;
  return 1;
}

static int rt_number(struct rt_cursor *c, uint64_t *value) {
  rt_space(c);
  if (c->at >= c->end || *c->at < '0' || *c->at > '9')
    return 0;
  *value = 0;
  while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
    if (*value > (UINT64_MAX >> 1) / 10)
      return 0;
    *value = *value * 10 + (uint64_t)(*c->at++ - '0');
  }
  return 1;
}

/* [n, n, ...] of at most `limit` numbers. */
static int rt_numbers(struct rt_cursor *c, uint64_t *values, int limit,
                      int *count) {
  *count = 0;
  if (!rt_take(c, '['))
    return 0;
  if (rt_take(c, ']'))
    return 1;
  do {
    if (*count == limit || !rt_number(c, &values[(*count)++]))
      return 0;
  } while (rt_take(c, ','));
  return rt_take(c, ']');
}

/* The four digits of a \uXXXX escape; -1 where they are not. */
static int rt_unit(const char *text, const char *end) {
  int value = 0;
  if (end - text < 4)
    return -1;
  for (int i = 0; i < 4; ++i) {
    char c = text[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* `point` as UTF-8; the number of bytes. */
static int rt_utf8(int point, char *bytes) {
  if (point < 0x80) {
    bytes[0] = (char)point;
    return 1;
  }
  int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  bytes[0] = (char)((0xff00 >> (more + 1)) | (point >> (6 * more)));
  for (int i = 1; i <= more; ++i)
    bytes[i] = (char)(0x80 | ((point >> (6 * (more - i))) & 0x3f));
  return more + 1;
}

/* Takes one character of a JSON string, escaped or not, as at most four bytes;
 * how many, or 0 where an escape is malformed. */
static int rt_character(const char **at, const char *end, char *bytes) {
  static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  bytes[0] = *(*at)++;
  if (bytes[0] != '\\')
    return 1;
  if (*at == end)
    return 0;
  char letter = *(*at)++;
  const char *found = strchr(letters, letter);
  if (letter && found) {
    bytes[0] = values[found - letters];
    return 1;
  }
  int point = letter == 'u' ? rt_unit(*at, end) : -1;
  if (point < 0)
    return 0;
  *at += 4;
  if (point >= 0xd800 && point < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' &&
      (*at)[1] == 'u') {
    int low = rt_unit(*at + 2, end);
    if (low >= 0xdc00 && low < 0xe000) {
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
      *at += 6;
    }
  }
  return rt_utf8(point, bytes);
}

/* Whether a JSON string, as it stands in the file, says `word`. */
static int rt_is(const char *text, size_t length, const char *word) {
  const char *end = text + length;
  while (text < end) {
    char bytes[4];
    int count = rt_character(&text, end, bytes);
    if (count == 0 || bytes[0] == 0 || strncmp(word, bytes, (size_t)count) != 0)
      return 0;
    word += count;
  }
  return *word == 0;
}

/* One member of a tensor's object. */
static int rt_field(struct rt_cursor *c, struct rt_entry *entry) {
  const char *key, *text;
  size_t key_length, length;
  uint64_t numbers[RT_MAX_RANK];
  int count;
  if (!rt_string(c, &key, &key_length) || !rt_take(c, ':'))
    return 0;
  if (rt_is(key, key_length, "dtype")) {
    if (!rt_string(c, &text, &length) || length >= sizeof(entry->dtype))
      return 0;
    memcpy(entry->dtype, text, length);
    entry->dtype[length] = 0;
    return 1;
  }
  if (!rt_numbers(c, numbers, RT_MAX_RANK, &count))
    return 0;
  if (rt_is(key, key_length, "shape")) {
    entry->rank = count;
    for (int i = 0; i < count; ++i)
      entry->shape[i] = (int64_t)numbers[i];
    return 1;
  }
  if (!rt_is(key, key_length, "data_offsets") || count != 2)
    return 0;
  entry->begin = numbers[0];
  entry->end = numbers[1];
  return 1;
}

/* Free text about the file: strings only. */
static int rt_metadata(struct rt_cursor *c) {
  const char *text;
  size_t length;
  if (!rt_take(c, '{'))
    return 0;
  if (rt_take(c, '}'))
    return 1;
  do {
    if (!rt_string(c, &text, &length) || !rt_take(c, ':') ||
        !rt_string(c, &text, &length))
      return 0;
  } while (rt_take(c, ','));
  return rt_take(c, '}');
}

/* The next tensor; 1 found, 0 at the end, -1 where the header is malformed. */
static int rt_next(struct rt_cursor *c, struct rt_entry *entry) {
  for (;;) {
    rt_take(c, ',');
    if (rt_take(c, '}'))
      return 0;
    memset(entry, 0, sizeof(*entry));
    if (!rt_string(c, &entry->name, &entry->name_length) || !rt_take(c, ':'))
      return -1;
    if (rt_is(entry->name, entry->name_length, "__metadata__")) {
      if (!rt_metadata(c))
        return -1;
      continue;
    }
    if (!rt_take(c, '{'))
      return -1;
    do {
      if (!rt_field(c, entry))
        return -1;
    } while (rt_take(c, ','));
    return rt_take(c, '}') ? 1 : -1;
  }
}
