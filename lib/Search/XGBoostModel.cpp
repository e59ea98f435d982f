// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of Ansor (Zheng et al., "Ansor: Generating High-Performance
// Tensor Programs for Deep Learning", OSDI 2020, section 5.2): boosted trees
// that predict normalised throughput, with errors weighted by it, since only
// the fast end of the ranking is ever used.

#include "Diffuse/Search/CostModel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#ifdef DIFFUSE_HAVE_XGBOOST
#include <xgboost/c_api.h>
#endif

using namespace diffuse;

#ifndef DIFFUSE_HAVE_XGBOOST

bool diffuse::hasXGBoost() { return false; }

llvm::Expected<std::unique_ptr<CostModel>>
diffuse::createXGBoostModel(uint64_t seed) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "this build has no XGBoost; install libxgboost-dev and build again, or "
      "choose another search");
}

#else

/// Trees, their depth and the share of each that is added.
static constexpr int kRounds = 60;
static constexpr const char *kDepth = "6";
static constexpr const char *kStep = "0.2";
/// The slowest candidates keep this much weight, so that the model still learns
/// what to stay away from.
static constexpr float kLeastWeight = 0.1f;

static llvm::Error check(int status) {
  if (status == 0)
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 std::string("XGBoost: ") + XGBGetLastError());
}

namespace {
/// A table of feature rows in XGBoost's memory.
class Table {
public:
  Table() = default;
  Table(Table &&other) : handle(std::exchange(other.handle, nullptr)) {}
  ~Table() {
    if (handle)
      XGDMatrixFree(handle);
  }

  static llvm::Expected<Table> create(llvm::ArrayRef<FeatureRow> rows) {
    assert(!rows.empty() && "nothing to learn from");
    std::vector<float> cells;
    cells.reserve(rows.size() * rows.front().size());
    for (const FeatureRow &row : rows) {
      assert(row.size() == rows.front().size() && "rows of several lengths");
      cells.insert(cells.end(), row.begin(), row.end());
    }
    Table table;
    if (llvm::Error error = check(
            XGDMatrixCreateFromMat(cells.data(), rows.size(),
                                   rows.front().size(), NAN, &table.handle)))
      return error;
    return table;
  }

  llvm::Error set(const char *field, llvm::ArrayRef<float> values) {
    return check(
        XGDMatrixSetFloatInfo(handle, field, values.data(), values.size()));
  }

  DMatrixHandle handle = nullptr;
};

class XGBoostModel : public CostModel {
public:
  explicit XGBoostModel(uint64_t seed)
      : seed(std::to_string(seed & 0x7fffffff)) {}
  ~XGBoostModel() override { reset(); }

  llvm::Error fit(llvm::ArrayRef<FeatureRow> rows,
                  llvm::ArrayRef<double> values) override;
  llvm::Expected<std::vector<Prediction>>
  predict(llvm::ArrayRef<FeatureRow> rows) const override;

private:
  llvm::Error train(const Table &table);
  void reset() {
    if (booster)
      XGBoosterFree(booster);
    booster = nullptr;
  }

  /// XGBoost takes seeds of 31 bits.
  std::string seed;
  BoosterHandle booster = nullptr;
};
} // namespace

llvm::Error XGBoostModel::train(const Table &table) {
  if (llvm::Error error = check(XGBoosterCreate(&table.handle, 1, &booster)))
    return error;
  const std::pair<const char *, const char *> parameters[] = {
      {"objective", "reg:squarederror"},
      {"tree_method", "exact"},
      {"max_depth", kDepth},
      {"eta", kStep},
      {"nthread", "1"},
      {"verbosity", "0"},
      {"seed", seed.c_str()}};
  for (auto [name, value] : parameters)
    if (llvm::Error error = check(XGBoosterSetParam(booster, name, value)))
      return error;
  for (int round = 0; round < kRounds; ++round)
    if (llvm::Error error =
            check(XGBoosterUpdateOneIter(booster, round, table.handle)))
      return error;
  return llvm::Error::success();
}

llvm::Error XGBoostModel::fit(llvm::ArrayRef<FeatureRow> rows,
                              llvm::ArrayRef<double> values) {
  assert(rows.size() == values.size() && "a value for each row");
  reset();
  llvm::Expected<Table> table = Table::create(rows);
  if (!table)
    return table.takeError();
  std::vector<float> labels(values.begin(), values.end());
  std::vector<float> weights;
  for (float label : labels)
    weights.push_back(std::max(label, kLeastWeight));
  llvm::Error error = table->set("label", labels);
  if (!error)
    error = table->set("weight", weights);
  if (!error)
    error = train(*table);
  if (error)
    reset();
  return error;
}

llvm::Expected<std::vector<Prediction>>
XGBoostModel::predict(llvm::ArrayRef<FeatureRow> rows) const {
  std::vector<Prediction> predictions;
  if (!booster)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the cost model was not trained");
  if (rows.empty())
    return predictions;
  llvm::Expected<Table> table = Table::create(rows);
  if (!table)
    return table.takeError();
  bst_ulong count = 0;
  const float *values = nullptr;
  if (llvm::Error error = check(
          XGBoosterPredict(booster, table->handle, 0, 0, 0, &count, &values)))
    return error;
  assert(count == rows.size() && "a prediction for each row");
  for (bst_ulong row = 0; row < count; ++row)
    predictions.push_back({values[row], 0});
  return predictions;
}

bool diffuse::hasXGBoost() { return true; }

llvm::Expected<std::unique_ptr<CostModel>>
diffuse::createXGBoostModel(uint64_t seed) {
  return std::make_unique<XGBoostModel>(seed);
}

#endif // DIFFUSE_HAVE_XGBOOST
