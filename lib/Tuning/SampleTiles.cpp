// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules go wrong where something ends: a vector, a register tile, a cache
// tile, the tensor. So every end of every dimension is looked at, alone and
// together with others, and tiles are wide enough inside to hold the seam
// between two vectors.

#include "Diffuse/Tuning/SampleTiles.h"

#include "Diffuse/Support/StableHash.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace diffuse;

/// Elements of a tile: along the last dimension that has any length, and along
/// the others as far as that does not fill it.
static constexpr int64_t kTileElements = 64;
static constexpr int64_t kInnermost = 16, kOuter = 4;
/// Up to so many dimensions have all their corners looked at; of others the
/// first, the last and their neighbours.
static constexpr unsigned kCornerDims = 3;
static constexpr unsigned kLeastInside = 4;

namespace {
class Sampler {
public:
  Sampler(unsigned result, llvm::ArrayRef<int64_t> extents, uint64_t seed);
  std::vector<OutputTile> sample();

private:
  enum class Place { First, Last, Drawn };
  void add(llvm::ArrayRef<Place> places);
  void addCorners();
  void addEdges();
  void addInside();
  int64_t draw(int64_t count);

  unsigned result;
  llvm::ArrayRef<int64_t> extents;
  StableHash random;
  std::vector<int64_t> sizes;
  /// Dimensions that a tile does not cover.
  std::vector<unsigned> cut;
  std::vector<OutputTile> tiles;
  int64_t elements = 0;
};
} // namespace

static std::vector<int64_t> tileSizes(llvm::ArrayRef<int64_t> extents) {
  std::vector<int64_t> sizes(extents.size(), 1);
  int64_t left = kTileElements, wanted = kInnermost;
  for (bool mayFill : {false, true})
    for (size_t dim = extents.size(); dim-- > 0;) {
      int64_t most = mayFill ? left * sizes[dim] : std::min(wanted, left);
      if (extents[dim] == 1 || most <= sizes[dim])
        continue;
      left *= sizes[dim];
      sizes[dim] = std::min(extents[dim], most);
      left = std::max<int64_t>(1, left / sizes[dim]);
      wanted = kOuter;
    }
  return sizes;
}

Sampler::Sampler(unsigned result, llvm::ArrayRef<int64_t> extents,
                 uint64_t seed)
    : result(result), extents(extents), sizes(tileSizes(extents)) {
  random = StableHasher().addUnsigned(seed).addUnsigned(result).finish();
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (sizes[dim] < extents[dim])
      cut.push_back(dim);
}

int64_t Sampler::draw(int64_t count) {
  random = StableHasher().addHash(random).finish();
  return static_cast<int64_t>(random.low % static_cast<uint64_t>(count));
}

void Sampler::add(llvm::ArrayRef<Place> places) {
  OutputTile tile;
  tile.result = result;
  tile.offsets.assign(extents.size(), 0);
  tile.sizes = sizes;
  for (auto [dim, place] : llvm::zip(cut, places)) {
    int64_t last = extents[dim] - sizes[dim];
    if (place != Place::First)
      tile.offsets[dim] = place == Place::Last ? last : draw(last + 1);
  }
  if (llvm::is_contained(tiles, tile))
    return;
  elements += tile.elements();
  tiles.push_back(std::move(tile));
}

void Sampler::addCorners() {
  std::vector<Place> places(cut.size());
  if (cut.size() <= kCornerDims) {
    for (unsigned which = 0; which < 1u << cut.size(); ++which) {
      for (unsigned i = 0; i < cut.size(); ++i)
        places[i] = which >> i & 1 ? Place::Last : Place::First;
      add(places);
    }
    return;
  }
  for (Place most : {Place::First, Place::Last}) {
    places.assign(cut.size(), most);
    add(places);
    for (Place &place : places) {
      place = most == Place::First ? Place::Last : Place::First;
      add(places);
      place = most;
    }
  }
}

void Sampler::addEdges() {
  std::vector<Place> places(cut.size(), Place::Drawn);
  for (Place &place : places) {
    for (Place end : {Place::First, Place::Last}) {
      place = end;
      add(places);
    }
    place = Place::Drawn;
  }
}

void Sampler::addInside() {
  std::vector<Place> places(cut.size(), Place::Drawn);
  // Drawn twice, a tile adds nothing; there are more elements than asked for.
  for (unsigned count = 0;
       count < kLeastInside ||
       (elements < kSampledElements && count < kSampledElements);
       ++count)
    add(places);
}

std::vector<OutputTile> Sampler::sample() {
  addCorners();
  addEdges();
  addInside();
  return std::move(tiles);
}

std::vector<OutputTile>
diffuse::sampleTiles(llvm::ArrayRef<BoundaryArgument> boundary, uint64_t seed) {
  std::vector<OutputTile> tiles;
  unsigned result = 0;
  for (const BoundaryArgument &argument : boundary) {
    if (argument.kind != BoundaryArgument::Kind::Destination)
      continue;
    OutputTile whole;
    whole.result = result;
    whole.offsets.assign(argument.extents.size(), 0);
    whole.sizes = argument.extents;
    if (whole.elements() <= kSampledElements) {
      tiles.push_back(std::move(whole));
    } else {
      for (OutputTile &tile : Sampler(result, argument.extents, seed).sample())
        tiles.push_back(std::move(tile));
    }
    ++result;
  }
  return tiles;
}
