// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks whose plain loops would take long, and schedules that are wrong in one
// place, which shows where that element is known.

#ifndef DIFFUSE_UNITTESTS_TUNING_SAMPLEDFIXTURE_H
#define DIFFUSE_UNITTESTS_TUNING_SAMPLEDFIXTURE_H

#include "TunerFixture.h"

namespace diffuse {

struct SampledTest : TunerTest {
  using Kind = BoundaryArgument::Kind;

  SampledTest() {
    options.strategy = "exhaustive";
    options.budget.measurements = 300;
    options.stopGain = 0;
    for (auto [task, searched] : llvm::zip(tuningTasks, tasks)) {
      searched.descriptor.flops = 2.0 * 700 * 700 * 700;
      task.text = text(task.function);
      task.boundary = {{Kind::Input, "f32", {700, 700}, "a"},
                       {Kind::Input, "f32", {700, 700}, "b"},
                       {Kind::Destination, "f32", {700, 700}, "d"}};
    }
    standard = digestOf(
        defaultCandidate(tasks[0].descriptor, target, tasks[0].sketches));
  }

  static std::string text(const std::string &function) {
    return "func.func @" + function + R"((%a: tensor<700x700xf32>,
        %b: tensor<700x700xf32>,
        %d: tensor<700x700xf32> {diffuse.destination}) -> tensor<700x700xf32>
        attributes {diffuse.subgraph} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%d : tensor<700x700xf32>)
      -> tensor<700x700xf32>
  %r = linalg.matmul ins(%a, %b : tensor<700x700xf32>, tensor<700x700xf32>)
      outs(%f : tensor<700x700xf32>) -> tensor<700x700xf32>
  %m = bufferization.materialize_in_destination %r in %d
      : (tensor<700x700xf32>, tensor<700x700xf32>) -> tensor<700x700xf32>
  return %m : tensor<700x700xf32>
})";
  }

  /// Where a schedule is wrong, if it is.
  std::vector<int64_t> placeOf(const std::string &schedule) const {
    auto found = places.find(schedule);
    return found == places.end() ? std::vector<int64_t>{401, 399}
                                 : found->second;
  }

  /// What a schedule has in the place where it may be wrong: 0 is right.
  unsigned valueOf(const std::string &schedule, bool isWrong) const {
    auto found = garbage.find(schedule);
    return !isWrong ? 0 : found == garbage.end() ? 1 : found->second;
  }

  /// As answer does; candidates for which `isWrong` are wrong in one place,
  /// which shows where that element is known.
  MeasureResult answerOf(const MeasureRequest &request,
                         llvm::function_ref<bool(llvm::StringRef)> isWrong) {
    seen.push_back(request);
    MeasureResult result = answer(request);
    bool isCandidate = !request.identity.schedule.empty();
    if (!isCandidate)
      return result;
    std::string schedule = request.identity.schedule;
    bool wrong = isWrong(schedule);
    for (auto [i, reference] : llvm::enumerate(request.references)) {
      std::string author = authors[reference.path];
      bool isExact = !reference.tiles.empty();
      unsigned expected = valueOf(author, !isExact && isWrong(author));
      std::vector<int64_t> place = placeOf(wrong ? schedule : author);
      bool knows = !isExact || llvm::is_contained(reference.tiles,
                                                  OutputTile{0, place, {1, 1}});
      if (knows && valueOf(schedule, wrong) != expected) {
        result.failure = FailureKind::WrongAnswer;
        result.samplesMicros.clear();
        result.wrongReference = unsigned(i);
        result.wrongElement = AnswerElement{0, place};
        return result;
      }
    }
    if (!request.writeOutputs.empty())
      authors[request.writeOutputs] = request.identity.schedule;
    return result;
  }

  /// The requests for the first task.
  std::vector<MeasureRequest> ofFirstTask() const {
    std::vector<MeasureRequest> found;
    for (const MeasureRequest &request : seen)
      if (request.identity.scope.exactHash == tasks[0].descriptor.exactHash)
        found.push_back(request);
    return found;
  }

  /// Whether this makes samples that hold an element somebody asked for.
  static bool isAsked(const MeasureRequest &request) {
    return request.identity.schedule.empty() &&
           request.boundary.back().extents == std::vector<int64_t>({1, 1});
  }

  std::string standard;
  /// By schedule: where it is wrong.
  std::map<std::string, std::vector<int64_t>> places;
  /// By schedule: what it has there, where it is wrong in its own way.
  std::map<std::string, unsigned> garbage;
  /// By file: the schedule whose outputs it holds.
  std::map<std::string, std::string> authors;
  std::vector<MeasureRequest> seen;
};

} // namespace diffuse

#endif // DIFFUSE_UNITTESTS_TUNING_SAMPLEDFIXTURE_H
