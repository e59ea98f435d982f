// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate as plain data: which sketch, and a value for each of its knobs.
// Records, search and workers pass it around without any IR.

#ifndef DIFFUSE_SKETCH_CANDIDATE_H
#define DIFFUSE_SKETCH_CANDIDATE_H

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace diffuse {

/// Knob name -> chosen value, ordered by name so that equal choices print and
/// hash alike.
using Choices = std::map<std::string, int64_t>;

struct Candidate {
  std::string sketch;
  Choices choices;

  bool operator==(const Candidate &other) const {
    return sketch == other.sketch && choices == other.choices;
  }
  bool operator!=(const Candidate &other) const { return !(*this == other); }
  bool operator<(const Candidate &other) const {
    return std::tie(sketch, choices) < std::tie(other.sketch, other.choices);
  }
};

/// `contraction_tile{m=8, n=32}`: for progress lines and messages.
std::string toString(const Candidate &candidate);

} // namespace diffuse

#endif // DIFFUSE_SKETCH_CANDIDATE_H
