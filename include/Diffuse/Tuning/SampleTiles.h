// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where plain loops take too long to compute a whole answer, a part of it has
// to do: the places where schedules go wrong, and some where nobody would look.

#ifndef DIFFUSE_TUNING_SAMPLETILES_H
#define DIFFUSE_TUNING_SAMPLETILES_H

#include "Diffuse/Support/Boundary.h"
#include "Diffuse/Support/OutputTile.h"

namespace diffuse {

/// Tiles to check an answer by: of each destination its corners, places on its
/// edges and others inside, drawn from `seed`; at least kSampledElements
/// elements, or all of a destination that has no more. Extents must be known.
inline constexpr int64_t kSampledElements = 1000;
std::vector<OutputTile> sampleTiles(llvm::ArrayRef<BoundaryArgument> boundary,
                                    uint64_t seed);

} // namespace diffuse

#endif // DIFFUSE_TUNING_SAMPLETILES_H
