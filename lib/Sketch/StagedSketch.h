// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sketches for subgraphs of several stages. None is written for them: each
// stage takes a sketch of its own, and what is left to choose is whether one
// loop goes around all of them, so that what a stage hands to the next stays in
// a cache, or each is a loop nest by itself.
//
//   fuse   0: separate loop nests, 1: one loop around all
//   block  where fuse is 1: iterations of the loop that is cut into blocks
//   s0.mr  the knob mr of the sketch of the first stage

#ifndef DIFFUSE_LIB_SKETCH_STAGEDSKETCH_H
#define DIFFUSE_LIB_SKETCH_STAGEDSKETCH_H

#include "Diffuse/Sketch/LoopNest.h"
#include "SketchTemplate.h"

namespace diffuse {

/// The stages as one iteration of the loop around them has them, or whole.
struct StageCut {
  /// 0 without a loop around them, or where it cuts the batch alone.
  int64_t block = 0;
  bool isFused = false;
  /// Iterations of the loops around all stages.
  double count = 1;
  /// Bytes that one iteration hands from stage to stage.
  double linkBytes = 0;
  std::vector<SubgraphDescriptor> stages;
  /// Nothing for a stage that gets plain loops.
  std::vector<std::optional<BoundSketch>> sketches;
};

/// A sketch for each stage.
struct StagedSketch {
  /// Whole first, then fused, by block.
  std::vector<StageCut> cuts;

  const StageCut &whole() const { return cuts.front(); }
  /// The one that is chosen.
  const StageCut &cutOf(const Choices &choices) const;
  /// Extent of a dimension by the name that knobs have for it; 0 without.
  int64_t extentOf(llvm::StringRef dimension) const;
};

/// Prefix of the knobs of a stage.
std::string stagePrefix(unsigned stage);

/// The choices for the sketch of a stage, by the names it has for them.
Choices choicesOfStage(unsigned stage, const Choices &choices);

/// The choices that make `cut` the one that is chosen.
Choices choicesOfCut(const StagedSketch &staged, const StageCut &cut);

/// Composes sketches for the subgraph; `sketchesOf` gives those that take a
/// stage, best first. None where no stage has any, or some stage has no
/// parallel loop.
llvm::SmallVector<BoundSketch>
composeSketches(const SubgraphDescriptor &descriptor,
                const TargetDescription &target,
                llvm::function_ref<
                    llvm::SmallVector<BoundSketch>(const SubgraphDescriptor &)>
                    sketchesOf);

/// What the public functions of these names do for a composed sketch.
LoopNest modelStages(const BoundSketch &sketch, const Choices &choices);
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
instantiateStages(const BoundSketch &sketch, const Choices &choices,
                  llvm::StringRef name, mlir::MLIRContext *context);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_STAGEDSKETCH_H
