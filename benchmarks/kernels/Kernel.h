// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled subgraph in this process, with data to run it on.

#ifndef DIFFUSE_BENCHMARKS_KERNELS_KERNEL_H
#define DIFFUSE_BENCHMARKS_KERNELS_KERNEL_H

#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Support/Boundary.h"

#include <memory>
#include <vector>

/// Arguments of one subgraph, filled from a fixed seed.
struct KernelData {
  std::vector<std::vector<char>> buffers;
  std::vector<void *> pointers;
  std::vector<int64_t> slots;
  std::vector<unsigned> destinations;
  std::vector<std::string> elementTypes;

  static llvm::Expected<KernelData>
  create(llvm::ArrayRef<diffuse::BoundaryArgument> boundary);
};

/// Owns the loaded library of one candidate.
class Kernel {
public:
  static llvm::Expected<Kernel> load(const diffuse::CompiledObject &object,
                                     llvm::StringRef folder);
  Kernel(Kernel &&other);
  ~Kernel();

  void run(KernelData &data);
  /// Least time of one call, in microseconds, over `seconds`.
  double leastMicros(KernelData &data, double seconds);

private:
  Kernel() = default;
  using Function = int32_t(void *const *, const int64_t *, void *);
  void *library = nullptr;
  Function *function = nullptr;
  std::vector<char> workspace;
};

/// Largest difference of f32 destinations over the largest magnitude; -1 where
/// other types differ in their bytes.
double compareDestinations(const KernelData &a, const KernelData &b);

/// GFLOP/s of one core in f32 multiply-adds that never leave registers.
double measurePeak();

#endif // DIFFUSE_BENCHMARKS_KERNELS_KERNEL_H
