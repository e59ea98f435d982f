// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a search walks the space of a task: random points, neighbours, and the
// projection of a point of another task into this one.

#ifndef DIFFUSE_SEARCH_MOVES_H
#define DIFFUSE_SEARCH_MOVES_H

#include "Diffuse/Search/SearchTask.h"

#include <optional>
#include <random>
#include <vector>

namespace diffuse {

using RandomSource = std::mt19937_64;

/// A number in [0, bound), the same on every standard library.
uint64_t drawBelow(RandomSource &random, uint64_t bound);

/// The sketch of `task` with that name, searched or not, or null.
const BoundSketch *findSketch(const SearchTask &task, llvm::StringRef name);

/// Whether the sketch of that name is one that is searched.
bool isSearched(const SearchTask &task, llvm::StringRef name);

/// The default schedule, or nothing where that is plain loops.
std::optional<Candidate> defaultOf(const SearchTask &task,
                                   const TargetDescription &target);

/// True where the candidate names a sketch of the task, gives each open knob a
/// value of its domain, and is legal on the target.
bool isKnown(const SearchTask &task, const TargetDescription &target,
             const Candidate &candidate);

/// The same for a sketch that is searched: what may be proposed.
bool isLegal(const SearchTask &task, const TargetDescription &target,
             const Candidate &candidate);

/// The loop-nest model's time for a candidate of `task`, in microseconds. Of a
/// sketch that it knows no loops of, a guess that is the same for all
/// candidates: see isModelled.
double estimateMicros(const SearchTask &task, const TargetDescription &target,
                      const Candidate &candidate);

/// A legal candidate, uniform over sketches and knob values; nothing where
/// `attempts` draws found none.
std::optional<Candidate> drawRandom(const SearchTask &task,
                                    const TargetDescription &target,
                                    RandomSource &random,
                                    unsigned attempts = 64);

/// The legal candidates that differ from `center` by one step of one knob, in
/// the order of the knobs.
std::vector<Candidate> neighboursOf(const SearchTask &task,
                                    const TargetDescription &target,
                                    const Candidate &center);

/// The candidate of `task` nearest to `source`: every knob takes the value of
/// its own domain nearest on a logarithmic scale. Nothing where the task has
/// not that sketch or the result is illegal.
std::optional<Candidate> projectCopy(const SearchTask &task,
                                     const TargetDescription &target,
                                     const Candidate &source);

/// As `projectCopy`, after scaling every knob that belongs to a dimension by
/// the ratio of its extents in `task` and in `sourceTask`.
std::optional<Candidate> projectScaled(const SearchTask &task,
                                       const TargetDescription &target,
                                       const SearchTask &sourceTask,
                                       const Candidate &source);

} // namespace diffuse

#endif // DIFFUSE_SEARCH_MOVES_H
