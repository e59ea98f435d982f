// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileExpansion.h"

#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"

using namespace diffuse;
using namespace mlir;

SmallVector<unsigned> diffuse::getLoopsOf(const SubgraphDescriptor &descriptor,
                                          StringRef of) {
  if (of == "root")
    return descriptor.rootDims;
  if (of == "result")
    return descriptor.resultDims;
  SmallVector<unsigned> loops(descriptor.dims.size());
  for (unsigned i = 0; i < loops.size(); ++i)
    loops[i] = i;
  return loops;
}

unsigned PositionalTiling::resultOf(int loop) const {
  unsigned result = 0;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    int at = interchange.empty() ? int(i) : int(interchange[i]);
    if (at == loop)
      return result;
    result += unsigned(at) < sizes.size() && sizes[at] != 0;
  }
  return result;
}

/// Loops in the order of the dimensions named, then the others as they are. A
/// name that stands twice has its principal loop at the second place, its other
/// loops at the first.
static SmallVector<int64_t> orderLoops(ArrayRef<std::string> order,
                                       ArrayRef<unsigned> loops,
                                       const DimensionTable &table) {
  SmallVector<int64_t> permutation;
  auto append = [&](int64_t position) {
    if (!llvm::is_contained(permutation, position))
      permutation.push_back(position);
  };
  for (auto [place, name] : llvm::enumerate(order)) {
    const Dimension *dimension = table.find(name);
    if (!dimension)
      continue;
    bool comesAgain = llvm::is_contained(order.drop_front(place + 1), name);
    for (unsigned position = 0; position < loops.size(); ++position)
      if (llvm::is_contained(dimension->loops, loops[position]) &&
          !(comesAgain && loops[position] == dimension->principal))
        append(position);
  }
  for (unsigned position = 0; position < loops.size(); ++position)
    append(position);
  return llvm::is_sorted(permutation) ? SmallVector<int64_t>() : permutation;
}

PositionalTiling diffuse::expandTiling(const TileStep &step,
                                       ArrayRef<unsigned> loops,
                                       const BoundSketch::Storage &bound,
                                       const Choices &choices) {
  PositionalTiling tiling;
  tiling.sizes.assign(loops.size(), 0);
  for (const TileEntry &entry : step.entries) {
    tiling.entryLoops.push_back(-1);
    const Dimension *dimension = bound.dimensions.find(entry.dimension);
    int64_t size =
        entry.evaluate(choices, bound.lanes, dimension ? dimension->extent : 1);
    if (!dimension || size == 0)
      continue;
    for (unsigned position = 0; position < loops.size(); ++position) {
      if (!llvm::is_contained(dimension->loops, loops[position]))
        continue;
      bool principal = loops[position] == dimension->principal;
      tiling.sizes[position] =
          principal ? std::min(size, dimension->extent) : 1;
      if (principal)
        tiling.entryLoops.back() = position;
    }
  }
  tiling.interchange = orderLoops(step.order(choices), loops, bound.dimensions);
  if (tiling.interchange.empty())
    while (!tiling.sizes.empty() && tiling.sizes.back() == 0)
      tiling.sizes.pop_back();
  return tiling;
}

PositionalTiling diffuse::placeTiling(const TileStep &step,
                                      const BoundSketch::Storage &bound,
                                      const Choices &choices) {
  PositionalTiling tiling;
  for (auto [position, entry] : llvm::enumerate(step.entries)) {
    tiling.sizes.push_back(entry.evaluate(choices, bound.lanes, /*extent=*/1));
    tiling.entryLoops.push_back(position);
  }
  for (const std::string &name : step.order(choices))
    for (auto [position, entry] : llvm::enumerate(step.entries))
      if (entry.dimension == name)
        tiling.interchange.push_back(position);
  return tiling;
}

//===-- rewriting the ops -------------------------------------------------===//

/// The results of the new op stand for those of the old one: first the tiled
/// op, then a loop an entry.
static LogicalResult replaceTileOp(Operation *op, Operation *expanded,
                                   const PositionalTiling &tiling) {
  op->getResult(0).replaceAllUsesWith(expanded->getResult(0));
  for (unsigned i = 1, e = op->getNumResults(); i < e; ++i) {
    Value loop = op->getResult(i);
    if (loop.use_empty())
      continue;
    // One parallel loop stands for all.
    if (auto fuse = dyn_cast<transform::FuseOp>(op);
        fuse && fuse.getUseForall()) {
      loop.replaceAllUsesWith(expanded->getResult(1));
      continue;
    }
    int position =
        i - 1 < tiling.entryLoops.size() ? tiling.entryLoops[i - 1] : -1;
    if (position < 0 || tiling.sizes[position] == 0)
      return op->emitError() << "uses loop " << i - 1
                             << ", which the tiling does not make here";
    loop.replaceAllUsesWith(expanded->getResult(1 + tiling.resultOf(position)));
  }
  op->erase();
  return success();
}

static SmallVector<Type> getResultTypes(OpBuilder &builder,
                                        const PositionalTiling &tiling) {
  auto handle = transform::AnyOpType::get(builder.getContext());
  unsigned loops = llvm::count_if(tiling.sizes, [](int64_t s) { return s; });
  return SmallVector<Type>(loops + 1, handle);
}

static LogicalResult expandFuse(transform::FuseOp fuse,
                                const PositionalTiling &tiling) {
  OpBuilder builder(fuse);
  OperationState state(fuse.getLoc(), fuse->getName());
  SmallVector<Type> results = getResultTypes(builder, tiling);
  if (fuse.getUseForall())
    results.resize(2, results.front());
  auto fused = transform::FuseOp::create(
      builder, fuse.getLoc(), results, fuse.getTarget(),
      /*tile_sizes=*/ValueRange(),
      /*tile_interchange=*/ValueRange(), tiling.sizes, tiling.interchange,
      /*apply_cleanup=*/false, fuse.getUseForall());
  return replaceTileOp(fuse, fused, tiling);
}

static LogicalResult expandTile(transform::TileUsingForOp tile,
                                const PositionalTiling &tiling) {
  OpBuilder builder(tile);
  SmallVector<bool> scalable(tiling.sizes.size(), false);
  auto tiled = transform::TileUsingForOp::create(
      builder, tile.getLoc(), getResultTypes(builder, tiling), tile.getTarget(),
      /*dynamic_sizes=*/ValueRange(), tiling.sizes, tiling.interchange,
      scalable);
  return replaceTileOp(tile, tiled, tiling);
}

/// Its handles do not depend on the number of loops.
static LogicalResult expandReduction(transform::TileReductionUsingForOp tile,
                                     const PositionalTiling &tiling,
                                     unsigned loops) {
  SmallVector<int64_t> sizes = tiling.sizes;
  sizes.resize(loops, 0);
  tile.setTileSizesAttr(Builder(tile.getContext()).getI64ArrayAttr(sizes));
  return success();
}

LogicalResult diffuse::expandTileOp(Operation *op,
                                    const BoundSketch::Storage &bound,
                                    const Choices &choices) {
  FailureOr<TileStep> step = readTileStep(op);
  if (failed(step))
    return failure();
  StringRef of = step->of;
  SmallVector<unsigned> loops = getLoopsOf(bound.descriptor, of);
  PositionalTiling tiling = of == "im2col"
                                ? placeTiling(*step, bound, choices)
                                : expandTiling(*step, loops, bound, choices);
  if (auto fuse = dyn_cast<transform::FuseOp>(op))
    return expandFuse(fuse, tiling);
  if (auto tile = dyn_cast<transform::TileReductionUsingForOp>(op))
    return expandReduction(tile, tiling, loops.size());
  return expandTile(cast<transform::TileUsingForOp>(op), tiling);
}
