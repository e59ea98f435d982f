// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last words of a candidate that dies by a signal: whose memory it touched.

#ifndef DIFFUSE_LIB_MEASURE_FAULTREPORT_H
#define DIFFUSE_LIB_MEASURE_FAULTREPORT_H

#include "RunBuffers.h"

#include <memory>

namespace diffuse {

/// Lies in memory that a process shares with its forked child. A candidate may
/// scribble over it, so it is read with care.
struct FaultNote {
  /// 0 until a signal came.
  int signal;
  FailureKind kind;
  char text[240];
};

struct UnmapFaultNote {
  void operator()(FaultNote *note) const;
};
using SharedFaultNote = std::unique_ptr<FaultNote, UnmapFaultNote>;

/// A note for a child to be forked; null where memory lacks.
SharedFaultNote allocateFaultNote();

/// From now on a signal that would end the process is first described in
/// `note`; then it takes its course. All three must live until the end of the
/// process. The workspace may be empty.
void describeFaults(FaultNote &note, const RunBuffers &buffers,
                    const GuardedBuffer &workspace);

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_FAULTREPORT_H
