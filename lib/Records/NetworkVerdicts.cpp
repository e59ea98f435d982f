// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Records/NetworkVerdicts.h"

using namespace diffuse;

NetworkVerdicts
diffuse::lastVerdicts(llvm::ArrayRef<const MeasurementRecord *> records,
                      std::optional<llvm::StringRef> defaultSchedule) {
  NetworkVerdicts last;
  for (const MeasurementRecord *record : records)
    if (record->failure == FailureKind::SlowerInNetwork &&
        (!defaultSchedule || record->defaultSchedule == *defaultSchedule))
      last[{record->identity.schedule, record->machine}] = record;
  return last;
}
