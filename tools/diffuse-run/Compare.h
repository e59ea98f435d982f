// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether results are what they should be.

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_COMPARE_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_COMPARE_H

#include "Arguments.h"

#include <optional>

namespace diffuse {

struct CompareOptions {
  /// Error over the largest magnitude of the result; unset: by element type.
  std::optional<double> relative;
  double absolute = 0;
};

struct Comparison {
  bool ok = true;
  double maxRelativeError = 0;
  /// What is wrong, for people; empty where nothing is.
  std::string message;
};

/// Compares element by element: |x - e| <= absolute + relative * max|e|;
/// integers must be equal, NaN equals NaN and an infinity itself. `expected`
/// holds as many bytes as `found`.
Comparison compareTensors(const Tensor &found, const char *expected,
                          const CompareOptions &options);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_COMPARE_H
