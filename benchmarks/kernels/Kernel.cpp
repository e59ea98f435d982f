// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel.h"

#include "Diffuse/Codegen/LinkLibrary.h"
#include "Diffuse/Measure/TestData.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <ctime>
#include <dlfcn.h>

using namespace diffuse;

/// Bytes before the first aligned one of a buffer.
static size_t padding(const std::vector<char> &buffer) {
  return -reinterpret_cast<uintptr_t>(buffer.data()) & (kBufferAlignment - 1);
}

llvm::Expected<KernelData>
KernelData::create(llvm::ArrayRef<BoundaryArgument> boundary) {
  KernelData data;
  for (unsigned i = 0; i < boundary.size(); ++i) {
    const BoundaryArgument &argument = boundary[i];
    if (!argument.isBuffer()) {
      llvm::Expected<int64_t> slot = scalarSlot(argument, 1, i);
      if (!slot)
        return slot.takeError();
      data.slots.push_back(*slot);
      continue;
    }
    llvm::Expected<uint64_t> bytes = countBytes(argument);
    if (!bytes)
      return bytes.takeError();
    if (argument.kind == BoundaryArgument::Kind::Destination)
      data.destinations.push_back(data.buffers.size());
    data.elementTypes.push_back(argument.elementType);
    std::vector<char> buffer(*bytes + kBufferAlignment, 0x7f);
    char *begin = buffer.data() + padding(buffer);
    if (argument.kind != BoundaryArgument::Kind::Destination)
      if (llvm::Error error = fillArgument(argument, 1, i, begin))
        return error;
    data.pointers.push_back(begin);
    data.buffers.push_back(std::move(buffer));
  }
  return data;
}

llvm::Expected<Kernel> Kernel::load(const CompiledObject &object,
                                    llvm::StringRef folder) {
  static unsigned count = 0;
  std::string stem = (folder + "/kernel" + llvm::Twine(count++)).str();
  std::error_code code;
  llvm::raw_fd_ostream(stem + ".o", code) << object.object;
  if (llvm::Error error = linkSharedLibrary({stem + ".o"}, stem + ".so"))
    return error;
  Kernel kernel;
  kernel.library = dlopen((stem + ".so").c_str(), RTLD_NOW);
  llvm::sys::fs::remove(stem + ".o");
  llvm::sys::fs::remove(stem + ".so");
  if (!kernel.library)
    return llvm::createStringError(dlerror());
  kernel.function = reinterpret_cast<Function *>(
      dlsym(kernel.library, object.symbol.c_str()));
  kernel.workspace.resize(object.workspaceBytes + kBufferAlignment);
  return kernel;
}

Kernel::Kernel(Kernel &&other)
    : library(std::exchange(other.library, nullptr)), function(other.function),
      workspace(std::move(other.workspace)) {}

Kernel::~Kernel() {
  if (library)
    dlclose(library);
}

void Kernel::run(KernelData &data) {
  function(data.pointers.data(), data.slots.data(),
           workspace.data() + padding(workspace));
}

/// Micros that this thread ran: the machine may be shared.
static double microsOfThread() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

double Kernel::leastMicros(KernelData &data, double seconds) {
  constexpr int kLeastRuns = 3;
  run(data);
  double best = INFINITY, begin = microsOfThread();
  for (int runs = 0;
       runs < kLeastRuns || microsOfThread() - begin < seconds * 1e6; ++runs) {
    double start = microsOfThread();
    run(data);
    best = std::min(best, microsOfThread() - start);
  }
  return best;
}

double compareDestinations(const KernelData &a, const KernelData &b) {
  double worst = 0;
  for (unsigned i : a.destinations) {
    size_t bytes = a.buffers[i].size() - kBufferAlignment;
    if (a.elementTypes[i] != "f32") {
      if (std::memcmp(a.pointers[i], b.pointers[i], bytes))
        return -1;
      continue;
    }
    auto *x = static_cast<const float *>(a.pointers[i]);
    auto *y = static_cast<const float *>(b.pointers[i]);
    double largest = 1e-30, difference = 0;
    for (size_t k = 0; k < bytes / 4; ++k) {
      largest = std::max(largest, double(std::fabs(y[k])));
      double d = std::fabs(double(x[k]) - y[k]);
      difference = d <= difference ? difference : d;
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

double measurePeak() {
#ifdef __AVX512F__
  constexpr int kChains = 24, kLanes = 16;
#else
  constexpr int kChains = 12, kLanes = 8;
#endif
  constexpr int kSteps = 20000;
  typedef float Vector __attribute__((vector_size(4 * kLanes)));
  double best = 0;
  for (int round = 0; round < 8; ++round) {
    Vector sums[kChains];
    for (int i = 0; i < kChains; ++i)
      sums[i] = Vector{} + float(i + round);
    Vector factor = Vector{} + 1.0001f, term = Vector{} + 1e-9f;
    double start = microsOfThread();
    for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 24
      for (int i = 0; i < kChains; ++i)
        sums[i] = sums[i] * factor + term;
      asm volatile("");
    }
    double micros = microsOfThread() - start;
    Vector total = {};
    for (Vector &sum : sums)
      total += sum;
    volatile float sink = total[0];
    (void)sink;
    best = std::max(best, 2e-3 * kChains * kLanes * kSteps / micros);
  }
  return best;
}
