// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompiledCandidates.h"

#include "Diffuse/IR/Names.h"

#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace diffuse;

/// Libraries that are kept; a decision between two candidates needs two.
static constexpr size_t kKept = 4;

CompiledCandidates::~CompiledCandidates() {
  for (const CompiledCandidate &candidate : kept)
    unlink(candidate.request.libraryPath.c_str());
}

CompileRequest CompiledCandidates::requestFor(unsigned task,
                                              const std::string &text,
                                              const std::string &digest) const {
  CompileRequest request;
  request.subgraph = parts.searchTasks[task].descriptor.exactHash;
  request.schedule = text;
  request.sequence = kScheduleName.str() + kTensorSuffix.str();
  request.libraryPath = parts.pathFor(task, "." + digest + ".so");
  return request;
}

const CompiledCandidate *
CompiledCandidates::find(const CompileRequest &request) {
  auto found = llvm::find_if(kept, [&](const CompiledCandidate &candidate) {
    return candidate.request == request;
  });
  if (found == kept.end())
    return nullptr;
  if (found->hasFile && !llvm::sys::fs::exists(request.libraryPath)) {
    kept.erase(found);
    return nullptr;
  }
  kept.splice(kept.begin(), kept, found);
  return &kept.front();
}

CompiledCandidate CompiledCandidates::get(unsigned task,
                                          const std::string &text,
                                          const std::string &digest) {
  CompileRequest request = requestFor(task, text, digest);
  if (const CompiledCandidate *known = find(request)) {
    CompiledCandidate again = *known;
    again.isNew = false;
    return again;
  }
  CompiledCandidate compiled{request, parts.compiler.compile(request)};
  if (compiled.outcome.failure != FailureKind::None)
    return compiled;
  compiled.hasFile = llvm::sys::fs::exists(request.libraryPath);
  kept.push_front(compiled);
  if (kept.size() > kKept) {
    unlink(kept.back().request.libraryPath.c_str());
    kept.pop_back();
  }
  return compiled;
}

void CompiledCandidates::begin(unsigned task, const std::string &text,
                               const std::string &digest) {
  CompileRequest request = requestFor(task, text, digest);
  if (!find(request))
    parts.compiler.compileAhead(request);
}
