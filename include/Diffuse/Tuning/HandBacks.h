// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is fast by itself may be slow inside its network, where it
// gives way to the default one. Recorded, that is honoured by later runs that
// measure no network.

#ifndef DIFFUSE_TUNING_HANDBACKS_H
#define DIFFUSE_TUNING_HANDBACKS_H

#include "Diffuse/Tuning/TuneSubgraphs.h"

namespace diffuse {

/// A schedule that was not faster inside the network than the default one.
struct HandBack {
  /// Index in TuneResult::tasks.
  size_t task = 0;
  Candidate rejected;
  /// Times of all calls of the subgraph in one run of the network; empty where
  /// the network was slower as a whole.
  std::optional<double> tunedMicros, defaultMicros;
};

/// Every schedule of `result` but default ones and plain loops, for a network
/// that is slower with them as a whole.
std::vector<HandBack> handBackAll(const TuneResult &result);

/// Appends a line for each to the record file of `request`; nothing where there
/// is none. A line speaks of this machine and of the default schedule that the
/// subgraph has now: on others, or after that changed, it says nothing.
llvm::Error recordHandBacks(const TuneRequest &request,
                            const TuneResult &result,
                            llvm::ArrayRef<HandBack> handBacks);

} // namespace diffuse

#endif // DIFFUSE_TUNING_HANDBACKS_H
