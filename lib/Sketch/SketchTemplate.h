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
  /// The choices under which it is made; empty: whatever is chosen.
  Knob::Guard guard;
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
  /// Whether its guard holds.
  bool isMade(const Choices &choices) const;
};

/// A knob as written.
struct KnobSpec {
  std::string name, role, dim;
  unsigned level = 0;
  mlir::Attribute options;
  std::vector<Knob::Guard> guards;
  /// Where it is written first.
  mlir::Operation *op = nullptr;
};

/// What a sequence looks for before it changes anything: an op of one of these
/// names, where there are any, that has all of these attributes.
struct SoughtOp {
  std::vector<std::string> names, attributes;
  /// By a matcher sequence, not by transform.structured.match.
  bool isByMatcher = false;
};

struct SketchTemplate {
  std::string name;
  /// The text of the user's file that it stands in; empty for the library's.
  std::string text;
  /// A schedule is the text itself with `selected` filled in, because nothing
  /// in it speaks of dimensions by name.
  bool keepsText = false;
  std::vector<SoughtOp> sought;
  /// Every op name that it matches by, anywhere.
  std::vector<std::string> matchedNames;
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

struct StagedSketch;

struct BoundSketch::Storage {
  std::shared_ptr<const SketchTemplate> sketch;
  SubgraphDescriptor descriptor;
  TargetDescription target;
  DimensionTable dimensions;
  llvm::SmallVector<Knob> knobs;
  unsigned lanes = 1;
  /// Of a subgraph of several stages: what it is composed of; `sketch` has no
  /// sequences then.
  std::shared_ptr<const StagedSketch> staged;
};

/// Reads the sketches of a parsed text: the library's own, or a user's from the
/// file `fileName`, whose text is `text`. Fails, with errors located in it,
/// when one is not well formed or a user's file has none.
using SketchTemplates =
    llvm::SmallVector<std::shared_ptr<const SketchTemplate>>;
mlir::FailureOr<SketchTemplates>
readLibrarySketches(mlir::OwningOpRef<mlir::ModuleOp> module);
mlir::FailureOr<SketchTemplates>
readUserSketches(mlir::OwningOpRef<mlir::ModuleOp> module,
                 llvm::StringRef fileName, llvm::StringRef text);

/// Reads knobs, tilings and what is matched of the sequences of `sketch`.
mlir::LogicalResult readSequences(SketchTemplate &sketch);

/// The knobs of the sequences `roots` and of those that they use, in an order
/// in which guards name earlier ones. What has `selected` already is decided
/// and no knob. Fails with an error at the op that is wrong.
mlir::FailureOr<std::vector<KnobSpec>>
readKnobs(llvm::ArrayRef<mlir::transform::NamedSequenceOp> roots);

/// Reads what the sketch matches by name into `sought` and `matchedNames`.
void readMatches(SketchTemplate &sketch);
/// Reads `matchedNames` alone: for a sketch that says itself what it takes.
void readMatchedNames(SketchTemplate &sketch);

/// Fails, with an error at the op, where a user's sequence does what is done
/// after it, or what no interpreter of 22.1 does.
mlir::LogicalResult refuseLowering(mlir::transform::NamedSequenceOp root);

/// The sequences that `root` uses, directly or not, itself first.
llvm::SmallVector<mlir::transform::NamedSequenceOp>
reachableSequences(mlir::transform::NamedSequenceOp root);

/// The guard of an op by the alternatives around it, as far as these are open.
Knob::Guard guardOf(mlir::Operation *op);

/// What names the choice of the alternatives: the knob that their param comes
/// from, or they themselves; nothing where `selected_region` is given. Fails
/// with an error at the op where the param comes from elsewhere.
mlir::FailureOr<std::optional<std::string>>
selectorOf(mlir::Operation *alternatives);

/// The text of a user's sketch with the choices filled in, under the names of a
/// schedule: @NAME__tensor, @NAME__vector, @NAME__helper_* for what they use,
/// and @NAME__written where @NAME__tensor has to prepare the subgraph for it.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
fillSchedule(const BoundSketch::Storage &bound, const Choices &choices,
             llvm::StringRef name);

/// Sets the integer attributes that `diffuse.bind` of `op` ties to knobs; those
/// of knobs that have no choice stay.
void bindAttributes(mlir::Operation *op, const Choices &choices);

/// Reads the tiling that `op` states by its `diffuse.walk`. Fails with an error
/// at `op` when the attributes contradict the op.
mlir::FailureOr<TileStep> readTileStep(mlir::Operation *op);

/// Why the sketch does not take the subgraph, by its `diffuse.sketch` attribute
/// or by what it matches; empty when it does.
std::string whyNotTaken(const SketchTemplate &sketch,
                        const SubgraphDescriptor &descriptor,
                        const DimensionTable &dimensions,
                        const TargetDescription &target);

/// The same of what a user's sketch looks for.
std::string whyNotFound(const SketchTemplate &sketch,
                        const SubgraphDescriptor &descriptor);

/// Fails with an error at the knob where its options are no domain: empty, a
/// range without an end or step, words that are not known.
mlir::LogicalResult checkOptions(mlir::Operation *knob,
                                 mlir::Attribute options);

/// Whether some option of a list is no integer: then the knob's values number
/// the options.
bool areNumbered(mlir::Attribute options);

/// The attribute that a value of the knob stands for, of the type `type` where
/// the options do not say.
mlir::Attribute optionOf(mlir::Attribute options, int64_t value,
                         mlir::Type type);

/// Whether a knob's `options` depend on the subgraph or the target.
bool isNamedDomain(mlir::Attribute options);

/// Most values that a range may have.
inline constexpr uint64_t kMaxRangeValues = 4096;

/// Whether `options` are a range of more values than that.
bool hasTooManyValues(mlir::Attribute options);

/// Names of dimensions that some subgraph has.
bool isDimensionName(llvm::StringRef name);

/// The dimension that the values depend on, or empty.
llvm::StringRef dimensionOf(mlir::Attribute options);

/// The values a knob's `options` stand for, ascending; empty when it has none
/// for this subgraph, and then the sketch does not take it. Of a range at most
/// kMaxRangeValues.
llvm::SmallVector<int64_t> evaluateDomain(mlir::Attribute options,
                                          const DimensionTable &dimensions,
                                          unsigned lanes);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_SKETCHTEMPLATE_H
