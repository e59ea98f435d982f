// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What predicts how fast a candidate is from its features, learning from what
// was measured. One model serves all tasks: what it predicts has no unit.

#ifndef DIFFUSE_SEARCH_COSTMODEL_H
#define DIFFUSE_SEARCH_COSTMODEL_H

#include "Diffuse/Search/SearchTask.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace diffuse {

/// The coordinates of one candidate; rows of one model have one length.
using FeatureRow = std::vector<double>;

/// The features of the loop-nest model and its estimate (log2 of nanoseconds
/// per operation) of a legal candidate of `task`; of a sketch without a model
/// the values of its knobs. What does not apply is NaN, which means missing.
FeatureRow costFeatures(const SearchTask &task, const TargetDescription &target,
                        const Candidate &candidate);

/// A prediction; `stddev` is 0 for models that give none.
struct Prediction {
  double mean = 0;
  double stddev = 0;
};

class CostModel {
public:
  virtual ~CostModel();

  /// Forgets what it knew and learns `values[i]`, the speed of candidate `i` as
  /// a share of the fastest one's in its task (0 for a failure), from
  /// `rows[i]`. Returns an error where the library behind the model gives one;
  /// the model is then untrained.
  virtual llvm::Error fit(llvm::ArrayRef<FeatureRow> rows,
                          llvm::ArrayRef<double> values) = 0;

  /// The speed expected of each row. Of a model that was not fitted: an error.
  virtual llvm::Expected<std::vector<Prediction>>
  predict(llvm::ArrayRef<FeatureRow> rows) const = 0;
};

/// True where this build can make an XGBoost model.
bool hasXGBoost();

/// Gradient-boosted trees by XGBoost, on one thread and seeded: equal data and
/// seed give equal predictions on one machine. An error where this build has
/// no XGBoost.
llvm::Expected<std::unique_ptr<CostModel>> createXGBoostModel(uint64_t seed);

} // namespace diffuse

#endif // DIFFUSE_SEARCH_COSTMODEL_H
