// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are cut out of a subgraph hold the bits of the whole one, on data
// that round: another order of a sum would show.

#ifndef DIFFUSE_UNITTESTS_CODEGEN_CUTTILESFIXTURE_H
#define DIFFUSE_UNITTESTS_CODEGEN_CUTTILESFIXTURE_H

#include "CompileAndLoad.h"

#include "Diffuse/Analysis/Work.h"
#include "Diffuse/Codegen/CutTiles.h"
#include "Diffuse/Codegen/DescribeBoundary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace diffuse::test {

struct Outputs {
  std::vector<BoundaryArgument> destinations;
  std::vector<std::vector<char>> bytes;
};

struct CutTiles : ::testing::Test {
  CutTiles() { compilation.options.numerics = Numerics::Strict; }

  /// Runs a function on data that depend on the argument's number alone.
  Outputs run(mlir::func::FuncOp function) {
    Outputs outputs;
    auto boundary = describeBoundary(function);
    auto object = compileSubgraph(function, {}, "", compilation.options, "f");
    EXPECT_TRUE(mlir::succeeded(boundary) && mlir::succeeded(object))
        << compilation.diagnostics;
    if (mlir::failed(boundary) || mlir::failed(object))
      return outputs;
    std::vector<std::vector<char>> buffers;
    std::vector<void *> pointers;
    for (const BoundaryArgument &argument : *boundary) {
      std::vector<char> &bytes =
          buffers.emplace_back(llvm::cantFail(countBytes(argument)));
      fill(argument, unsigned(buffers.size()), bytes);
    }
    for (std::vector<char> &buffer : buffers)
      pointers.push_back(buffer.data());
    LoadedFunction(*object).run(pointers);
    for (auto [argument, buffer] : llvm::zip(*boundary, buffers))
      if (argument.kind == BoundaryArgument::Kind::Destination) {
        outputs.destinations.push_back(argument);
        outputs.bytes.push_back(buffer);
      }
    return outputs;
  }

  static void fill(const BoundaryArgument &argument, unsigned seed,
                   std::vector<char> &bytes) {
    std::mt19937 random(seed);
    if (argument.elementType != "f32") {
      for (char &byte : bytes)
        byte = char(random() % 3);
      return;
    }
    for (size_t i = 0; i < bytes.size(); i += 4) {
      float value = float(random()) / float(1u << 31) - 0.9f;
      std::memcpy(&bytes[i], &value, 4);
    }
  }

  /// Compares every tile with the same elements of the whole answer. With
  /// `most`, the tiles take no more than that share of the arithmetic.
  void check(llvm::StringRef text, llvm::ArrayRef<OutputTile> tiles,
             double most = 1) {
    SCOPED_TRACE(text.str());
    mlir::OwningOpRef<mlir::ModuleOp> module = compilation.parse(text);
    ASSERT_TRUE(module) << compilation.diagnostics;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto cut = cutTiles(function, tiles);
    auto all = cutTiles(function, wholeResults(function));
    ASSERT_TRUE(mlir::succeeded(cut) && mlir::succeeded(all))
        << compilation.diagnostics;
    auto cutFunction = *(*cut)->getOps<mlir::func::FuncOp>().begin();
    EXPECT_LE(countFlops(cutFunction),
              most * countFlops(*(*all)->getOps<mlir::func::FuncOp>().begin()));
    Outputs whole = run(function), parts = run(cutFunction);
    ASSERT_EQ(parts.bytes.size(), tiles.size());
    for (auto [tile, part] : llvm::zip(tiles, parts.bytes))
      EXPECT_EQ(part, elementsOf(whole, tile)) << "at result " << tile.result;
  }

  static std::vector<OutputTile> wholeResults(mlir::func::FuncOp function) {
    std::vector<OutputTile> tiles;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      llvm::ArrayRef<int64_t> shape =
          llvm::cast<mlir::ShapedType>(type).getShape();
      tiles.push_back(
          {unsigned(i), std::vector<int64_t>(shape.size(), 0), shape.vec()});
    }
    return tiles;
  }

  static std::vector<char> elementsOf(const Outputs &whole,
                                      const OutputTile &tile) {
    const BoundaryArgument &argument = whole.destinations[tile.result];
    const std::vector<char> &bytes = whole.bytes[tile.result];
    size_t elements = 1;
    for (int64_t extent : argument.extents)
      elements *= size_t(extent);
    size_t width = bytes.size() / elements;
    std::vector<char> found;
    for (int64_t i = 0; i < tile.elements(); ++i) {
      int64_t rest = i, index = 0, stride = 1;
      for (int dim = int(tile.sizes.size()) - 1; dim >= 0; --dim) {
        index += (tile.offsets[dim] + rest % tile.sizes[dim]) * stride;
        rest /= tile.sizes[dim];
        stride *= argument.extents[dim];
      }
      found.insert(found.end(), bytes.begin() + index * int64_t(width),
                   bytes.begin() + (index + 1) * int64_t(width));
    }
    return found;
  }

  Compilation compilation;
};

inline std::string subgraph(llvm::StringRef arguments, llvm::StringRef type,
                            llvm::StringRef body) {
  return ("func.func @f(" + arguments + ", %d: " + type +
          " {diffuse.destination}) -> " + type +
          " attributes {diffuse.subgraph} {\n"
          "  %zero = arith.constant 0.0 : f32\n" +
          body +
          "  %m = bufferization.materialize_in_destination %r in %d : (" +
          type + ", " + type + ") -> " + type + "\n  return %m : " + type +
          "\n}\n")
      .str();
}

} // namespace diffuse::test

#endif // DIFFUSE_UNITTESTS_CODEGEN_CUTTILESFIXTURE_H
