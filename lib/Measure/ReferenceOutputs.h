// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right answers of a subgraph in a file, and the comparison with them.

#ifndef DIFFUSE_LIB_MEASURE_REFERENCEOUTPUTS_H
#define DIFFUSE_LIB_MEASURE_REFERENCEOUTPUTS_H

#include "RunBuffers.h"

namespace diffuse {

/// How an answer differs from the reference.
struct Comparison {
  /// Empty where every value passes.
  std::string difference;
  /// The first value that does not pass, and which file says so.
  std::optional<AnswerElement> wrongElement;
  unsigned wrongReference = 0;
  double maxRelativeError = 0;
};

/// Compares the destinations with the outputs in each of the request's files.
/// Fails where a file cannot be read or belongs to another boundary or seed.
llvm::Expected<Comparison> compareOutputs(const RunBuffers &buffers,
                                          const MeasureRequest &request);

/// Writes the destinations to a file, whole or not at all: a line of JSON that
/// says what they are, then their bytes in order.
llvm::Error writeOutputs(const RunBuffers &buffers,
                         const MeasureRequest &request);

} // namespace diffuse

#endif // DIFFUSE_LIB_MEASURE_REFERENCEOUTPUTS_H
