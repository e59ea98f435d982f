// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/CostModel.h"

#include "ToyTasks.h"

using namespace diffuse;

namespace {
/// Skips where this build has no XGBoost.
struct CostModels : ToyTasks {
  void SetUp() override {
    if (!hasXGBoost())
      GTEST_SKIP() << "this build has no XGBoost";
    model = llvm::cantFail(createXGBoostModel(3));
  }

  /// Rows and relative speeds of every point of a task.
  void collect(const SearchTask &task) {
    for (int64_t a : task.sketches[0].knobs()[0].domain)
      for (int64_t b : task.sketches[0].knobs()[1].domain) {
        Candidate candidate{"toy", {{"a", a}, {"b", b}}};
        rows.push_back(costFeatures(task, target, candidate));
        speeds.push_back(100 / rigged(candidate));
      }
  }

  std::unique_ptr<CostModel> model;
  std::vector<FeatureRow> rows;
  std::vector<double> speeds;
};
} // namespace

TEST_F(CostModels, RankTheFastestPointFirst) {
  collect(tasks[0]);
  ASSERT_FALSE(llvm::errorToBool(model->fit(rows, speeds)));
  std::vector<Prediction> predicted = llvm::cantFail(model->predict(rows));
  size_t best = 0;
  for (size_t row = 0; row < rows.size(); ++row)
    if (predicted[row].mean > predicted[best].mean)
      best = row;
  EXPECT_EQ(speeds[best], 1.0);
}

TEST_F(CostModels, CarryWhatTheyLearnedToAnotherTask) {
  collect(tasks[0]);
  collect(tasks[2]);
  ASSERT_FALSE(llvm::errorToBool(model->fit(rows, speeds)));
  rows.clear();
  speeds.clear();
  collect(tasks[1]);
  std::vector<Prediction> predicted = llvm::cantFail(model->predict(rows));
  unsigned ordered = 0, pairs = 0;
  for (size_t one = 0; one < rows.size(); ++one)
    for (size_t other = 0; other < one; ++other) {
      if (speeds[one] == speeds[other])
        continue;
      ++pairs;
      ordered += (speeds[one] > speeds[other]) ==
                 (predicted[one].mean > predicted[other].mean);
    }
  EXPECT_GT(ordered, pairs * 3 / 4);
}

TEST_F(CostModels, ForgetWhatTheyKnewWhenFittedAgain) {
  collect(tasks[0]);
  ASSERT_FALSE(llvm::errorToBool(model->fit(rows, speeds)));
  std::vector<Prediction> first = llvm::cantFail(model->predict(rows));
  std::vector<double> flipped;
  for (double speed : speeds)
    flipped.push_back(1 - speed);
  ASSERT_FALSE(llvm::errorToBool(model->fit(rows, flipped)));
  ASSERT_FALSE(llvm::errorToBool(model->fit(rows, speeds)));
  std::vector<Prediction> again = llvm::cantFail(model->predict(rows));
  for (size_t row = 0; row < rows.size(); ++row)
    EXPECT_EQ(first[row].mean, again[row].mean);
}

TEST_F(CostModels, SayThatTheyWereNotTrained) {
  collect(tasks[0]);
  llvm::Expected<std::vector<Prediction>> predicted = model->predict(rows);
  ASSERT_FALSE(predicted);
  EXPECT_EQ(llvm::toString(predicted.takeError()),
            "the cost model was not trained");
}
