// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sketch as parsed, before it meets a subgraph: its sequences, what it
// applies to, its knobs with their domains unevaluated, and the tilings that
// the loop-nest model reads.

#ifndef DIFFUSE_LIB_SKETCH_SKETCHTEMPLATE_H
#define DIFFUSE_LIB_SKETCH_SKETCHTEMPLATE_H

#include "Diffuse/Sketch/SketchLibrary.h"
#include "Diffuse/Target/TargetDescription.h"
#include "Dimensions.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace diffuse {

/// Attributes of the sketch form; docs/add-a-sketch.md explains them.
namespace sketch_attr {
inline constexpr llvm::StringLiteral kSketch = "diffuse.sketch";
inline constexpr llvm::StringLiteral kWalk = "diffuse.walk";
inline constexpr llvm::StringLiteral kOf = "diffuse.of";
inline constexpr llvm::StringLiteral kScale = "diffuse.scale";
inline constexpr llvm::StringLiteral kOrders = "diffuse.orders";
inline constexpr llvm::StringLiteral kBind = "diffuse.bind";
inline constexpr llvm::StringLiteral kRole = "diffuse.role";
inline constexpr llvm::StringLiteral kDim = "diffuse.dim";
inline constexpr llvm::StringLiteral kLevel = "diffuse.level";
inline constexpr llvm::StringLiteral kSide = "diffuse.side";
} // namespace sketch_attr

/// An integer, a knob's value, or the vector width.
struct SizeTerm {
  enum class Kind { Constant, Knob, Lanes };
  Kind kind = Kind::Constant;
  int64_t constant = 1;
  std::string knob;

  int64_t evaluate(const Choices &choices, unsigned lanes) const;
};

/// One entry of a tiling: `size * scale` for a dimension; 0 leaves it whole.
struct TileEntry {
  std::string dimension;
  SizeTerm size, scale;
  /// Instead of a scale: the largest multiple of the size in the extent.
  bool multiples = false;

  int64_t evaluate(const Choices &choices, unsigned lanes,
                   int64_t extent) const;
};

/// One tiling of the anchor or of the root with the anchor fused.
struct TileStep {
  /// The tiling makes partial results, vectors along its reduction.
  bool partial = false;
  /// Whose loops the entries name: "anchor", "root", "result" or "im2col".
  std::string of = "anchor";
  std::vector<TileEntry> entries;
  /// Loop orders by dimension names, outermost first; one, or as many as
  /// `orderKnob` has values. Empty: as the entries stand.
  llvm::SmallVector<llvm::SmallVector<std::string>> orders;
  std::string orderKnob;

  llvm::ArrayRef<std::string> order(const Choices &choices) const;
};

/// A knob as written.
struct KnobSpec {
  std::string name, role, dim;
  unsigned level = 0;
  mlir::Attribute options;
};

struct SketchTemplate {
  std::string name;
  /// Holds the sequences and those they include; shared by all sketches of one
  /// text.
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module;
  mlir::transform::NamedSequenceOp tensor, vector;
  mlir::DictionaryAttr applies;
  std::vector<KnobSpec> knobs;
  std::vector<TileStep> steps;
  /// Position among the sketches that take the same subgraph; small is first.
  int64_t rank = 100;
};

struct BoundSketch::Storage {
  std::shared_ptr<const SketchTemplate> sketch;
  SubgraphDescriptor descriptor;
  TargetDescription target;
  DimensionTable dimensions;
  llvm::SmallVector<Knob> knobs;
  unsigned lanes = 1;
};

/// Reads the sketches of a parsed text. Fails, with errors located in it, when
/// one is not well formed.
mlir::FailureOr<llvm::SmallVector<std::shared_ptr<const SketchTemplate>>>
readSketches(mlir::OwningOpRef<mlir::ModuleOp> module);

/// Reads the tiling that `op` states by its `diffuse.walk`. Fails with an error
/// at `op` when the attributes contradict the op.
mlir::FailureOr<TileStep> readTileStep(mlir::Operation *op);

/// Does the sketch's `diffuse.sketch` attribute admit the subgraph?
bool appliesTo(const SketchTemplate &sketch,
               const SubgraphDescriptor &descriptor,
               const DimensionTable &dimensions,
               const TargetDescription &target);

/// Whether a knob's `options` depend on the subgraph or the target.
bool isNamedDomain(mlir::Attribute options);

/// Most values that a range may have.
inline constexpr uint64_t kMaxRangeValues = 4096;

/// Whether `options` are a range of more values than that.
bool hasTooManyValues(mlir::Attribute options);

/// The values a knob's `options` stand for, ascending; empty when it has none
/// for this subgraph, and then the sketch does not take it. Of a range at most
/// kMaxRangeValues.
llvm::SmallVector<int64_t> evaluateDomain(mlir::Attribute options,
                                          const DimensionTable &dimensions,
                                          unsigned lanes);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_SKETCHTEMPLATE_H
