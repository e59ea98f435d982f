// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which candidates are worth compiling.

#ifndef DIFFUSE_SKETCH_LEGALITY_H
#define DIFFUSE_SKETCH_LEGALITY_H

#include "Diffuse/Sketch/SketchLibrary.h"
#include <optional>
#include <string>

namespace diffuse {

/// Why the choices are not one value of its domain for each knob of the sketch
/// and nothing else ("choice 5 for knob 'mr' is not in its domain"), or nothing
/// when they are.
std::optional<std::string> checkChoices(const BoundSketch &sketch,
                                        const Choices &choices);

/// A reason against the candidate, checkChoices first, that names value and
/// limit ("register tile of 16x32 needs 36 of 32 vector registers"), or nothing
/// when it is legal.
std::optional<std::string> checkCandidate(const SubgraphDescriptor &descriptor,
                                          const TargetDescription &target,
                                          const BoundSketch &sketch,
                                          const Choices &choices);

/// Number of legal candidates of a sketch; nothing where more choices than
/// kMaxCounted would have to be looked at one by one.
std::optional<double> countCandidates(const SubgraphDescriptor &descriptor,
                                      const TargetDescription &target,
                                      const BoundSketch &sketch);
inline constexpr double kMaxCounted = 1 << 20;

} // namespace diffuse

#endif // DIFFUSE_SKETCH_LEGALITY_H
