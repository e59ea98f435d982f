// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References that know a part of the answer, and several at once.

#include "CandidateTest.h"

#include "Diffuse/Measure/Worker.h"

using namespace diffuse;

namespace {
class ReferenceOutputs : public CandidateTest {
protected:
  MeasureResult run(const MeasureRequest &request) {
    return ForkMeasurer().measure(request);
  }
};
} // namespace

TEST_F(ReferenceOutputs, OnlyTheElementsOfTilesAreCompared) {
  // Ten rows of a hundred; the file holds a corner and a piece of a row.
  auto shaped = [&](llvm::StringRef body) {
    MeasureRequest r = request(compile(body));
    for (BoundaryArgument &argument : r.boundary)
      argument.extents = {10, 100};
    return r;
  };
  std::vector<OutputTile> tiles = {{0, {8, 97}, {2, 3}}, {0, {4, 0}, {1, 5}}};
  MeasureRequest cut = request(compile(
      "float *z = buffers[3];"
      "for (int i = 0; i < 6; ++i) y[i] = x[(8 + i / 3) * 100 + 97 + i % 3];"
      "for (int i = 0; i < 5; ++i) z[i] = x[400 + i];"));
  for (unsigned i : {0, 1})
    cut.boundary[i].extents = {10, 100};
  cut.boundary[2].extents = {2, 3};
  cut.boundary.push_back(cut.boundary[2]);
  cut.boundary[3].extents = {1, 5};
  cut.writeOutputs = at("reference");
  MeasureResult written = run(cut);
  ASSERT_TRUE(written.succeeded()) << written.message;
  auto wrongAt = [&](llvm::StringRef index, double factor = 1) {
    MeasureRequest r = shaped(
        ("for (int i = 0; i < N; ++i) y[i] = x[i] + 1e-3f * (i == " + index +
         ");")
            .str());
    r.references = {{at("reference"), tiles, factor}};
    r.tolerances = {{5e-4, 0}};
    return run(r);
  };
  EXPECT_TRUE(wrongAt("500").succeeded()) << wrongAt("500").message;
  EXPECT_TRUE(wrongAt("896").succeeded());
  MeasureResult wrong = wrongAt("998");
  EXPECT_FAILURE(wrong, FailureKind::WrongAnswer,
                 "1 of 11 sampled values of result 'y' (argument 2) differ, "
                 "the first at [9, 98]");
  ASSERT_TRUE(wrong.wrongElement);
  EXPECT_EQ(wrong.wrongElement->position, std::vector<int64_t>({9, 98}));
  EXPECT_FAILURE(wrongAt("404"), FailureKind::WrongAnswer, "at [4, 4]");
  EXPECT_TRUE(wrongAt("404", 3).succeeded());
  tiles[1].offsets[1] = 98;
  EXPECT_FAILURE(wrongAt("0"), FailureKind::Unmeasurable, "lies in no result");
}

TEST_F(ReferenceOutputs, AllReferencesMustAgree) {
  MeasureRequest r = request(compile(kAdd));
  r.writeOutputs = at("one");
  ASSERT_TRUE(run(r).succeeded());
  MeasureRequest other = request(
      compile("for (int i = 0; i < N; ++i) y[i] = x[i] + w[i] + (i == 7);"));
  other.writeOutputs = at("other");
  ASSERT_TRUE(run(other).succeeded());
  r.writeOutputs.clear();
  r.references = {{at("one"), {}, 1}, {at("other"), {}, 1}};
  MeasureResult result = run(r);
  EXPECT_FAILURE(result, FailureKind::WrongAnswer, "at [7]");
  EXPECT_EQ(result.wrongReference, 1u);
}
