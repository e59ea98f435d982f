// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/SampleTiles.h"

#include "gtest/gtest.h"

#include <set>

using namespace diffuse;
using Kind = BoundaryArgument::Kind;

static std::vector<BoundaryArgument> result(std::vector<int64_t> extents) {
  return {{Kind::Input, "f32", {3, 3}, "x"},
          {Kind::Destination, "f32", std::move(extents), "y"}};
}

static bool holds(const OutputTile &tile, llvm::ArrayRef<int64_t> position) {
  for (size_t dim = 0; dim < position.size(); ++dim)
    if (position[dim] < tile.offsets[dim] ||
        position[dim] >= tile.offsets[dim] + tile.sizes[dim])
      return false;
  return true;
}

TEST(SampleTiles, EveryEndIsLookedAt) {
  for (std::vector<int64_t> extents : {std::vector<int64_t>{5000},
                                       {77, 1001},
                                       {1, 64, 57, 57},
                                       {12, 128, 127},
                                       {3, 5, 7, 11, 13},
                                       {1, 1, 2000, 1},
                                       {2000, 3}}) {
    std::vector<OutputTile> tiles = sampleTiles(result(extents), 7);
    int64_t elements = 0;
    for (const OutputTile &tile : tiles) {
      EXPECT_EQ(tile.result, 0u);
      EXPECT_TRUE(tile.liesIn(extents));
      elements += tile.elements();
    }
    EXPECT_GE(elements, kSampledElements);
    EXPECT_LE(tiles.size(), 40u) << "each is a loop nest to compile";
    std::vector<int64_t> first(extents.size(), 0), last = extents;
    for (int64_t &index : last)
      --index;
    auto isSeen = [&](llvm::ArrayRef<int64_t> position) {
      return llvm::any_of(
          tiles, [&](const OutputTile &tile) { return holds(tile, position); });
    };
    EXPECT_TRUE(isSeen(first) && isSeen(last));
    for (size_t dim = 0; dim < extents.size(); ++dim) {
      std::vector<int64_t> corner = first;
      corner[dim] = last[dim];
      EXPECT_TRUE(isSeen(corner)) << dim;
      corner = last;
      corner[dim] = 0;
      EXPECT_TRUE(isSeen(corner)) << dim;
    }
  }
}

TEST(SampleTiles, PlacesInsideDependOnTheSeedAlone) {
  auto boundary = result({1, 64, 57, 57});
  std::vector<OutputTile> tiles = sampleTiles(boundary, 7);
  EXPECT_EQ(tiles, sampleTiles(boundary, 7));
  EXPECT_NE(tiles, sampleTiles(boundary, 8));
}

TEST(SampleTiles, SmallResultsAreWhole) {
  auto boundary = result({10, 100});
  boundary.push_back({Kind::Destination, "i32", {}, "z"});
  boundary.push_back({Kind::Destination, "f32", {64, 64}, "w"});
  std::vector<OutputTile> tiles = sampleTiles(boundary, 1);
  ASSERT_GT(tiles.size(), 6u);
  EXPECT_EQ(tiles[0], (OutputTile{0, {0, 0}, {10, 100}}));
  EXPECT_EQ(tiles[1], (OutputTile{1, {}, {}}));
  std::set<unsigned> results;
  for (const OutputTile &tile : tiles)
    results.insert(tile.result);
  EXPECT_EQ(results.size(), 3u);
}
