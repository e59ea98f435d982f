// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/CostModel.h"

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/LoopNest.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace diffuse;

CostModel::~CostModel() = default;

FeatureRow diffuse::costFeatures(const SearchTask &task,
                                 const TargetDescription &target,
                                 const Candidate &candidate) {
  const BoundSketch *sketch = findSketch(task, candidate.sketch);
  assert(sketch && "candidate of another task");
  LoopNest nest =
      modelLoopNest(task.descriptor, target, *sketch, candidate.choices);
  FeatureRow row = features(nest, target);
  double nanos = 1000 * analyticMicros(nest, target);
  row.push_back(
      std::log2(std::max(nanos, 1e-3) / std::max(task.descriptor.flops, 1.0)));
  return row;
}
