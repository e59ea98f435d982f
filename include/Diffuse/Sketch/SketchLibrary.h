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
#include <memory>
#include <string>

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
};

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
  /// Number of points of the product of all domains, legal or not.
  double spaceSize() const;
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

/// The sketches known in one context.
class SketchLibrary {
public:
  /// The project's own sketches. Loads the dialects they need. Fails, with
  /// diagnostics emitted, only when the build embedded a broken sketch.
  static mlir::FailureOr<SketchLibrary> builtin(mlir::MLIRContext *context);
  /// Sketches written by a user, in the same form. Fails with diagnostics
  /// located in `text` when one is not well formed.
  static mlir::FailureOr<SketchLibrary> parse(llvm::StringRef text,
                                              llvm::StringRef fileName,
                                              mlir::MLIRContext *context);

  /// Appends the sketches of `other`; they come after those already here.
  void append(const SketchLibrary &other);
  llvm::SmallVector<std::string> names() const;

  /// The sketches that take the subgraph on that target, best first by what
  /// is known without measuring. Empty when none does.
  /// Under strict numerics no sketch takes floating-point sums: all of them
  /// use fused multiply-adds or partial sums.
  llvm::SmallVector<BoundSketch>
  bind(const SubgraphDescriptor &descriptor, const TargetDescription &target,
       Numerics numerics = Numerics::Default) const;

private:
  llvm::SmallVector<std::shared_ptr<const SketchTemplate>> sketches;
};

} // namespace diffuse

#endif // DIFFUSE_SKETCH_SKETCHLIBRARY_H
