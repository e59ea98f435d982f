// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that code is measured and checked on. A value depends on the seed,
// the argument's position and the element's index alone, so any program, in any
// order, makes the same data.

#ifndef DIFFUSE_MEASURE_TESTDATA_H
#define DIFFUSE_MEASURE_TESTDATA_H

#include "Diffuse/Support/Boundary.h"

namespace diffuse {

/// Fills a buffer (countBytes of them) with values that neither overflow nor
/// vanish over fifty layers. Floating point: inputs uniform in [-1, 1];
/// parameters of rank 2 and more uniform with variance 1 / fan-in, those of
/// rank 1 and 0 uniform in [0.5, 1.5], a variance may be among them.
/// Integers: between least and greatest, else 0 or 1 for i64 and index, which
/// are often positions, and -4 to 4 for the others (0 to 4 where unsigned).
/// Fails on unknown element types and extents.
llvm::Error fillArgument(const BoundaryArgument &argument, uint64_t seed,
                         unsigned position, void *bytes);

/// Value of a scalar argument as its slot holds it: bits, zero-extended.
/// Floating point is uniform in [0.5, 1.5]; integers as in buffers.
llvm::Expected<int64_t> scalarSlot(const BoundaryArgument &argument,
                                   uint64_t seed, unsigned position);

} // namespace diffuse

#endif // DIFFUSE_MEASURE_TESTDATA_H
