// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a person, or a program, sees while the tuner runs. All goes to standard
// error: standard output may carry the module.

#ifndef DIFFUSE_TOOLS_TUNE_PRINTERS_H
#define DIFFUSE_TOOLS_TUNE_PRINTERS_H

#include "Options.h"

#include <memory>

namespace diffuse {

/// `Auto` is a live line per cluster on a terminal, plain lines elsewhere.
std::unique_ptr<ProgressSink> createPrinter(ProgressStyle style);

/// `812 us`, `12.3 ms`, `1.20 s`.
std::string formatMicros(double micros);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_TUNE_PRINTERS_H
