// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is trusted here: the candidate may have overwritten anything by the
// time that its answer is looked at. What it cannot do is harm another process.

#include "CandidateRun.h"

#include "Diffuse/Measure/Calibrate.h"
#include "ReferenceOutputs.h"
#include "Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace diffuse;

/// Share of the time limit that sampling may take.
static constexpr double kSamplingShare = 0.6;

static MeasureResult failed(FailureKind failure, std::string message) {
  MeasureResult result;
  result.failure = failure;
  result.message = std::move(message);
  return result;
}

static MeasureResult failed(FailureKind failure, llvm::Error error) {
  return failed(failure, llvm::toString(std::move(error)));
}

//===-- surroundings ------------------------------------------------------===//

static void pinTo(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ::sched_setaffinity(0, sizeof(one), &one);
}

/// Address space of this process in bytes, or 0 where /proc is not there.
static uint64_t addressSpaceBytes() {
  unsigned long long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

/// The limit is on what comes on top of buffers, libraries and the worker.
static void limitMemory(uint64_t bytes) {
  uint64_t used = addressSpaceBytes();
  if (bytes == 0 || used == 0)
    return;
  struct rlimit limit = {used + bytes, used + bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

static void flushDenormals() {
#if defined(__x86_64__)
  // Flush to zero, and take denormals as zero.
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

//===-- steps -------------------------------------------------------------===//

/// Loads the function, or says in `failure` why not.
static CompiledFunction *load(const MeasureRequest &request,
                              MeasureResult &failure) {
  if (::access(request.library.c_str(), R_OK) != 0) {
    failure = failed(FailureKind::Unmeasurable,
                     "cannot read library '" + request.library +
                         "': " + std::strerror(errno));
    return nullptr;
  }
  // A name without a slash would be looked for in the system's folders.
  bool isPath = llvm::StringRef(request.library).contains('/');
  std::string path = (isPath ? "" : "./") + request.library;
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? ::dlsym(library, request.symbol.c_str()) : nullptr;
  if (!symbol) {
    const char *reason = ::dlerror();
    failure = failed(FailureKind::CompileError,
                     std::string("the library does not load: ") +
                         (reason ? reason : "its symbol is null"));
  }
  return reinterpret_cast<CompiledFunction *>(symbol);
}

static llvm::Expected<GuardedBuffer> allocateWorkspace(uint64_t bytes) {
  llvm::Expected<GuardedBuffer> workspace = GuardedBuffer::allocate(bytes);
  if (!workspace)
    return workspace;
  // Whoever reads what it did not write gets NaNs.
  std::memset(workspace->data(), 0xff, bytes);
  workspace->fillRedZones();
  return workspace;
}

/// What is wrong after a call, as a result; one without failure where nothing
/// is.
static MeasureResult examine(const MeasureRequest &request,
                             const RunBuffers &buffers,
                             const GuardedBuffer &workspace,
                             const CandidateCall &call) {
  if (call.errorCode() != 0)
    return failed(FailureKind::RunCrash,
                  "returned error code " + std::to_string(call.errorCode()));
  if (!workspace.redZonesAreIntact())
    return failed(FailureKind::OutOfBounds, "wrote outside its workspace");
  if (std::string damage = buffers.findDamage(); !damage.empty())
    return failed(FailureKind::OutOfBounds, std::move(damage));
  if (request.references.empty())
    return {};
  llvm::Expected<Comparison> comparison = compareOutputs(buffers, request);
  if (!comparison)
    return failed(FailureKind::Unmeasurable, comparison.takeError());
  MeasureResult result;
  if (!comparison->difference.empty())
    result = failed(FailureKind::WrongAnswer, comparison->difference);
  result.wrongElement = std::move(comparison->wrongElement);
  result.wrongReference = comparison->wrongReference;
  result.maxRelativeError = comparison->maxRelativeError;
  return result;
}

/// Takes samples; where asked to, so that the machine's speed is watched.
static void takeSamplesAsAsked(CandidateCall &call,
                               const MeasureRequest &request,
                               MeasureResult &result) {
  double seconds = kSamplingShare * request.limits.seconds;
  if (!request.calibrate)
    return takeSamples(call, request.repeats, seconds, result);
  Calibrator calibrator;
  // The first run touches its memory for the first time.
  calibrator.run();
  takeSteadySamples(
      call, request.repeats, seconds, [&] { return calibrator.run(); }, result);
}

static MeasureResult checkAndTime(const MeasureRequest &request,
                                  RunBuffers &buffers,
                                  const GuardedBuffer &workspace,
                                  CandidateCall &call) {
  errno = 0;
  call();
  MeasureResult result = examine(request, buffers, workspace, call);
  if (!result.succeeded())
    return result;
  if (!request.writeOutputs.empty())
    if (llvm::Error error = writeOutputs(buffers, request))
      return failed(FailureKind::Unmeasurable, std::move(error));
  if (request.checkOnly)
    return result;
  result.parameterCopies = buffers.copies();
  takeSamplesAsAsked(call, request, result);
  // State that one call leaves to the next shows now.
  MeasureResult again = examine(request, buffers, workspace, call);
  if (again.succeeded())
    return result;
  again.message = "when called again: " + again.message;
  return again;
}

MeasureResult diffuse::runCandidate(const MeasureRequest &request,
                                    RunBuffers &buffers, FaultNote &note,
                                    int core) {
  if (core >= 0)
    pinTo(core);
  llvm::Expected<GuardedBuffer> workspace =
      allocateWorkspace(request.workspaceBytes);
  if (!workspace)
    return failed(FailureKind::Unmeasurable, workspace.takeError());
  buffers.clearDestinations();
  describeFaults(note, buffers, *workspace);
  MeasureResult result;
  CompiledFunction *function = load(request, result);
  if (!function)
    return result;
  limitMemory(request.limits.memoryBytes);
  if (request.flushDenormals)
    flushDenormals();
  CandidateCall call(function, buffers, workspace->data());
  return checkAndTime(request, buffers, *workspace, call);
}
