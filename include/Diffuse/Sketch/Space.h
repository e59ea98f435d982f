// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices that a sketch leaves, as a set that can be walked. Knobs inside
// alternatives are choices only where their region is taken, so it is no plain
// product; knobs stand in an order in which what decides that comes first.

#ifndef DIFFUSE_SKETCH_SPACE_H
#define DIFFUSE_SKETCH_SPACE_H

#include "Diffuse/Sketch/SketchLibrary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace diffuse {

/// A value for each knob that is open, in order, as `pick` says.
Choices makeChoices(const BoundSketch &sketch,
                    llvm::function_ref<int64_t(const Knob &)> pick);

/// `choices` with those of knobs that are not open left out, and the first
/// value of its domain for each open one that has none.
Choices completeChoices(const BoundSketch &sketch, const Choices &choices);

/// The point after `choices`, the last open knob running fastest; nothing after
/// the last one. The first is completeChoices of none.
std::optional<Choices> nextChoices(const BoundSketch &sketch,
                                   const Choices &choices);

} // namespace diffuse

#endif // DIFFUSE_SKETCH_SPACE_H
