// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the results of a run with what they should be.

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_ANSWERCHECK_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_ANSWERCHECK_H

#include "Compare.h"
#include "Instance.h"

#include <optional>

namespace diffuse {

/// Compares with the files of --expected, and with the plain loops of
/// --reference or, for --check, of the module itself. Nothing where the options
/// ask for no comparison. Fails where there is nothing to compare with.
llvm::Expected<std::optional<Comparison>>
checkAnswers(const RunOptions &options, const Arguments &arguments);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_ANSWERCHECK_H
