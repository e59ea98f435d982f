// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measurer that runs nothing: its answers are a function of a seed and the
// request, so that a whole tuning run can be tested anywhere and twice the
// same.

#ifndef DIFFUSE_MEASURE_FAKEMEASURER_H
#define DIFFUSE_MEASURE_FAKEMEASURER_H

#include "Diffuse/Measure/Measurer.h"
#include <functional>

namespace diffuse {

struct FakeOptions {
  uint64_t seed = 0;
  /// Standard deviation of the logarithm of a candidate's time around the
  /// prediction of the request.
  double spread = 0.3;
  /// The same of one sample around its candidate's time.
  double noise = 0.01;
  /// Shares of candidates that answer wrongly and that crash.
  double wrongShare = 0;
  double crashShare = 0;
};

class FakeMeasurer : public Measurer {
public:
  using Rig = std::function<MeasureResult(const MeasureRequest &)>;
  explicit FakeMeasurer(const FakeOptions &options = {});
  /// Answers with what `rig` returns.
  explicit FakeMeasurer(Rig rig) : rig(std::move(rig)) {}

  MeasureResult measure(const MeasureRequest &request) override {
    return rig(request);
  }
  bool isReal() const override { return false; }

private:
  Rig rig;
};

} // namespace diffuse

#endif // DIFFUSE_MEASURE_FAKEMEASURER_H
