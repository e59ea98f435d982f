// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is different about a nest whose iterations are the threads of a GPU.

#ifndef DIFFUSE_LIB_SKETCH_GPUNEST_H
#define DIFFUSE_LIB_SKETCH_GPUNEST_H

#include "NestBuilder.h"

namespace diffuse {

/// Fills in what a launch of the nest looks like: threads, blocks, registers a
/// thread may have, and the bytes that blocks fetch. Knobs of the role
/// `threads` say how many iterations along their dimension share a block.
void modelLaunch(const BoundSketch::Storage &bound, const Choices &choices,
                 const BuiltNest &nest, LoopNest &model);

/// The soft maximum of the times in the multiply-add units, stretched by the
/// share of the device that the grid leaves idle, in the L2 cache and in
/// memory.
double launchMicros(const LoopNest &nest, const TargetDescription &target);

} // namespace diffuse

#endif // DIFFUSE_LIB_SKETCH_GPUNEST_H
