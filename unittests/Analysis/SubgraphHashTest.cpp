// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the hashes over many random changes, with a fixed seed.

#include "Diffuse/Analysis/SubgraphHash.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "RandomEdits.h"
#include "TestSubgraphs.h"
#include "gtest/gtest.h"

using namespace diffuse;
using namespace mlir;

namespace {
class SubgraphHashTest : public ::testing::Test {
protected:
  void SetUp() override {
    loadTestDialects(context);
    module = parseTest(context, testSubgraphs);
    ASSERT_TRUE(module);
    subgraphs = collectSubgraphs(*module);
    ASSERT_EQ(subgraphs.size(), 4u);
  }

  OwningOpRef<func::FuncOp> cloneAny(func::FuncOp &original) {
    original = subgraphs[random() % subgraphs.size()];
    return OwningOpRef<func::FuncOp>(original.clone());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  llvm::SmallVector<func::FuncOp> subgraphs;
  std::mt19937_64 random{20261130};
};
} // namespace

TEST_F(SubgraphHashTest, IgnoresNamesOrderAndForeignAttributes) {
  for (int i = 0; i < 1000; ++i) {
    func::FuncOp original;
    OwningOpRef<func::FuncOp> copy = cloneAny(original);
    disguise(*copy, random);
    ASSERT_EQ(computeExactHash(original), computeExactHash(*copy)) << i;
    ASSERT_EQ(computeStructureHash(original), computeStructureHash(*copy));
    ASSERT_EQ(computeFamilyHash(original), computeFamilyHash(*copy));
  }
}

TEST_F(SubgraphHashTest, SeesEverySingleEdit) {
  for (int i = 0; i < 1000; ++i) {
    func::FuncOp original;
    OwningOpRef<func::FuncOp> copy = cloneAny(original);
    std::string what = editOnce(*copy, random);
    ASSERT_NE(computeExactHash(original), computeExactHash(*copy))
        << i << ": " << what << " in " << original.getName().str();
  }
}

/// The contraction of the tests at another size.
static std::string resize(llvm::StringRef text, llvm::StringRef from,
                          llvm::StringRef to) {
  std::string resized = text.str();
  for (size_t at = resized.find(from); at != std::string::npos;
       at = resized.find(from, at + to.size()))
    resized.replace(at, from.size(), to.str());
  return resized;
}

TEST_F(SubgraphHashTest, StructureKnowsNoExtents) {
  // 8 x 4 x 6 becomes 16 x 4 x 6.
  OwningOpRef<ModuleOp> larger = parseTest(
      context, resize(resize(testSubgraphs, "<8x4xf32>", "<16x4xf32>"),
                      "<8x6xf32>", "<16x6xf32>"));
  ASSERT_TRUE(larger);
  func::FuncOp other = collectSubgraphs(*larger).front();
  EXPECT_NE(computeExactHash(subgraphs[0]), computeExactHash(other));
  EXPECT_EQ(computeStructureHash(subgraphs[0]), computeStructureHash(other));
  EXPECT_EQ(computeFamilyHash(subgraphs[0]), computeFamilyHash(other));
}

TEST_F(SubgraphHashTest, StructureKnowsUnitExtents) {
  OwningOpRef<ModuleOp> row =
      parseTest(context, resize(resize(testSubgraphs, "<8x4xf32>", "<1x4xf32>"),
                                "<8x6xf32>", "<1x6xf32>"));
  ASSERT_TRUE(row);
  func::FuncOp other = collectSubgraphs(*row).front();
  EXPECT_NE(computeStructureHash(subgraphs[0]), computeStructureHash(other));
}

TEST_F(SubgraphHashTest, FamiliesOfDifferentWorkDiffer) {
  for (unsigned i = 0; i < subgraphs.size(); ++i)
    for (unsigned j = 0; j < i; ++j)
      EXPECT_NE(computeFamilyHash(subgraphs[i]),
                computeFamilyHash(subgraphs[j]));
}

/// A body of several blocks; `first` and `second` are where its branch goes.
static std::string branches(llvm::StringRef first, llvm::StringRef second) {
  return (R"mlir(func.func private @f(%c: i1, %x: f32, %y: f32) -> f32 attributes {diffuse.subgraph} {
    %r = scf.execute_region -> f32 {
      "cf.cond_br"(%c)[^)mlir" +
          first + ", ^" + second +
          R"mlir(] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
    ^a:
      scf.yield %x : f32
    ^b:
      scf.yield %y : f32
    }
    return %r : f32
  })mlir")
      .str();
}

TEST_F(SubgraphHashTest, SeesWhereBranchesGo) {
  auto hashOf = [&](const std::string &text) {
    OwningOpRef<ModuleOp> parsed = parseTest(context, text);
    EXPECT_TRUE(parsed);
    return computeExactHash(*parsed->getOps<func::FuncOp>().begin());
  };
  EXPECT_EQ(hashOf(branches("a", "b")), hashOf(branches("a", "b")));
  EXPECT_NE(hashOf(branches("a", "b")), hashOf(branches("b", "a")));
}

/// Exact hash of a function with this body.
static std::string hashBody(MLIRContext &context, llvm::StringRef body) {
  OwningOpRef<ModuleOp> module = parseTest(
      context, ("func.func private @f(%c: i1, %x: f32, %m: memref<f32>) -> f32 "
                "attributes {diffuse.subgraph} {\n" +
                body + "\n}")
                   .str());
  EXPECT_TRUE(module);
  return computeExactHash(collectSubgraphs(*module).front());
}

TEST_F(SubgraphHashTest, SeesValuesOfLaterBlocks) {
  llvm::StringRef body = R"mlir(
  cf.br ^bb2
^bb1:
  return %0 : f32
^bb2:
  %0 = arith.negf %x : f32
  %1 = math.exp %x : f32
  cf.br ^bb1)mlir";
  EXPECT_NE(hashBody(context, body),
            hashBody(context, resize(body, "return %0", "return %1")));
}

TEST_F(SubgraphHashTest, KeepsTheOrderOfEffects) {
  llvm::StringRef load = "%0 = memref.load %m[] : memref<f32>\n";
  llvm::StringRef store = "memref.store %x, %m[] : memref<f32>\n";
  llvm::StringRef negate = "%1 = arith.negf %x : f32\n";
  llvm::StringRef end = "%2 = arith.addf %0, %1 : f32\n return %2 : f32";
  auto hash = [&](llvm::Twine body) { return hashBody(context, body.str()); };
  EXPECT_NE(hash(load + store + negate + end),
            hash(store + load + negate + end));
  EXPECT_EQ(hash(load + store + negate + end),
            hash(negate + load + store + end));
}

TEST_F(SubgraphHashTest, IsTheSameEverywhere) {
  // Stored in records: a change of these is a change of the record format.
  std::string first = computeExactHash(subgraphs[0]);
  EXPECT_EQ(first.size(), 32u);
  MLIRContext other;
  loadTestDialects(other);
  OwningOpRef<ModuleOp> again = parseTest(other, testSubgraphs);
  EXPECT_EQ(first, computeExactHash(collectSubgraphs(*again).front()));
}
