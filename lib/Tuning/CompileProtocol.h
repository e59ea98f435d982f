// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words that the compile server and its client share.

#ifndef DIFFUSE_LIB_TUNING_COMPILEPROTOCOL_H
#define DIFFUSE_LIB_TUNING_COMPILEPROTOCOL_H

#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Json.h"
#include "Diffuse/Tuning/CandidateCompiler.h"

namespace diffuse::protocol {

/// Number of a request, which its answer repeats.
inline constexpr llvm::StringLiteral kRequest = "request";
inline constexpr llvm::StringLiteral kError = "error";
inline constexpr llvm::StringLiteral kOptions = "options";
inline constexpr llvm::StringLiteral kTarget = "target";
inline constexpr llvm::StringLiteral kNumerics = "numerics";
inline constexpr llvm::StringLiteral kFlush = "flush_denormals";
inline constexpr llvm::StringLiteral kSubgraph = "subgraph";
inline constexpr llvm::StringLiteral kText = "text";
inline constexpr llvm::StringLiteral kFunction = "function";
inline constexpr llvm::StringLiteral kCompile = "compile";

Json compileRequest(const CompileRequest &request, const ChildLimits &limits);
llvm::Error parseCompileRequest(const Json &value, CompileRequest &request,
                                ChildLimits &limits);

Json toJson(const CompileOutcome &outcome);
llvm::Expected<CompileOutcome> parseOutcome(const Json &value);

} // namespace diffuse::protocol

#endif // DIFFUSE_LIB_TUNING_COMPILEPROTOCOL_H
