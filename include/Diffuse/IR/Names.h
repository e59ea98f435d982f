// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the discardable attributes that the passes hand to one another.
// They need no dialect, so modules that carry them parse in a plain mlir-opt.

#ifndef DIFFUSE_IR_NAMES_H
#define DIFFUSE_IR_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace diffuse {

/// Prefix of every attribute of the project.
inline constexpr llvm::StringLiteral kAttributePrefix = "diffuse.";

//===-- on functions ------------------------------------------------------===//

/// Unit: the function is a subgraph, the unit of tuning.
inline constexpr llvm::StringLiteral kSubgraphAttr = "diffuse.subgraph";
/// i64: how often one run of the entry calls the subgraph, where known.
inline constexpr llvm::StringLiteral kCallsAttr = "diffuse.calls";
/// Strings of 32 hexadecimal digits.
inline constexpr llvm::StringLiteral kExactHashAttr = "diffuse.exact_hash";
inline constexpr llvm::StringLiteral kStructureHashAttr =
    "diffuse.structure_hash";
inline constexpr llvm::StringLiteral kFamilyHashAttr = "diffuse.family_hash";
/// i64: number of the cluster, counted from 0 in order of first appearance.
inline constexpr llvm::StringLiteral kClusterAttr = "diffuse.cluster";
/// Unit: the subgraph of its cluster that is searched first.
inline constexpr llvm::StringLiteral kRepresentativeAttr =
    "diffuse.representative";
/// Symbol reference to the tensor sequence of the subgraph's schedule.
inline constexpr llvm::StringLiteral kScheduleAttr = "diffuse.schedule";
/// String, the word of a FailureKind: the default schedule of the subgraph
/// failed when it was tuned, so that plain loops take its place.
inline constexpr llvm::StringLiteral kDefaultFailedAttr =
    "diffuse.default_failed";

/// Unit: the tensor part of the subgraph's schedule ran on it. What it is
/// called by (hashes, cluster) is what it was before; marks inside may be gone
/// or stand on several ops, and nothing tunes or schedules it again.
inline constexpr llvm::StringLiteral kAppliedAttr = "diffuse.applied";

//===-- on arguments ------------------------------------------------------===//

/// Unit, or the name of the tensor in a safetensors file: does not change
/// between runs.
inline constexpr llvm::StringLiteral kParameterAttr = "diffuse.parameter";
/// Unit: the argument is written, never read, and returned.
inline constexpr llvm::StringLiteral kDestinationAttr = "diffuse.destination";

//===-- on ops inside a subgraph ------------------------------------------===//

/// Unit: carries most of the work.
inline constexpr llvm::StringLiteral kAnchorAttr = "diffuse.anchor";
/// Unit: its results are what the subgraph returns.
inline constexpr llvm::StringLiteral kRootAttr = "diffuse.root";
/// Unit: elementwise consumer of the anchor.
inline constexpr llvm::StringLiteral kEpilogueAttr = "diffuse.epilogue";
/// Unit: producer of an operand of the anchor.
inline constexpr llvm::StringLiteral kPrologueAttr = "diffuse.prologue";
/// i64: the stage that the op is part of, counted from 0 in the order of the
/// data flow, in a subgraph of several.
inline constexpr llvm::StringLiteral kStageAttr = "diffuse.stage";

/// i64, on a parallel loop of a schedule for a GPU: how many of its iterations
/// run as the threads of one block, along each axis.
inline constexpr llvm::StringLiteral kThreadsXAttr = "diffuse.threads_x";
inline constexpr llvm::StringLiteral kThreadsYAttr = "diffuse.threads_y";
inline constexpr llvm::StringLiteral kThreadsZAttr = "diffuse.threads_z";

//===-- on modules --------------------------------------------------------===//

/// Dictionary: tool, codegen number, LLVM, target, threads, numerics, seed,
/// digest of the records.
inline constexpr llvm::StringLiteral kProvenanceAttr = "diffuse.provenance";
/// Symbol of the nested module that holds the schedules.
/// On the tensor part of a schedule: the sketch and what was chosen, a
/// dictionary.
inline constexpr llvm::StringLiteral kSelectedAttr = "diffuse.selected";
inline constexpr llvm::StringLiteral kSchedulesModule = "diffuse_schedules";
/// Suffixes of the sequences of one schedule.
inline constexpr llvm::StringLiteral kPrepareSuffix = "__prepare";
inline constexpr llvm::StringLiteral kTensorSuffix = "__tensor";
inline constexpr llvm::StringLiteral kVectorSuffix = "__vector";
/// Of the sequence that a user wrote, where the tensor part prepares the
/// subgraph for it, and before the name of one that it uses.
inline constexpr llvm::StringLiteral kWrittenSuffix = "__written";
inline constexpr llvm::StringLiteral kHelperInfix = "__helper_";

} // namespace diffuse

#endif // DIFFUSE_IR_NAMES_H
