// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What records say of schedules inside whole networks, where others were
// compared with default ones. A measurement of the schedule by itself changes
// nothing of that: only the next comparison does.

#ifndef DIFFUSE_RECORDS_NETWORKVERDICTS_H
#define DIFFUSE_RECORDS_NETWORKVERDICTS_H

#include "Diffuse/Records/MeasurementRecord.h"

#include "llvm/ADT/ArrayRef.h"

namespace diffuse {

/// By digest of the schedule and name of the machine: the line of its last
/// comparison.
using NetworkVerdicts = std::map<std::pair<llvm::StringRef, llvm::StringRef>,
                                 const MeasurementRecord *>;

/// The verdicts in the records of one scope, which come oldest first. With
/// `defaultSchedule`, only those of a comparison with that one.
NetworkVerdicts
lastVerdicts(llvm::ArrayRef<const MeasurementRecord *> records,
             std::optional<llvm::StringRef> defaultSchedule = std::nullopt);

} // namespace diffuse

#endif // DIFFUSE_RECORDS_NETWORKVERDICTS_H
