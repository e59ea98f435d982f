// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes links between groups plain values.

#ifndef DIFFUSE_LIB_GRAPH_READTHROUGHRESHAPES_H
#define DIFFUSE_LIB_GRAPH_READTHROUGHRESHAPES_H

#include "GroupLinks.h"
#include "ParameterValues.h"

namespace diffuse {

/// Whether the ops of the links' operands can read through all reshapes of
/// `links` at once.
bool canReadThrough(llvm::ArrayRef<GroupLink> links);

/// Makes the operands of `links`, which are all that read their sources, read
/// them without reshapes, which go.
void readThrough(llvm::ArrayRef<GroupLink> links, ParameterValues &parameters);

} // namespace diffuse

#endif // DIFFUSE_LIB_GRAPH_READTHROUGHRESHAPES_H
