// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recorded measurement, made again from nothing but what the record file
// holds.

#ifndef DIFFUSE_TUNING_REPRODUCE_H
#define DIFFUSE_TUNING_REPRODUCE_H

#include "Diffuse/Records/MeasurementRecord.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"

namespace diffuse {

/// Builds the candidate of `record` for the subgraph of that text, by a user's
/// sketch where `sketch` holds its text, compiles it,
/// checks its answer and measures it on this machine, in `context`, which has
/// the dialects of Codegen. A record of a failure on a second set of data is
/// checked on that one too. Returns what happened, whatever it is.
///
/// Fails where that would be something else than what was recorded: another
/// subgraph, a sketch that is gone or gives another schedule now, a target that
/// this machine cannot run; and where nothing can be measured.
llvm::Expected<RunOutcome> reproduce(mlir::MLIRContext *context,
                                     const MeasurementRecord &record,
                                     llvm::StringRef subgraphText,
                                     const std::optional<SketchRecord> &sketch);

} // namespace diffuse

#endif // DIFFUSE_TUNING_REPRODUCE_H
