// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depends on parameters alone is computed when a handle is created, and
// never again.

#include "Interface.h"

#include "../../lib/Codegen/SplitPreparations.h"

#include "mlir/IR/Verifier.h"
#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;

//===-- the split ---------------------------------------------------------===//

static constexpr char kSubgraphs[] = R"mlir(
func.func private @one(%a: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
func.func private @two(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> attributes {diffuse.subgraph, no_inline} {
  return %d : tensor<4xf32>
}
)mlir";

namespace {
class Split : public testing::Test {
protected:
  void split(llvm::StringRef text) {
    module = compilation.parse(kSubgraphs + text.str());
    ASSERT_TRUE(module) << compilation.diagnostics;
    entry = module->lookupSymbol<mlir::func::FuncOp>("main");
    prepare = splitPreparations(entry);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  }
  static unsigned callsIn(mlir::func::FuncOp function) {
    return llvm::range_size(function.getOps<mlir::func::CallOp>());
  }

  Compilation compilation;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry, prepare;
};
} // namespace

TEST_F(Split, EqualPreparationsAreDoneOnce) {
  split(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<2x2xf32> {diffuse.parameter = "w"}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %k = arith.constant dense<2.0> : tensor<4xf32>
  %v = tensor.collapse_shape %w [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %u = tensor.collapse_shape %w [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %0 = call @two(%v, %c, %e) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @two(%u, %k, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @one(%0, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = call @one(%1, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = call @two(%x, %2, %e) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = call @two(%4, %3, %e) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5, %c : tensor<4xf32>, tensor<4xf32>
})mlir");
  ASSERT_TRUE(prepare);
  EXPECT_EQ(prepare.getNumArguments(), 1u);
  EXPECT_EQ(callsIn(prepare), 2u);
  // The first result is read by the second preparation alone.
  EXPECT_EQ(prepare.getNumResults(), 1u);
  EXPECT_EQ(entry.getNumArguments(), 3u);
  EXPECT_EQ(callsIn(entry), 2u);
  // One constant is read by preparations, the other is returned.
  EXPECT_EQ(llvm::range_size(entry.front().without_terminator()), 4u);
}

TEST_F(Split, ArgumentsForItComeBeforeDestinations) {
  split(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter}, %d: tensor<4xf32> {diffuse.destination}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = call @one(%w, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @two(%x, %0, %d) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})mlir");
  ASSERT_TRUE(prepare);
  ASSERT_EQ(entry.getNumArguments(), 4u);
  EXPECT_TRUE(entry.getArgAttr(3, "diffuse.destination"));
}

TEST_F(Split, WhatNothingReadsIsNotPrepared) {
  split(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = call @one(%w, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @one(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})mlir");
  EXPECT_FALSE(prepare);
  EXPECT_EQ(entry.getNumArguments(), 2u);
  EXPECT_EQ(callsIn(entry), 1u);
  EXPECT_FALSE(module->lookupSymbol("main_prepare"));
}

TEST_F(Split, NothingToPrepareLeavesTheEntryAlone) {
  split(R"mlir(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = call @one(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})mlir");
  EXPECT_FALSE(prepare);
  EXPECT_EQ(entry.getNumArguments(), 1u);
}

//===-- behind the C interface --------------------------------------------===//

/// x[i, j] + exp(w)[j] in each run; exp(w) once.
static constexpr char kExp[] = R"mlir(
#x = affine_map<(d0, d1) -> (d0, d1)>
#w = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x4xf32>, %w: tensor<4xf32> {diffuse.parameter = "w"}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty(%n) : tensor<?x4xf32>
  %p = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #x], iterator_types = ["parallel", "parallel"]}
      ins(%x, %p : tensor<?x4xf32>, tensor<4xf32>) outs(%f : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
})mlir";

namespace {
alignas(64) float input[8], weight[4], output[8];
const Extents kRows = {2, 4}, kWeight = {4};

class Prepared : public testing::Test {
protected:
  /// A preparation that returns `status` and stores how often it ran, plus the
  /// weight, over all handles.
  void load(int status) {
    ASSERT_NO_FATAL_FAILURE(model.compile(kExp));
    ASSERT_EQ(model.compiled.preparations.size(), 1u);
    ASSERT_EQ(model.compiled.calls.size(), 1u);
    EXPECT_EQ(model.compiled.preparedBytes, std::vector<uint64_t>{16});
    std::string symbol = model.compiled.preparations.front().symbol;
    for (CompiledObject &subgraph : model.compiled.subgraphs)
      if (subgraph.symbol == symbol)
        subgraph.object =
            objectOf("static float runs; int " + symbol +
                     "(float **b) { ++runs; for (int i = 0; i < 4; ++i) "
                     "b[1][i] = b[0][i] + runs; return " +
                     std::to_string(status) + "; }\n");
    ASSERT_NO_FATAL_FAILURE(model.load());
  }
  int32_t create(const diffuse_options *options = nullptr) {
    diffuse_tensor tensor = {weight, kWeight.data()};
    diffuse_parameters parameters = {nullptr, &tensor};
    return model.create(&parameters, options);
  }
  int32_t run() {
    return model.run({{input, kRows.data()}}, {{output, kRows.data()}});
  }

  Interface model;
};
} // namespace

TEST_F(Prepared, OncePerHandle) {
  ASSERT_NO_FATAL_FAILURE(load(/*status=*/0));
  weight[3] = 10;
  ASSERT_EQ(create(), DIFFUSE_OK) << model.message;
  // What is prepared does not follow the caller's buffer.
  weight[3] = 99;
  for (int i = 0; i < 3; ++i) {
    input[7] = static_cast<float>(i);
    ASSERT_EQ(run(), DIFFUSE_OK) << model.message;
    EXPECT_EQ(output[7], 11 + static_cast<float>(i));
  }
  weight[3] = 20;
  ASSERT_EQ(create(), DIFFUSE_OK);
  input[7] = 0;
  ASSERT_EQ(run(), DIFFUSE_OK);
  EXPECT_EQ(output[7], 22);
}

TEST_F(Prepared, StatusIsPassedOn) {
  ASSERT_NO_FATAL_FAILURE(load(/*status=*/5));
  EXPECT_EQ(create(), DIFFUSE_FAILED);
  EXPECT_EQ(model.message, "preparation 0 of a subgraph failed with status 5");
  EXPECT_EQ(run(), DIFFUSE_BAD_ARGUMENT);
  EXPECT_EQ(model.message, "preparation 0 of a subgraph failed with status 5");
}

TEST_F(Prepared, ExtentsComeWithoutIt) {
  ASSERT_NO_FATAL_FAILURE(load(/*status=*/0));
  ASSERT_EQ(create(), DIFFUSE_OK);
  int64_t rows = 0;
  EXPECT_EQ(model.extents({{input, kRows.data()}}, &rows), DIFFUSE_OK);
  EXPECT_EQ(rows, 2);
}

TEST_F(Prepared, TheProfileIsOfRuns) {
  ASSERT_NO_FATAL_FAILURE(load(/*status=*/0));
  std::vector<int32_t> calls;
  diffuse_options options = {};
  options.size = sizeof(options);
  options.profile = [](void *user, int32_t call, int64_t, int64_t) {
    static_cast<std::vector<int32_t> *>(user)->push_back(call);
  };
  options.profile_user = &calls;
  ASSERT_EQ(create(&options), DIFFUSE_OK);
  EXPECT_TRUE(calls.empty());
  ASSERT_EQ(run(), DIFFUSE_OK);
  ASSERT_EQ(run(), DIFFUSE_OK);
  EXPECT_EQ(calls, (std::vector<int32_t>{0, 0}));
}

TEST(Preparations, ExtentsMayDependOnThem) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(R"mlir(
func.func @main(%x: f32, %w: tensor<2xi64> {diffuse.parameter}) -> (tensor<?xf32>, tensor<2xi64>) {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<2xi64>
  %p = linalg.add ins(%w, %w : tensor<2xi64>, tensor<2xi64>) outs(%e : tensor<2xi64>) -> tensor<2xi64>
  %k = tensor.extract %p[%c1] : tensor<2xi64>
  %n = arith.index_cast %k : i64 to index
  %f = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%x : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %r, %p : tensor<?xf32>, tensor<2xi64>
})mlir"));
  EXPECT_EQ(model.compiled.preparations.size(), 1u);
  ASSERT_NO_FATAL_FAILURE(model.load());
  int64_t numbers[] = {5, 3}, doubled[2] = {};
  Extents two = {2}, six = {6};
  diffuse_tensor parameter = {numbers, two.data()};
  diffuse_parameters parameters = {nullptr, &parameter};
  ASSERT_EQ(model.create(&parameters), DIFFUSE_OK) << model.message;
  float value = 4;
  int64_t length = 0;
  ASSERT_EQ(model.extents({{&value, nullptr}}, &length), DIFFUSE_OK);
  EXPECT_EQ(length, 6);
  ASSERT_EQ(model.run({{&value, nullptr}},
                      {{output, six.data()}, {doubled, two.data()}}),
            DIFFUSE_OK)
      << model.message;
  EXPECT_EQ(output[5], 4);
  // A result that is prepared itself is copied.
  EXPECT_EQ(doubled[0], 10);
  EXPECT_EQ(doubled[1], 6);
}

TEST(Preparations, NoneAreWithoutASymbol) {
  Interface model;
  ASSERT_NO_FATAL_FAILURE(model.compile(R"mlir(
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {diffuse.parameter}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})mlir"));
  EXPECT_EQ(model.compiled.prepareSymbol, "");
  EXPECT_TRUE(model.compiled.preparedBytes.empty());
  EXPECT_EQ(model.compiled.entry.object.find("diffuse_prepare"),
            std::string::npos);
}

TEST(Preparations, MoreThanAProcessCanAddressIsRefused) {
  Compilation compilation;
  auto module = compilation.parse(R"mlir(
func.func private @fill(%d: tensor<16384x1073741824xf32> {diffuse.destination}) -> tensor<16384x1073741824xf32> attributes {diffuse.subgraph, no_inline} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%d : tensor<16384x1073741824xf32>) -> tensor<16384x1073741824xf32>
  %m = bufferization.materialize_in_destination %f in %d : (tensor<16384x1073741824xf32>, tensor<16384x1073741824xf32>) -> tensor<16384x1073741824xf32>
  return %m : tensor<16384x1073741824xf32>
}
func.func private @nothing(%d: tensor<8192x1073741824xf64> {diffuse.destination}) -> tensor<8192x1073741824xf64> attributes {diffuse.subgraph, no_inline} {
  %z = arith.constant 0.0 : f64
  %f = linalg.fill ins(%z : f64) outs(%d : tensor<8192x1073741824xf64>) -> tensor<8192x1073741824xf64>
  %m = bufferization.materialize_in_destination %f in %d : (tensor<8192x1073741824xf64>, tensor<8192x1073741824xf64>) -> tensor<8192x1073741824xf64>
  return %m : tensor<8192x1073741824xf64>
}
func.func @main(%i: index) -> (f32, f64) {
  %e = tensor.empty() : tensor<16384x1073741824xf32>
  %f = tensor.empty() : tensor<8192x1073741824xf64>
  %0 = call @fill(%e) : (tensor<16384x1073741824xf32>) -> tensor<16384x1073741824xf32>
  %1 = call @nothing(%f) : (tensor<8192x1073741824xf64>) -> tensor<8192x1073741824xf64>
  %a = tensor.extract %0[%i, %i] : tensor<16384x1073741824xf32>
  %b = tensor.extract %1[%i, %i] : tensor<8192x1073741824xf64>
  return %a, %b : f32, f64
})mlir");
  ASSERT_TRUE(module) << compilation.diagnostics;
  EXPECT_TRUE(mlir::failed(compilation.compileModule(*module)));
  EXPECT_NE(compilation.diagnostics.find(
                "what 'main' computes from parameters alone needs more than"),
            std::string::npos)
      << compilation.diagnostics;
}
