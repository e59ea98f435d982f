// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words stand in record files: never change one.

#include "Diffuse/Support/FailureKind.h"

#include "Diffuse/Support/Errors.h"

using namespace diffuse;

namespace {
struct NamedKind {
  FailureKind kind;
  llvm::StringLiteral word;
};
} // namespace

static constexpr NamedKind kinds[] = {
    {FailureKind::None, "none"},
    {FailureKind::CompileError, "compile-error"},
    {FailureKind::CompileCrash, "compile-crash"},
    {FailureKind::CompileTimeout, "compile-timeout"},
    {FailureKind::CompileMemory, "compile-memory"},
    {FailureKind::RunCrash, "run-crash"},
    {FailureKind::RunTimeout, "run-timeout"},
    {FailureKind::RunMemory, "run-memory"},
    {FailureKind::WrongAnswer, "wrong-answer"},
    {FailureKind::OutOfBounds, "out-of-bounds"},
    {FailureKind::SlowerInNetwork, "slower-in-network"},
    {FailureKind::Unmeasurable, "unmeasurable"}};

bool diffuse::dependsOnMachine(FailureKind kind) {
  return kind == FailureKind::CompileTimeout ||
         kind == FailureKind::CompileMemory ||
         kind == FailureKind::RunTimeout || kind == FailureKind::RunMemory ||
         kind == FailureKind::SlowerInNetwork;
}

llvm::StringRef diffuse::printFailureKind(FailureKind kind) {
  for (const NamedKind &named : kinds)
    if (named.kind == kind)
      return named.word;
  llvm_unreachable("unknown failure kind");
}

llvm::Expected<FailureKind> diffuse::parseFailureKind(llvm::StringRef word) {
  for (const NamedKind &named : kinds)
    if (named.word == word)
      return named.kind;
  return makeError("unknown failure kind '" + word + "'");
}
