// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the samples of one candidate.

#ifndef DIFFUSE_LIB_MEASURE_TIMING_H
#define DIFFUSE_LIB_MEASURE_TIMING_H

#include "RunBuffers.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace diffuse {

/// The uniform machine interface of compiled code; 0 means done.
using CompiledFunction = int32_t(void *const *buffers, const int64_t *slots,
                                 void *workspace);

/// A function with its arguments. Each call uses the next copy of the
/// parameters.
class CandidateCall {
public:
  CandidateCall(CompiledFunction *function, const RunBuffers &buffers,
                void *workspace)
      : function(function), buffers(buffers), workspace(workspace) {}

  void operator()() {
    // From the last copy downwards: the last ends next to a wall, so the first
    // call is the one that is guarded best.
    copy = copy == 0 ? buffers.copies() - 1 : copy - 1;
    int32_t returned =
        function(buffers.pointers(copy), buffers.slots(), workspace);
    if (returned != 0)
      status = returned;
  }

  /// The last value other than 0 that a call returned.
  int32_t errorCode() const { return status; }

private:
  CompiledFunction *function;
  const RunBuffers &buffers;
  void *workspace;
  uint64_t copy = 0;
  int32_t status = 0;
};

/// Warms up and takes samples by `policy` into `result`, stopping before
/// `seconds` have passed where one sample is there by then.
void takeSamples(CandidateCall &call, const RepeatPolicy &policy,
                 double seconds, MeasureResult &result);

/// Takes samples between two looks at the speed of the machine, and again where
/// it has moved, a few times, in `seconds` altogether. What is dropped is that
/// at once: to be far behind takes no more than one look.
void takeSteadySamples(CandidateCall &call, const RepeatPolicy &policy,
                       double seconds, llvm::function_ref<Calibration()> look,
                       MeasureResult &result);

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_TIMING_H
