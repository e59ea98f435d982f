// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileAndLoad.h"

#include "Diffuse/Codegen/BuildLibrary.h"
#include "Diffuse/Codegen/CompileModule.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;

/// Two calls of one subgraph in a row, and one of another. The order of sums
/// matters: a clobbered buffer shows.
static constexpr char kModule[] = R"mlir(
#id = affine_map<(d0) -> (d0)>
func.func private @double(%a: tensor<64xf32>, %d: tensor<64xf32> {diffuse.destination})
    -> tensor<64xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.add ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %m : tensor<64xf32>
}
func.func private @sub(%a: tensor<64xf32>, %b: tensor<64xf32>, %d: tensor<64xf32> {diffuse.destination})
    -> tensor<64xf32> attributes {diffuse.subgraph, no_inline} {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.sub ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %m : tensor<64xf32>
}
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, f32) {
  %c = arith.constant 0 : index
  %e = tensor.empty() : tensor<64xf32>
  %a = call @double(%x, %e) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %b = call @double(%a, %e) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %r = call @sub(%b, %a, %e) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %s = tensor.extract %b[%c] : tensor<64xf32>
  return %r, %s : tensor<64xf32>, f32
})mlir";

/// A schedule that fails: it uses a handle that its first step consumed.
static constexpr char kBroken[] = R"mlir(
module attributes {transform.with_named_sequence} {
  transform.named_sequence @broken__tensor(%f: !transform.any_op {transform.readonly})
      attributes {diffuse.selected = {sketch = "splinters"}} {
    %op = transform.structured.match interface{LinalgOp} in %f : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %u, %k = transform.structured.tile_using_for %op tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
})mlir";

namespace {
class CompileModuleTest : public testing::Test {
protected:
  void SetUp() override {
    module = compilation.parse(kModule);
    ASSERT_TRUE(module);
    auto result = compilation.compileModule(*module);
    ASSERT_TRUE(mlir::succeeded(result)) << compilation.diagnostics;
    compiled = std::move(*result);
  }

  Compilation compilation;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  CompiledModule compiled;
};
} // namespace

/// The code section of an object.
static std::string codeOf(const std::string &object) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "object"));
  EXPECT_TRUE(bool(file));
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText() && section.getSize())
      return llvm::cantFail(section.getContents()).str();
  return "";
}

TEST_F(CompileModuleTest, SubgraphsAreWhatIsMeasured) {
  ASSERT_EQ(compiled.subgraphs.size(), 2u);
  unsigned index = 0;
  for (mlir::func::FuncOp subgraph : collectSubgraphs(*module)) {
    const CompiledObject &shipped = compiled.subgraphs[index++];
    auto measured =
        compileSubgraph(subgraph, {}, "", compilation.options, shipped.symbol);
    ASSERT_TRUE(mlir::succeeded(measured));
    EXPECT_EQ(measured->object, shipped.object);
  }
}

TEST_F(CompileModuleTest, TheLibraryHoldsTheirCode) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("diffuse-test", "so", path));
  llvm::FileRemover remove(path);
  LibraryOptions options;
  options.model = "m";
  llvm::Error error =
      buildSharedLibrary(compiled, options, compilation.options, path);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  auto library = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(library));
  for (const CompiledObject &subgraph : compiled.subgraphs) {
    std::string code = codeOf(subgraph.object);
    EXPECT_FALSE(code.empty());
    EXPECT_NE((*library)->getBuffer().find(code), llvm::StringRef::npos)
        << subgraph.symbol;
  }
}

TEST_F(CompileModuleTest, BuffersArePlanned) {
  EXPECT_EQ(compiled.ordinaryBuffers, "");
  EXPECT_EQ(compiled.calls.size(), 3u);
  // Two temporaries that are alive together; the result is written in place.
  EXPECT_EQ(compiled.entry.workspaceBytes, kEntryHeaderBytes + 2 * 256);
  EXPECT_EQ(compiled.entry.liveBytes, compiled.entry.workspaceBytes);
  ASSERT_EQ(compiled.boundary.size(), 3u);
  EXPECT_EQ(compiled.boundary[2].elementType, "f32");
}

TEST(BuildLibrary, ModelNames) {
  EXPECT_EQ(makeModelName("resnet-50.v2"), "resnet_50_v2");
  EXPECT_EQ(makeModelName("7b"), "_7b");
  EXPECT_EQ(makeModelName(""), "_");
}

TEST_F(CompileModuleTest, DefaultScheduleThatFailsGivesWayToPlainLoops) {
  auto schedules = compilation.parse(kBroken);
  auto entry = findEntry(*module, "");
  SubgraphSchedule broken{*schedules, "broken__tensor", /*isDefault=*/true};
  auto provider = [&](mlir::func::FuncOp) {
    return mlir::FailureOr<SubgraphSchedule>(broken);
  };
  auto result = compileModule(*module, *entry, provider, compilation.options);
  ASSERT_TRUE(mlir::succeeded(result));
  for (size_t i = 0; i < result->subgraphs.size(); ++i)
    EXPECT_EQ(result->subgraphs[i].object, compiled.subgraphs[i].object);
  llvm::StringRef told = compilation.diagnostics;
  EXPECT_TRUE(told.starts_with("subgraph 'double' gets plain loops: its "
                               "default schedule, by sketch 'splinters', "
                               "fails: "))
      << told.str();
  EXPECT_EQ(told.count('\n'), 2u) << told.str();

  broken.isDefault = false;
  EXPECT_TRUE(mlir::failed(
      compileModule(*module, *entry, provider, compilation.options)));
}
