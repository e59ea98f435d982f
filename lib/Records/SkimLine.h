// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most lines of a large record file are of subgraphs that nobody asks for. What
// finds a line again is taken from its text without reading the rest.

#ifndef DIFFUSE_LIB_RECORDS_SKIMLINE_H
#define DIFFUSE_LIB_RECORDS_SKIMLINE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace diffuse {

struct SkimmedLine {
  /// The members of the scope as they stand in the line, in a fixed order.
  /// Equal texts are equal scopes.
  llvm::SmallString<192> scope;
  bool succeeded = false;
};

/// Skims a measurement. Nothing for any line that is not certainly one, in the
/// plain form that they are written in: whether such a line is torn, foreign or
/// merely unusual is for Json::parse to say. Values that are skimmed over are
/// well-formed JSON but for the digits of numbers.
std::optional<SkimmedLine> skimMeasurement(llvm::StringRef line);

} // namespace diffuse

#endif // DIFFUSE_LIB_RECORDS_SKIMLINE_H
