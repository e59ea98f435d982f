// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accuracy of elementary functions of vectors, against libm in double.

#include "CompileAndLoad.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace diffuse;
using namespace diffuse::test;

static constexpr int kCount = 65536;

/// An elementwise function of 65536 numbers.
static std::string payload(const std::string &op) {
  return R"mlir(
#id = affine_map<(d0) -> (d0)>
func.func private @f(%a: tensor<65536xf32>, %d: tensor<65536xf32> {diffuse.destination})
    -> tensor<65536xf32> {
  %e = tensor.empty() : tensor<65536xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = )mlir" +
         op + R"mlir( %x : f32
    linalg.yield %y : f32
  } -> tensor<65536xf32>
  return %r : tensor<65536xf32>
})mlir";
}

static constexpr char kVectorize[] = R"mlir(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @f__tensor(%f: !transform.any_op {transform.readonly}) {
    %g = transform.structured.match ops{["linalg.generic"]} in %f : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %g tile_sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t : !transform.any_op
    transform.yield
  }
})mlir";

/// Distance of `value` from `exact` in units in the last place of `exact`.
static double ulps(float value, double exact) {
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value) ? 0 : INFINITY;
  float rounded = static_cast<float>(exact);
  if (value == rounded)
    return std::signbit(value) == std::signbit(rounded) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(value))
    return INFINITY;
  int exponent;
  std::frexp(rounded, &exponent);
  double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::fabs(value - exact) / unit;
}

namespace {
struct MathCase {
  const char *op;
  double (*exact)(double);
  float least, greatest;
};
} // namespace

/// Numbers over the interval, then the special ones.
static std::vector<float> inputsOf(const MathCase &test) {
  std::vector<float> inputs(kCount);
  for (int i = 0; i < kCount; ++i)
    inputs[i] = test.least +
                (test.greatest - test.least) * static_cast<float>(i) / kCount;
  const float special[] = {0.0f,    -0.0f, INFINITY, -INFINITY, NAN,   1e-38f,
                           -1e-38f, 1.0f,  -1.0f,    1e30f,     -1e30f};
  std::memcpy(inputs.data(), special, sizeof(special));
  return inputs;
}

class VectorMath : public testing::TestWithParam<MathCase> {};

static void checkAccuracy(const MathCase &test, bool hasFma) {
  Compilation compilation;
  compilation.options.target.cpu.hasFma = hasFma;
  auto object = compilation.compile(payload(test.op), kVectorize, "f__tensor");
  ASSERT_TRUE(mlir::succeeded(object)) << compilation.diagnostics;
  std::vector<float> inputs = inputsOf(test), results(kCount);
  LoadedFunction(*object).run({inputs.data(), results.data()});
  double worst = 0;
  float at = 0;
  for (int i = 0; i < kCount; ++i) {
    double error = ulps(results[i], test.exact(inputs[i]));
    if (error > worst) {
      worst = error;
      at = inputs[i];
    }
  }
  EXPECT_LE(worst, 2.0) << test.op << " at " << at;
}

TEST_P(VectorMath, StaysWithinTwoUlp) { checkAccuracy(GetParam(), true); }

TEST_P(VectorMath, StaysWithinTwoUlpWithoutFma) {
  checkAccuracy(GetParam(), false);
}

TEST(VectorMathModes, StrictCallsLibm) {
  Compilation compilation;
  compilation.options.numerics = Numerics::Strict;
  auto object =
      compilation.compile(payload("math.exp"), kVectorize, "f__tensor");
  ASSERT_TRUE(mlir::succeeded(object)) << compilation.diagnostics;
  EXPECT_NE(object->object.find("expf"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, VectorMath,
    testing::Values(MathCase{"math.exp", std::exp, -104, 88.8f},
                    MathCase{"math.exp", std::exp, -1, 1},
                    MathCase{"math.exp", std::exp, -104, -86},
                    MathCase{"math.tanh", std::tanh, -10, 10},
                    MathCase{"math.tanh", std::tanh, -0.7f, 0.7f},
                    MathCase{"math.erf", std::erf, -5, 5},
                    MathCase{"math.erf", std::erf, -1, 1}));
