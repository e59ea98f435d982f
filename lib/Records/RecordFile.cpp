// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers take no lock, so that a large file does not hold up its writers; only
// where the last line has no newline do they wait for a writer that may be in
// the middle of it.

#include "Diffuse/Records/RecordFile.h"

#include "Diffuse/Support/Descriptor.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// Longer lines are foreign: the text of a subgraph holds no tensors.
static constexpr size_t kMaxLineBytes = 64 << 20;
static constexpr size_t kChunkBytes = 1 << 20;

static Descriptor openFile(StringRef path, int flags) {
  // A pipe that nobody writes into would be waited for.
  return Descriptor(
      ::open(path.str().c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666));
}

/// Pipes and devices may have no end. Folders get the system's message.
static llvm::Error checkRegular(StringRef what, StringRef path,
                                const Descriptor &descriptor) {
  struct stat status;
  if (::fstat(descriptor.get(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode))
    return makeError("cannot " + what + " '" + path +
                     "', which is a pipe or a device; name a regular file");
  return llvm::Error::success();
}

/// Where the file system has no locks, appending in one call has to do.
static void lock(const Descriptor &descriptor, int operation) {
  (void)lockFile(descriptor, operation);
}

//===-- reading -----------------------------------------------------------===//

/// Fails on lines of no kind that this version knows.
static llvm::Error checkFormat(const Json &json, std::string &kind) {
  unsigned format = 0;
  JsonFields fields(json, "line");
  fields.require("kind", kind);
  fields.require("format", format);
  if (llvm::Error error = fields.takeError())
    return error;
  if (format > kRecordFormat)
    return makeError("format " + llvm::Twine(format) +
                     " is newer than this version reads (" +
                     llvm::Twine(kRecordFormat) + ")");
  return llvm::Error::success();
}

template <typename Record>
static llvm::Error
deliver(llvm::Expected<Record> record, const Located<StringRef> &line,
        const std::function<void(Located<Record> &&)> &receiver) {
  if (!record)
    return record.takeError();
  if (receiver)
    receiver({std::move(*record), line.line, line.offset, line.text});
  return llvm::Error::success();
}

static llvm::Error readLine(const Located<StringRef> &line,
                            const RecordVisitor &visitor) {
  llvm::Expected<Json> json = Json::parse(line.text);
  if (!json)
    return json.takeError();
  std::string kind;
  if (llvm::Error error = checkFormat(*json, kind))
    return error;
  if (kind == "measurement")
    return deliver(parseMeasurement(*json), line, visitor.measurement);
  if (kind == "subgraph")
    return deliver(parseSubgraph(*json), line, visitor.subgraph);
  if (kind == "sketch")
    return deliver(parseSketch(*json), line, visitor.sketch);
  return makeError("unknown kind of line '" + kind + "'");
}

namespace {
/// Cuts chunks of a file into lines.
class LineReader {
public:
  LineReader(StringRef path, ReadPosition &position,
             const RecordVisitor &visitor)
      : path(path), position(position), visitor(visitor) {}

  bool isMidLine() const { return !pending.empty(); }

  void take(StringRef chunk) {
    while (!chunk.empty()) {
      size_t newline = chunk.find('\n');
      keep(chunk.take_front(newline));
      if (newline == StringRef::npos)
        return;
      chunk = chunk.drop_front(newline + 1);
      endLine(/*hasNewline=*/true);
    }
  }

  /// What is left is a line whose newline is missing.
  void finish() {
    if (!pending.empty())
      endLine(/*hasNewline=*/false);
  }

private:
  void keep(StringRef part) {
    length += part.size();
    if (length <= kMaxLineBytes)
      pending += part;
  }

  void endLine(bool hasNewline) {
    // The rest of a line that was dealt with when it had no newline.
    if (position.isMidLine)
      position.isMidLine = false;
    else
      read();
    position.isMidLine = !hasNewline;
    position.offset += length + hasNewline;
    length = 0;
    pending.clear();
  }

  void read() {
    ++position.line;
    Located<StringRef> line{"", position.line, position.offset, pending};
    if (line.text.trim().empty())
      return;
    if (length <= kMaxLineBytes && visitor.takeUnread &&
        visitor.takeUnread(line))
      return;
    llvm::Error error = length > kMaxLineBytes
                            ? makeError("line is longer than " +
                                        llvm::Twine(kMaxLineBytes) + " bytes")
                            : readLine(line, visitor);
    if (error)
      visitor.passedOver((path + ":" + llvm::Twine(position.line) + ": " +
                          llvm::toString(std::move(error)))
                             .str());
  }

  StringRef path;
  ReadPosition &position;
  const RecordVisitor &visitor;
  /// The line so far; of a line that is too long, its beginning.
  std::string pending;
  uint64_t length = 0;
};
} // namespace

static llvm::Error readToEnd(StringRef path, const Descriptor &descriptor,
                             LineReader &reader) {
  std::string chunk(kChunkBytes, '\0');
  while (true) {
    ssize_t count = ::read(descriptor.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeSystemError("cannot read records from '" + path + "'", errno);
    if (count == 0)
      return llvm::Error::success();
    reader.take(StringRef(chunk.data(), count));
  }
}

/// Goes to `position`, which it mends where the file became shorter.
static llvm::Error seek(StringRef path, const Descriptor &descriptor,
                        ReadPosition &position) {
  struct stat status;
  if (::fstat(descriptor.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      uint64_t(status.st_size) < position.offset)
    position = {uint64_t(status.st_size), position.line, false};
  if (position.offset > 0 &&
      ::lseek(descriptor.get(), position.offset, SEEK_SET) < 0)
    return makeSystemError("cannot go on reading records from '" + path + "'",
                           errno);
  return llvm::Error::success();
}

llvm::Error diffuse::readRecordFile(StringRef path, ReadPosition &position,
                                    const RecordVisitor &visitor) {
  Descriptor descriptor = openFile(path, O_RDONLY);
  if (!descriptor.isOpen()) {
    if (errno == ENOENT)
      return llvm::Error::success();
    return makeSystemError("cannot read records from '" + path + "'", errno);
  }
  if (llvm::Error error = checkRegular("read records from", path, descriptor))
    return error;
  if (llvm::Error error = seek(path, descriptor, position))
    return error;
  LineReader reader(path, position, visitor);
  if (llvm::Error error = readToEnd(path, descriptor, reader))
    return error;
  if (reader.isMidLine()) {
    lock(descriptor, LOCK_SH);
    if (llvm::Error error = readToEnd(path, descriptor, reader))
      return error;
  }
  reader.finish();
  return llvm::Error::success();
}

llvm::Error diffuse::checkHoldsRecords(StringRef path) {
  // A pipe would be waited for.
  auto buffer =
      llvm::sys::fs::is_regular_file(path)
          ? llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false)
          : std::error_code(ENOENT, std::generic_category());
  StringRef text = buffer ? (*buffer)->getBuffer() : "";
  bool isEmpty = true;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    // A line that is torn begins so too.
    if (line.starts_with("{\""))
      return llvm::Error::success();
    isEmpty &= line.trim().empty();
    text = rest;
  }
  if (isEmpty)
    return llvm::Error::success();
  return makeError("'" + path +
                   "' is no record file: no line of it is a record; records "
                   "are appended to a file of their own");
}

//===-- appending ---------------------------------------------------------===//

/// Whether a line that is appended now would run into another.
static bool endsMidLine(const Descriptor &descriptor, uint64_t size) {
  char last = '\n';
  return size > 0 && ::pread(descriptor.get(), &last, 1, size - 1) == 1 &&
         last != '\n';
}

llvm::Expected<uint64_t> diffuse::appendRecordLine(StringRef path,
                                                   const Json &line) {
  auto fail = [&](int errorNumber) {
    return makeSystemError("cannot append records to '" + path + "'",
                           errorNumber);
  };
  Descriptor descriptor = openFile(path, O_RDWR | O_APPEND | O_CREAT);
  if (!descriptor.isOpen())
    return fail(errno);
  if (llvm::Error error = checkRegular("append records to", path, descriptor))
    return error;
  lock(descriptor, LOCK_EX);
  struct stat status;
  if (::fstat(descriptor.get(), &status) != 0)
    return fail(errno);
  uint64_t size = status.st_size;
  std::string text = endsMidLine(descriptor, size) ? "\n" : "";
  uint64_t offset = size + text.size();
  text += line.dump() + "\n";
  // Where the disk is full, what was written stays as a torn line: taking it
  // back could take another's line.
  if (std::error_code error = writeAll(descriptor.get(), text))
    return fail(error.value());
  // A pipe or device cannot be synced.
  if (::fdatasync(descriptor.get()) != 0 && errno != EINVAL)
    return fail(errno);
  return offset;
}
