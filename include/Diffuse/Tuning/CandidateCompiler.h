// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a subgraph and a schedule, both as text, to a library that the measurer
// can load. Text in, path out: the work may be done by another process.

#ifndef DIFFUSE_TUNING_CANDIDATECOMPILER_H
#define DIFFUSE_TUNING_CANDIDATECOMPILER_H

#include "Diffuse/Support/FailureKind.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace diffuse {

/// One compilation.
struct CompileRequest {
  /// Hash under which the subgraph was added.
  std::string subgraph;
  /// Module text with the schedule's sequences; empty for the unscheduled
  /// lowering.
  std::string schedule;
  /// Name of the tensor sequence in `schedule`.
  std::string sequence;
  /// Where to write the library; empty only tells whether it compiles.
  std::string libraryPath;
  /// Compile under strict numerics, whatever the mode of the run: for
  /// references, which must not take the liberties that they are to judge.
  bool strict = false;
  /// Level of LLVM's optimizer, 0 to 3. The least for code that runs once and
  /// has little to do: compiling it would take longer than running it.
  unsigned optLevel = 2;
};

bool operator==(const CompileRequest &a, const CompileRequest &b);

/// What came of it. A failure is data: it becomes a record.
struct CompileOutcome {
  FailureKind failure = FailureKind::None;
  std::string message;
  /// Symbol of the compiled subgraph in the library.
  std::string symbol;
  /// Scratch memory that a run needs.
  uint64_t workspaceBytes = 0;
  /// Wall time of the compilation itself, without waiting for its turn.
  double seconds = 0;
};

class CandidateCompiler {
public:
  virtual ~CandidateCompiler();

  /// Makes a subgraph known: `moduleText` holds its function, named `function`.
  /// Fails where the text cannot be taken in.
  virtual llvm::Error addSubgraph(llvm::StringRef hash,
                                  llvm::StringRef moduleText,
                                  llvm::StringRef function) = 0;

  /// Compiles one candidate of a subgraph added before.
  virtual CompileOutcome compile(const CompileRequest &request) = 0;

  /// Whether a core is free to compile on while another one measures.
  virtual bool compilesAhead() const { return false; }
  /// Begins what `compile` will be asked for next, where it compilesAhead;
  /// another request of this kind takes its place.
  virtual void compileAhead(const CompileRequest &) {}
  /// Ends what was begun ahead, which nobody will ask for.
  virtual void dropAhead() {}
};

} // namespace diffuse

#endif // DIFFUSE_TUNING_CANDIDATECOMPILER_H
