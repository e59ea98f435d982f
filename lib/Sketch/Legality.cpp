// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is turned down unseen, and why. Limits are where a candidate cannot win
// or would take the compiler minutes, not where it would be merely slow.

#include "Diffuse/Sketch/Legality.h"

#include "Diffuse/Sketch/LoopNest.h"
#include "Diffuse/Sketch/Space.h"
#include "StagedSketch.h"

#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// Straight-line vector operations of one innermost body.
constexpr double kMaxUnrolledOps = 512;
constexpr double kMaxWorkspaceBytes = 1 << 28;
} // namespace

using Reason = std::optional<std::string>;

Reason diffuse::checkChoices(const BoundSketch &sketch,
                             const Choices &choices) {
  for (const Knob &knob : sketch.knobs()) {
    auto it = choices.find(knob.name);
    bool isChoice = isOpen(knob, choices);
    if (!isChoice && it != choices.end())
      return "knob '" + knob.name +
             "' is no choice under the alternatives chosen";
    if (!isChoice)
      continue;
    if (it == choices.end())
      return "no choice for knob '" + knob.name + "'";
    if (!llvm::is_contained(knob.domain, it->second))
      return "choice " + std::to_string(it->second) + " for knob '" +
             knob.name + "' is not in its domain";
  }
  for (const auto &[name, value] : choices)
    if (!sketch.findKnob(name))
      return "sketch '" + sketch.name().str() + "' has no knob '" + name + "'";
  return std::nullopt;
}

/// `6x16` from the knobs that make the register tile.
static std::string printRegisterTile(const BoundSketch &sketch,
                                     const Choices &choices) {
  SmallVector<std::string> extents;
  for (const Knob &knob : sketch.knobs())
    if (knob.role == "register_tile" && choices.count(knob.name))
      extents.push_back(std::to_string(choices.at(knob.name)));
  return llvm::join(extents, "x");
}

static Reason checkRegisters(const LoopNest &nest, const BoundSketch &sketch,
                             const Choices &choices) {
  if (nest.registers <= nest.registersAvailable ||
      printRegisterTile(sketch, choices).empty())
    return std::nullopt;
  return "register tile of " + printRegisterTile(sketch, choices) + " needs " +
         std::to_string(nest.registers) + " of " +
         std::to_string(nest.registersAvailable) +
         (sketch.target().isGpu() ? " registers of a thread"
                                  : " vector registers");
}

static Reason checkThreads(const LoopNest &nest,
                           const TargetDescription &target) {
  if (!target.isGpu() || nest.threadsPerBlock <= target.gpu.maxThreadsPerBlock)
    return std::nullopt;
  return "block of " + std::to_string(nest.threadsPerBlock) +
         " threads is more than the " +
         std::to_string(target.gpu.maxThreadsPerBlock) + " of " + target.key;
}

static Reason checkSizes(const LoopNest &nest) {
  if (nest.unrolledOps > kMaxUnrolledOps)
    return "innermost body of " + std::to_string(int64_t(nest.unrolledOps)) +
           " vector operations is longer than " +
           std::to_string(int64_t(kMaxUnrolledOps));
  if (nest.workspaceBytes > kMaxWorkspaceBytes)
    return "workspace of " + std::to_string(int64_t(nest.workspaceBytes)) +
           " bytes is larger than " +
           std::to_string(int64_t(kMaxWorkspaceBytes));
  return std::nullopt;
}

/// LLVM keeps a loop-carried vector in memory, element by element, when it is
/// wider than a register and no power of two of registers.
static bool isRegisterRow(int64_t width, unsigned lanes) {
  return width <= lanes ||
         (width % lanes == 0 && llvm::isPowerOf2_64(width / lanes));
}

static Reason checkRegisterRow(int64_t width, unsigned lanes) {
  if (isRegisterRow(width, lanes))
    return std::nullopt;
  return "register row of " + std::to_string(width) +
         " elements is no power of two of vectors of " + std::to_string(lanes);
}

/// Blocks of patches narrower than a register row are one row as they are; so
/// is the last block of an image that its rows do not divide.
static Reason checkPatchRows(const BoundSketch::Storage &bound,
                             const Choices &choices) {
  auto nr = choices.find("nr"), h = choices.find("h"), w = choices.find("w");
  bool writesPatches = llvm::any_of(
      bound.sketch->steps, [](const TileStep &s) { return s.of == "im2col"; });
  if (!writesPatches || nr == choices.end() || h == choices.end() ||
      w == choices.end())
    return std::nullopt;
  int64_t rest = bound.dimensions.extent("image0") % h->second;
  for (int64_t rows : {h->second, rest}) {
    int64_t pixels = rows * w->second;
    if (pixels < nr->second)
      if (Reason reason = checkRegisterRow(pixels, bound.lanes))
        return reason;
  }
  return std::nullopt;
}

/// A sketch that says `whole_rows = "nf"` does not cut the rest of its register
/// rows into vectors, so the rest has to be a register row as well.
static Reason checkWholeRows(const BoundSketch &sketch,
                             const Choices &choices) {
  const BoundSketch::Storage &bound = sketch.get();
  DictionaryAttr applies = bound.sketch->applies;
  auto name = applies ? applies.getAs<StringAttr>("whole_rows") : StringAttr();
  const Knob *knob = name ? sketch.findKnob(name.getValue()) : nullptr;
  if (!knob || !choices.count(knob->name))
    return std::nullopt;
  int64_t width = choices.at(knob->name);
  int64_t rest = bound.dimensions.extent(knob->dim) % width;
  if (Reason reason = checkRegisterRow(width, bound.lanes))
    return reason;
  return checkRegisterRow(rest, bound.lanes);
}

/// A block may reach past the extent once; further multiples are the same
/// schedule.
static Reason checkBlocks(const BoundSketch::Storage &bound,
                          const Choices &choices) {
  for (const TileStep &step : bound.sketch->steps)
    for (const TileEntry &entry : step.entries) {
      if (!step.isMade(choices) || entry.scale.kind != SizeTerm::Kind::Knob)
        continue;
      int64_t extent = bound.dimensions.extent(entry.dimension);
      int64_t scale = entry.scale.evaluate(choices, bound.lanes);
      int64_t half = entry.size.evaluate(choices, bound.lanes) * scale / 2;
      if (scale > 1 && half >= extent)
        return "block of " + std::to_string(2 * half) + " " + entry.dimension +
               " is more than twice the " + std::to_string(extent) +
               " there are";
    }
  return std::nullopt;
}

/// The first reason against what is chosen for a stage.
static Reason checkStages(const BoundSketch &sketch, const Choices &choices) {
  const StageCut &cut = sketch.get().staged->cutOf(choices);
  for (const auto &[number, part] : llvm::enumerate(cut.sketches)) {
    if (!part)
      continue;
    if (Reason reason = checkCandidate(part->descriptor(), sketch.target(),
                                       *part, choicesOfStage(number, choices)))
      return "stage " + std::to_string(number) + ": " + *reason;
  }
  return std::nullopt;
}

Reason diffuse::checkCandidate(const SubgraphDescriptor &descriptor,
                               const TargetDescription &target,
                               const BoundSketch &sketch,
                               const Choices &choices) {
  if (Reason reason = checkChoices(sketch, choices))
    return reason;
  if (sketch.get().staged)
    return checkStages(sketch, choices);
  if (!sketch.isModelled())
    return std::nullopt;
  if (Reason reason = checkBlocks(sketch.get(), choices))
    return reason;
  if (Reason reason = checkPatchRows(sketch.get(), choices))
    return reason;
  if (Reason reason = checkWholeRows(sketch, choices))
    return reason;
  LoopNest nest = modelLoopNest(descriptor, target, sketch, choices);
  if (Reason reason = checkThreads(nest, target))
    return reason;
  if (Reason reason = checkRegisters(nest, sketch, choices))
    return reason;
  return checkSizes(nest);
}

/// What is legal for a stage depends on how the loop around all cuts it, and on
/// no other stage.
static std::optional<double> countStaged(const StagedSketch &staged,
                                         const TargetDescription &target) {
  double sum = 0;
  for (const StageCut &cut : staged.cuts) {
    double product = 1;
    for (const std::optional<BoundSketch> &part : cut.sketches) {
      if (!part)
        continue;
      auto count = countCandidates(part->descriptor(), target, *part);
      if (!count)
        return std::nullopt;
      product *= *count;
    }
    sum += product;
  }
  return sum;
}

std::optional<double>
diffuse::countCandidates(const SubgraphDescriptor &descriptor,
                         const TargetDescription &target,
                         const BoundSketch &sketch) {
  if (const auto &staged = sketch.get().staged)
    return countStaged(*staged, target);
  // Without a model nothing but the domains speaks against a choice.
  if (!sketch.isModelled())
    return sketch.spaceSize();
  if (sketch.spaceSize() > kMaxCounted)
    return std::nullopt;
  double count = 0;
  std::optional<Choices> choices = completeChoices(sketch, {});
  for (; choices; choices = nextChoices(sketch, *choices))
    count += !checkCandidate(descriptor, target, sketch, *choices);
  return count;
}
