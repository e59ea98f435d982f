// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sketches are transform IR with open choices. The library parses them once a
// context and binds them to a subgraph and a target, which evaluates the
// domains of their knobs. docs/add-a-sketch.md describes the IR form.

#ifndef DIFFUSE_SKETCH_SKETCHLIBRARY_H
#define DIFFUSE_SKETCH_SKETCHLIBRARY_H

#include "Diffuse/Sketch/Candidate.h"
#include "Diffuse/Support/Numerics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace diffuse {

struct SubgraphDescriptor;
struct TargetDescription;
struct SketchTemplate;

/// One open choice of a bound sketch.
struct Knob {
  std::string name;
  /// Legal values by themselves, ascending, never empty.
  llvm::SmallVector<int64_t> domain;
  /// What the value is: `register_tile`, `cache_tile`, `tile`, `unroll`,
  /// `pack`, `order`, `form`; empty when the sketch does not say.
  std::string role;
  /// The dimension it belongs to (`m`, `image1`, ...), or empty.
  std::string dim;
  /// 0 is the outermost tiling.
  unsigned level = 0;
  /// Of a knob inside alternatives: choices of knobs before it, by name. It is
  /// open where all of one of these hold, and is no choice elsewhere. Empty:
  /// it is always open.
  using Guard = std::map<std::string, int64_t>;
  std::vector<Guard> guards;
};

/// Whether the knob is open, given the choices of the knobs before it.
bool isOpen(const Knob &knob, const Choices &choices);

struct SketchPart;

/// A sketch bound to one subgraph and target, its domains evaluated. A cheap
/// handle; the context it was parsed in must outlive it.
class BoundSketch {
public:
  llvm::StringRef name() const;
  llvm::ArrayRef<Knob> knobs() const;
  /// The knob of that name, or null.
  const Knob *findKnob(llvm::StringRef name) const;
  /// Extent of a dimension that knobs name (`rows`, `image1`); 0 where the
  /// subgraph has none of that name or its extent is known only at run time.
  int64_t extentOf(llvm::StringRef dimension) const;
  /// Number of choices, legal or not: the product of the domains, for knobs
  /// inside alternatives the sum over these. Exact up to 2^53; where guards tie
  /// so many choices together that it takes too long to count, no less than it.
  double spaceSize() const;
  /// Arithmetic operations of one call that it schedules; of a composed sketch
  /// those of the stages that have one.
  double coveredFlops() const;
  /// Whether its tilings tell the loop-nest model what the loops are. Without,
  /// nothing is known of a candidate before it is measured.
  bool isModelled() const;
  /// What it is composed of where the subgraph has several stages: the sketches
  /// of those that have one. Empty for other subgraphs.
  std::vector<SketchPart> parts() const;
  /// The text that it was written in by a user; empty for the library's own.
  llvm::StringRef sourceText() const;
  const SubgraphDescriptor &descriptor() const;
  const TargetDescription &target() const;

  /// What instantiate and the loop-nest model read; of no use elsewhere.
  struct Storage;
  explicit BoundSketch(std::shared_ptr<const Storage> storage)
      : storage(std::move(storage)) {}
  const Storage &get() const { return *storage; }

private:
  std::shared_ptr<const Storage> storage;
};

/// A part of a composed sketch: the sketch of one stage.
struct SketchPart {
  BoundSketch sketch;
  /// Before the names of its knobs among those of the whole.
  std::string prefix;
};

/// The sketches known in one context.
class SketchLibrary {
public:
  /// The project's own sketches. Loads the dialects they need. Fails, with
  /// diagnostics emitted, only when the build embedded a broken sketch.
  static mlir::FailureOr<SketchLibrary> builtin(mlir::MLIRContext *context);
  /// Sketches written by a user: sequences with `diffuse.sketch` or, where
  /// there are none, `@__transform_main`, which goes by the name of the file,
  /// or else every sequence that no other one uses. Fails with diagnostics
  /// located in `text` when one is not well formed or there is none.
  static mlir::FailureOr<SketchLibrary> parse(llvm::StringRef text,
                                              llvm::StringRef fileName,
                                              mlir::MLIRContext *context);

  /// Appends the sketches of `other`; they come after those already here. Fails
  /// with a diagnostic at the second of two sketches of one name.
  llvm::LogicalResult append(const SketchLibrary &other);
  /// The same for the one of that name, where there is one.
  llvm::LogicalResult appendOne(const SketchLibrary &other,
                                llvm::StringRef name);
  llvm::SmallVector<std::string> names() const;
  bool empty() const { return sketches.empty(); }

  /// The sketches that take the subgraph on that target, best first by what
  /// is known without measuring. Empty when none does. A subgraph of several
  /// stages takes sketches composed of the library's own for each.
  /// Under strict numerics no sketch takes floating-point sums: all of them
  /// use fused multiply-adds or partial sums.
  llvm::SmallVector<BoundSketch>
  bind(const SubgraphDescriptor &descriptor, const TargetDescription &target,
       Numerics numerics = Numerics::Default) const;

  /// Why the sketch of that name does not take the subgraph; empty when it
  /// does.
  std::string whyNot(llvm::StringRef name, const SubgraphDescriptor &descriptor,
                     const TargetDescription &target,
                     Numerics numerics = Numerics::Default) const;

private:
  llvm::SmallVector<std::shared_ptr<const SketchTemplate>> sketches;
};

} // namespace diffuse

#endif // DIFFUSE_SKETCH_SKETCHLIBRARY_H
