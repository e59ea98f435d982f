// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule that nobody tuned: chosen from descriptor and target alone.

#ifndef DIFFUSE_SKETCH_DEFAULTCANDIDATE_H
#define DIFFUSE_SKETCH_DEFAULTCANDIDATE_H

#include "Diffuse/Sketch/SketchLibrary.h"

namespace diffuse {

/// The legal candidate of least analytic time among a bounded, deterministic
/// enumeration over `sketches`, which must not be empty. Ties go to the first
/// sketch and the smallest choices.
Candidate defaultCandidate(const SubgraphDescriptor &descriptor,
                           const TargetDescription &target,
                           llvm::ArrayRef<BoundSketch> sketches);

} // namespace diffuse

#endif // DIFFUSE_SKETCH_DEFAULTCANDIDATE_H
