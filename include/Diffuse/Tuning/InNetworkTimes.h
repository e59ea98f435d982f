// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is faster alone may be slower among its neighbours, which
// leave other things in the caches. What counts is the time inside the network,
// and it is decided for each subgraph by itself.

#ifndef DIFFUSE_TUNING_INNETWORKTIMES_H
#define DIFFUSE_TUNING_INNETWORKTIMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace diffuse {

/// One call of a subgraph in a run of the module: its least time so far.
struct CallTime {
  std::string subgraph;
  double micros = 0;
};

/// Reads the file that `diffuse-run --profile=FILE` writes: the calls in
/// program order.
llvm::Expected<std::vector<CallTime>> parseProfile(llvm::StringRef text);

/// Takes the lesser time of each call. `round` is of the same module; the first
/// one is taken whole.
void takeLesser(std::vector<CallTime> &times, llvm::ArrayRef<CallTime> round);

/// The time of all calls of one subgraph.
double sumOfCalls(llvm::ArrayRef<CallTime> calls, llvm::StringRef subgraph);

/// The subgraphs, in order of their first call, whose calls together are slower
/// by their tuned schedules, by more than the share `noise`. Those that only
/// one of the modules calls are not named.
std::vector<std::string> findSlower(llvm::ArrayRef<CallTime> byDefault,
                                    llvm::ArrayRef<CallTime> tuned,
                                    double noise);

} // namespace diffuse

#endif // DIFFUSE_TUNING_INNETWORKTIMES_H
