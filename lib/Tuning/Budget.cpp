// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/Budget.h"

#include "Diffuse/Support/Errors.h"

using namespace diffuse;
using llvm::StringRef;

/// Longest time that is accepted, in seconds.
static constexpr double kLongest = 1e7;

llvm::Expected<Budget> diffuse::parseBudget(StringRef text) {
  Budget budget;
  unsigned measurements = 0;
  if (!text.getAsInteger(10, measurements)) {
    budget.measurements = measurements;
    return budget;
  }
  double scale = text.ends_with("h")   ? 3600
                 : text.ends_with("m") ? 60
                 : text.ends_with("s") ? 1
                                       : 0;
  double value = 0;
  if (scale == 0 || text.drop_back().getAsDouble(value) || !(value >= 0) ||
      value * scale > kLongest)
    return makeError("budget '" + text +
                     "' is no time and no number of measurements; write 90s, "
                     "5m, 2h or 500");
  budget.seconds = value * scale;
  if (value == 0)
    budget.measurements = 0;
  return budget;
}
