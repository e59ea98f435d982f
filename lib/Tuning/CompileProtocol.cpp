// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompileProtocol.h"

#include "Diffuse/Support/JsonFields.h"

using namespace diffuse;

Json protocol::compileRequest(const CompileRequest &request,
                              const ChildLimits &limits) {
  Json value = Json::object();
  value.set(kCompile, request.subgraph)
      .set("schedule", request.schedule)
      .set("sequence", request.sequence)
      .set("library", request.libraryPath)
      .set("strict", request.strict)
      .set("opt_level", request.optLevel)
      .set("wall_seconds", limits.wallSeconds)
      .set("cpu_seconds", limits.cpuSeconds)
      .set("memory_bytes", limits.memoryBytes);
  return value;
}

llvm::Error protocol::parseCompileRequest(const Json &value,
                                          CompileRequest &request,
                                          ChildLimits &limits) {
  JsonFields fields(value, "compile request");
  fields.require(kCompile, request.subgraph);
  fields.require("schedule", request.schedule);
  fields.require("sequence", request.sequence);
  fields.require("library", request.libraryPath);
  fields.allow("strict", request.strict);
  fields.allow("opt_level", request.optLevel);
  fields.allow("wall_seconds", limits.wallSeconds);
  fields.allow("cpu_seconds", limits.cpuSeconds);
  fields.allow("memory_bytes", limits.memoryBytes);
  return fields.takeError();
}

Json protocol::toJson(const CompileOutcome &outcome) {
  Json value = Json::object();
  value.set("failure", printFailureKind(outcome.failure))
      .set("message", outcome.message)
      .set("symbol", outcome.symbol)
      .set("workspace_bytes", outcome.workspaceBytes)
      .set("seconds", outcome.seconds);
  return value;
}

llvm::Expected<CompileOutcome> protocol::parseOutcome(const Json &value) {
  CompileOutcome outcome;
  std::string failure;
  JsonFields fields(value, "compile outcome");
  fields.require("failure", failure);
  fields.require("message", outcome.message);
  fields.require("symbol", outcome.symbol);
  fields.require("workspace_bytes", outcome.workspaceBytes);
  fields.require("seconds", outcome.seconds);
  if (llvm::Error error = fields.takeError())
    return error;
  llvm::Expected<FailureKind> kind = parseFailureKind(failure);
  if (!kind)
    return kind.takeError();
  outcome.failure = *kind;
  return outcome;
}
