// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measurer that answers from records: the same candidate gets the samples it
// got then.

#ifndef DIFFUSE_MEASURE_REPLAYMEASURER_H
#define DIFFUSE_MEASURE_REPLAYMEASURER_H

#include "Diffuse/Measure/Measurer.h"
#include "Diffuse/Records/RecordStore.h"
#include <memory>

namespace diffuse {

/// Answers with the first record of the request's identity; Unmeasurable where
/// there is none.
class ReplayMeasurer : public Measurer {
public:
  explicit ReplayMeasurer(std::unique_ptr<RecordStore> store)
      : store(std::move(store)) {}

  MeasureResult measure(const MeasureRequest &request) override;
  bool isReal() const override { return false; }
  const RecordStore &records() const { return *store; }

private:
  std::unique_ptr<RecordStore> store;
};

/// Reads a record file. Fails where it cannot be read or holds no measurement:
/// nothing could be replayed.
llvm::Expected<std::unique_ptr<ReplayMeasurer>>
openReplay(llvm::StringRef path);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_REPLAYMEASURER_H
