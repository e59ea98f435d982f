// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operands.h"
#include "StagedSketch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace diffuse;
using llvm::StringRef;

/// Blocks of more iterations are not worth a loop, unless they are all that
/// there are: stages are fused to keep what they hand on small.
static constexpr int64_t kLargestBlock = 256;
/// Sketches are composed in no more ways than this, best ones first.
static constexpr size_t kMostWays = 16;

static constexpr llvm::StringLiteral kFuse = "fuse", kBlock = "block";

std::string diffuse::stagePrefix(unsigned stage) {
  return "s" + std::to_string(stage) + ".";
}

Choices diffuse::choicesOfStage(unsigned stage, const Choices &choices) {
  std::string prefix = stagePrefix(stage);
  Choices own;
  for (const auto &[name, value] : choices)
    if (StringRef(name).starts_with(prefix))
      own[name.substr(prefix.size())] = value;
  return own;
}

static int64_t choiceOf(const Choices &choices, StringRef name) {
  auto found = choices.find(name.str());
  return found == choices.end() ? 0 : found->second;
}

const StageCut &StagedSketch::cutOf(const Choices &choices) const {
  bool isFused = choiceOf(choices, kFuse) != 0;
  int64_t block = isFused ? choiceOf(choices, kBlock) : 0;
  for (const StageCut &cut : cuts)
    if (cut.isFused == isFused && cut.block == block)
      return cut;
  return whole();
}

int64_t StagedSketch::extentOf(StringRef dimension) const {
  const SubgraphDescriptor &last = whole().stages.back();
  if (dimension == kBlock && last.blockLoop)
    return last.dims[*last.blockLoop].extent;
  for (const auto &[stage, sketch] : llvm::enumerate(whole().sketches))
    if (StringRef own = dimension; own.consume_front(stagePrefix(stage)))
      return sketch ? sketch->extentOf(own) : 0;
  return 0;
}

Choices diffuse::choicesOfCut(const StagedSketch &staged, const StageCut &cut) {
  Choices choices;
  if (staged.cuts.size() == 1)
    return choices;
  choices[kFuse.str()] = cut.isFused;
  if (cut.block != 0)
    choices[kBlock.str()] = cut.block;
  return choices;
}

//===-- cutting -----------------------------------------------------------===//

/// The stage as one iteration of the loops around it has it.
static SubgraphDescriptor cutStage(SubgraphDescriptor stage, int64_t block) {
  double share = 1;
  auto cut = [&](unsigned loop, int64_t extent) {
    share *= double(extent) / double(stage.dims[loop].extent);
    stage.dims[loop].extent = extent;
  };
  for (unsigned loop : stage.batchLoops)
    cut(loop, 1);
  if (block != 0)
    cut(*stage.blockLoop, block);
  stage.flops *= share;
  stage.bytes *= share;
  return stage;
}

static double resultBytes(const SubgraphDescriptor &stage) {
  return describeOperands(stage).back().bytes(getExtents(stage));
}

/// The same sketch for the same stage with fewer iterations; its knobs stay.
static BoundSketch rebind(const BoundSketch &sketch,
                          const SubgraphDescriptor &descriptor) {
  auto storage = std::make_shared<BoundSketch::Storage>(sketch.get());
  storage->descriptor = descriptor;
  storage->dimensions = nameDimensions(descriptor);
  return BoundSketch(std::move(storage));
}

static StageCut makeCut(const StageCut &whole, bool isFused, int64_t block) {
  StageCut cut;
  cut.isFused = isFused;
  cut.block = block;
  cut.count = 1;
  for (const auto &[stage, sketch] : llvm::zip(whole.stages, whole.sketches)) {
    cut.stages.push_back(isFused ? cutStage(stage, block) : stage);
    cut.sketches.push_back(
        sketch ? std::optional(rebind(*sketch, cut.stages.back()))
               : std::nullopt);
    if (cut.stages.size() < whole.stages.size())
      cut.linkBytes += resultBytes(cut.stages.back());
  }
  if (isFused)
    for (const auto &[dim, before] :
         llvm::zip(cut.stages.back().dims, whole.stages.back().dims))
      cut.count *= double(before.extent) / double(dim.extent);
  return cut;
}

/// Blocks divide the loop, so that all stages have constant extents. A block as
/// large as the loop makes sense where the batch is cut.
static llvm::SmallVector<int64_t> blocksOf(const SubgraphDescriptor &stage) {
  llvm::SmallVector<int64_t> blocks;
  if (!stage.blockLoop)
    return blocks;
  int64_t extent = stage.dims[*stage.blockLoop].extent;
  for (int64_t block = 1; block < std::min(extent, kLargestBlock + 1); ++block)
    if (extent % block == 0)
      blocks.push_back(block);
  if (!stage.batchLoops.empty())
    blocks.push_back(extent);
  return blocks;
}

//===-- composing ---------------------------------------------------------===//

using Way = std::vector<std::optional<BoundSketch>>;

static int64_t rankOf(const Way &way) {
  int64_t rank = 0;
  for (const std::optional<BoundSketch> &part : way)
    rank += part ? part->get().sketch->rank : 0;
  return rank;
}

static std::shared_ptr<const StagedSketch>
makeStaged(const SubgraphDescriptor &descriptor, Way sketches) {
  auto staged = std::make_shared<StagedSketch>();
  StageCut whole;
  whole.stages = descriptor.stages;
  whole.sketches = std::move(sketches);
  staged->cuts.push_back(makeCut(whole, /*isFused=*/false, /*block=*/0));
  const SubgraphDescriptor &last = descriptor.stages.back();
  llvm::SmallVector<int64_t> blocks = blocksOf(last);
  for (int64_t block : blocks)
    staged->cuts.push_back(makeCut(whole, /*isFused=*/true, block));
  if (!last.blockLoop && !last.batchLoops.empty())
    staged->cuts.push_back(makeCut(whole, /*isFused=*/true, /*block=*/0));
  return staged;
}

static void addCutKnobs(const StagedSketch &staged,
                        llvm::SmallVector<Knob> &knobs) {
  if (staged.cuts.size() == 1)
    return;
  Knob fuse;
  fuse.name = kFuse;
  fuse.domain = {0, 1};
  fuse.role = "form";
  knobs.push_back(fuse);
  Knob block;
  block.name = kBlock;
  block.role = "cache_tile";
  block.dim = kBlock;
  block.guards = {{{kFuse.str(), 1}}};
  for (const StageCut &cut : staged.cuts)
    if (cut.block != 0)
      block.domain.push_back(cut.block);
  if (!block.domain.empty())
    knobs.push_back(block);
}

/// The knobs of a stage's sketch under the names they have here.
static void addStageKnobs(unsigned stage, const BoundSketch &sketch,
                          llvm::SmallVector<Knob> &knobs) {
  std::string prefix = stagePrefix(stage);
  for (Knob knob : sketch.knobs()) {
    knob.name = prefix + knob.name;
    if (!knob.dim.empty())
      knob.dim = prefix + knob.dim;
    for (Knob::Guard &guard : knob.guards) {
      Knob::Guard renamed;
      for (const auto &[name, value] : guard)
        renamed[prefix + name] = value;
      guard = std::move(renamed);
    }
    knobs.push_back(std::move(knob));
  }
}

static BoundSketch compose(const SubgraphDescriptor &descriptor,
                           const TargetDescription &target, Way sketches) {
  auto sketch = std::make_shared<SketchTemplate>();
  sketch->rank = rankOf(sketches);
  for (const std::optional<BoundSketch> &part : sketches) {
    if (!sketch->name.empty())
      sketch->name += "+";
    sketch->name += part ? part->name().str() : "plain";
  }
  auto storage = std::make_shared<BoundSketch::Storage>();
  storage->sketch = std::move(sketch);
  storage->descriptor = descriptor;
  storage->target = target;
  storage->dimensions = nameDimensions(descriptor);
  storage->lanes = target.lanes(descriptor.accumulatorBits);
  storage->staged = makeStaged(descriptor, std::move(sketches));
  addCutKnobs(*storage->staged, storage->knobs);
  for (const auto &[stage, part] :
       llvm::enumerate(storage->staged->whole().sketches))
    if (part)
      addStageKnobs(stage, *part, storage->knobs);
  return BoundSketch(std::move(storage));
}

/// Extents are known, and there is a loop of the root for its wrapper.
static bool canBeWrapped(const SubgraphDescriptor &stage) {
  return llvm::none_of(stage.dims,
                       [](const DimInfo &dim) { return dim.isDynamic(); }) &&
         llvm::any_of(stage.rootDims, [&](unsigned loop) {
           return !isReduction(stage.dims[loop].role);
         });
}

llvm::SmallVector<BoundSketch> diffuse::composeSketches(
    const SubgraphDescriptor &descriptor, const TargetDescription &target,
    llvm::function_ref<
        llvm::SmallVector<BoundSketch>(const SubgraphDescriptor &)>
        sketchesOf) {
  std::vector<Way> ways = {{}};
  bool hasAny = false;
  // The kernels of a launch are made of its outer loops: one nest each.
  if (target.isGpu())
    return {};
  for (const SubgraphDescriptor &stage : descriptor.stages) {
    if (!canBeWrapped(stage))
      return {};
    llvm::SmallVector<BoundSketch> sketches = sketchesOf(stage);
    hasAny |= !sketches.empty();
    std::vector<Way> longer;
    for (const Way &way : ways) {
      if (sketches.empty())
        longer.emplace_back(way).push_back(std::nullopt);
      for (const BoundSketch &sketch : sketches)
        longer.emplace_back(way).push_back(sketch);
    }
    llvm::stable_sort(longer, [](const Way &a, const Way &b) {
      return rankOf(a) < rankOf(b);
    });
    if (longer.size() > kMostWays)
      longer.resize(kMostWays);
    ways = std::move(longer);
  }
  llvm::SmallVector<BoundSketch> composed;
  if (hasAny)
    for (Way &way : ways)
      composed.push_back(compose(descriptor, target, std::move(way)));
  return composed;
}
