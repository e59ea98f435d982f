// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of candidates: winners are run again and again, in turn with the
// default schedule, and need not be compiled as often.

#ifndef DIFFUSE_LIB_TUNING_COMPILEDCANDIDATES_H
#define DIFFUSE_LIB_TUNING_COMPILEDCANDIDATES_H

#include "TuningParts.h"

#include <list>

namespace diffuse {

/// A candidate's library, or how it failed to compile.
struct CompiledCandidate {
  CompileRequest request;
  CompileOutcome outcome;
  /// It was compiled for this call.
  bool isNew = true;
  /// There was a file, which those who clean up may take away.
  bool hasFile = false;
};

class CompiledCandidates {
public:
  explicit CompiledCandidates(const TuningParts &parts) : parts(parts) {}
  ~CompiledCandidates();
  CompiledCandidates(const CompiledCandidates &) = delete;
  CompiledCandidates &operator=(const CompiledCandidates &) = delete;

  /// Compiles the schedule `text`, whose digest is `digest`, for a task, unless
  /// that was done lately and the file is still there; it stays until four
  /// others were compiled.
  CompiledCandidate get(unsigned task, const std::string &text,
                        const std::string &digest);

  /// Begins to compile what `get` will be asked for soon.
  void begin(unsigned task, const std::string &text, const std::string &digest);

private:
  CompileRequest requestFor(unsigned task, const std::string &text,
                            const std::string &digest) const;
  /// Of those kept and still there; moves it to the front.
  const CompiledCandidate *find(const CompileRequest &request);

  TuningParts parts;
  /// The latest used first; only those that compiled.
  std::list<CompiledCandidate> kept;
};

} // namespace diffuse

#endif // DIFFUSE_LIB_TUNING_COMPILEDCANDIDATES_H
