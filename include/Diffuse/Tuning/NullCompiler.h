// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TUNING_NULLCOMPILER_H
#define DIFFUSE_TUNING_NULLCOMPILER_H

#include "Diffuse/Tuning/CandidateCompiler.h"

namespace diffuse {

/// Compiles nothing and always succeeds: for measurers that run nothing.
class NullCompiler : public CandidateCompiler {
public:
  llvm::Error addSubgraph(llvm::StringRef, llvm::StringRef,
                          llvm::StringRef) override {
    return llvm::Error::success();
  }
  CompileOutcome compile(const CompileRequest &) override { return {}; }
};

} // namespace diffuse

#endif // DIFFUSE_TUNING_NULLCOMPILER_H
