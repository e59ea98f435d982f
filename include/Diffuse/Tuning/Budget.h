// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TUNING_BUDGET_H
#define DIFFUSE_TUNING_BUDGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace diffuse {

/// How long to tune. Both limits may be set; the first one reached ends it.
struct Budget {
  std::optional<double> seconds;
  std::optional<unsigned> measurements;

  /// True where nothing may be measured at all.
  bool isZero() const { return measurements == 0u; }
};

/// Reads a time (`90s`, `1.5m`, `2h`) or a number of measurements (`500`). Any
/// spelling of zero means no measurements. Fails on anything else, negative
/// values included.
llvm::Expected<Budget> parseBudget(llvm::StringRef text);

} // namespace diffuse

#endif // DIFFUSE_TUNING_BUDGET_H
