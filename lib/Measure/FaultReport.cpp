// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler runs on a stack of its own, since an overflow of the stack is one
// of the faults, and calls nothing that could have been interrupted halfway.

#include "FaultReport.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

using namespace diffuse;

void UnmapFaultNote::operator()(FaultNote *note) const {
  ::munmap(note, sizeof(FaultNote));
}

SharedFaultNote diffuse::allocateFaultNote() {
  void *memory = ::mmap(nullptr, sizeof(FaultNote), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  // Fresh mappings are zero: no signal yet.
  return SharedFaultNote(
      memory == MAP_FAILED ? nullptr : static_cast<FaultNote *>(memory));
}

namespace {
/// What the handler needs. A handler has no argument to pass it by.
struct FaultScene {
  FaultNote *note = nullptr;
  const RunBuffers *buffers = nullptr;
  const GuardedBuffer *workspace = nullptr;
  uintptr_t stackTop = 0;
  uintptr_t stackBytes = 0;
};

/// Appends to the note's text without allocating.
class NoteWriter {
public:
  explicit NoteWriter(FaultNote &note) : note(note) {}
  ~NoteWriter() { note.text[length] = '\0'; }

  NoteWriter &operator<<(const char *text) {
    while (*text && length + 1 < sizeof(note.text))
      note.text[length++] = *text++;
    return *this;
  }
  NoteWriter &operator<<(uint64_t number) { return digits(number, 10); }
  NoteWriter &hex(uint64_t number) {
    return (*this << "0x").digits(number, 16);
  }

private:
  NoteWriter &digits(uint64_t number, unsigned base) {
    char text[24];
    char *place = text + sizeof(text);
    *--place = '\0';
    do
      *--place = "0123456789abcdef"[number % base];
    while (number /= base);
    return *this << place;
  }

  FaultNote &note;
  size_t length = 0;
};
} // namespace

static FaultScene scene;

static const char *accessWord(const void *context) {
#if defined(__x86_64__)
  const auto *state = static_cast<const ucontext_t *>(context);
  return state->uc_mcontext.gregs[REG_ERR] & 2 ? "wrote" : "read";
#else
  return "reached";
#endif
}

/// Describes a fault at or in a buffer; false where it lies elsewhere.
static bool describeBuffer(NoteWriter &writer, const GuardedBuffer &buffer,
                           uintptr_t address, const char *access,
                           const char *role, const char *name) {
  uint64_t distance = 0;
  GuardedBuffer::Place place = buffer.locate(address, distance);
  if (place == GuardedBuffer::Place::Elsewhere)
    return false;
  writer << access;
  // Data itself faults only where writing is forbidden.
  if (place == GuardedBuffer::Place::Inside)
    writer << " to ";
  else if (place == GuardedBuffer::Place::Before)
    writer << " memory " << distance << " bytes before ";
  else
    writer << " memory " << distance << " bytes past the end of ";
  writer << role;
  if (*name)
    writer << " '" << name << "'";
  return true;
}

static const char *roleOf(BoundaryArgument::Kind kind) {
  switch (kind) {
  case BoundaryArgument::Kind::Parameter:
    return "parameter";
  case BoundaryArgument::Kind::Destination:
    return "result";
  default:
    return "input";
  }
}

static bool describeOutOfBounds(NoteWriter &writer, uintptr_t address,
                                const char *access) {
  auto arguments = scene.buffers->arguments();
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (describeBuffer(writer, scene.buffers->bufferOf(i), address, access,
                       roleOf(arguments[i].kind), arguments[i].name.c_str())) {
      writer << " (argument " << uint64_t(i) << ")";
      return true;
    }
  return describeBuffer(writer, *scene.workspace, address, access,
                        "its workspace", "");
}

/// Whether the illegal instruction at an address is the one that compilers put
/// where no code may go on.
static bool isTrap(uintptr_t address) {
#if defined(__x86_64__)
  return std::memcmp(reinterpret_cast<const void *>(address), "\x0f\x0b", 2) ==
         0;
#else
  return false;
#endif
}

static FailureKind describeFault(NoteWriter &writer, int signal,
                                 const siginfo_t *info, const void *context,
                                 int errorNumber) {
  bool hasAddress = signal == SIGSEGV || signal == SIGBUS;
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (hasAddress && describeOutOfBounds(writer, address, accessWord(context)))
    return FailureKind::OutOfBounds;
  // A null pointer right after malloc failed. Codegen does not look at what
  // malloc returns, and nobody else sets this errno.
  if (hasAddress && errorNumber == ENOMEM) {
    writer << "was refused memory at its limit";
    return FailureKind::RunMemory;
  }
  writer << "killed by SIG" << ::sigabbrev_np(signal);
  if (hasAddress)
    (writer << " at address ").hex(address);
  if (hasAddress && address < scene.stackTop &&
      scene.stackTop - address <= scene.stackBytes + (1 << 20))
    writer << ": the stack overflowed";
  if (signal == SIGILL)
    writer << (isTrap(address)
                   ? ": the code ran into a trap"
                   : ": the code needs a CPU feature that this machine lacks");
  return FailureKind::RunCrash;
}

static void handleFault(int signal, siginfo_t *info, void *context) {
  int errorNumber = errno;
  NoteWriter writer(*scene.note);
  scene.note->kind = describeFault(writer, signal, info, context, errorNumber);
  scene.note->signal = signal;
  // The action is the default one again (SA_RESETHAND): a fault strikes again
  // on return, other signals are sent again.
  if (info->si_code <= 0)
    ::raise(signal);
}

void diffuse::describeFaults(FaultNote &note, const RunBuffers &buffers,
                             const GuardedBuffer &workspace) {
  struct rlimit stack = {};
  ::getrlimit(RLIMIT_STACK, &stack);
  scene = {&note, &buffers, &workspace, reinterpret_cast<uintptr_t>(&stack),
           stack.rlim_cur};
  constexpr size_t stackBytes = 64 << 10;
  stack_t handlerStack = {};
  handlerStack.ss_sp = ::mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  handlerStack.ss_size = stackBytes;
  ::sigaltstack(&handlerStack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    ::sigaction(signal, &action, nullptr);
}
