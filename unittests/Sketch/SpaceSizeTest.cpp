// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spaces that nobody could walk.

#include "Subgraphs.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

/// `count` alternatives side by side, the first region of each with `inside`.
static std::string makeAlternatives(unsigned count, const std::string &inside) {
  std::string body;
  for (unsigned i = 0; i < count; ++i) {
    std::string number = std::to_string(i), region = inside;
    if (size_t at = region.find('#'); at != std::string::npos)
      region.replace(at, 1, number);
    body += "transform.tune.alternatives<\"f" + number + "\"> {\n" + region +
            "transform.yield\n}, {\ntransform.yield\n}\n";
  }
  return "module attributes {transform.with_named_sequence} {\n"
         "transform.named_sequence @__transform_main(%f: !transform.any_op "
         "{transform.readonly}) {\n" +
         body + "transform.yield\n}\n}\n";
}

TEST(SpaceSize, SpacesAreCountedWithoutBeingWalked) {
  Workbench bench;
  std::string subgraph = printContraction({0, 32, 48, 64});
  const char *own = "%k = transform.tune.knob<\"k#\"> options = [1, 2, 3] -> "
                    "!transform.param<i64>\n";
  EXPECT_EQ(bench.bindOwn(makeAlternatives(40, own), subgraph).spaceSize(),
            std::pow(4.0, 40));
  // One choice for all of them, wherever one asks for it.
  const char *shared = "%k = transform.tune.knob<\"k\"> options = [1, 2, 3] "
                       "-> !transform.param<i64>\n";
  EXPECT_EQ(bench.bindOwn(makeAlternatives(40, shared), subgraph).spaceSize(),
            (std::pow(2.0, 40) - 1) * 3 + 1);
}
