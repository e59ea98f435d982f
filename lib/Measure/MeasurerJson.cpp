// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests and results as the worker's protocol carries them.

#include "Diffuse/Measure/Measurer.h"

#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"

using namespace diffuse;

static Json printTolerances(const std::vector<Tolerance> &tolerances) {
  Json::Array list;
  for (const Tolerance &tolerance : tolerances) {
    Json entry = Json::object();
    entry.set("absolute", tolerance.absolute)
        .set("relative", tolerance.relative);
    list.push_back(std::move(entry));
  }
  return Json(std::move(list));
}

static llvm::Error parseTolerances(const Json &value,
                                   std::vector<Tolerance> &tolerances) {
  const Json::Array *list = value.asArray();
  if (!list)
    return makeError("tolerances are no list");
  for (const Json &entry : *list) {
    JsonFields fields(entry, "tolerance");
    Tolerance &tolerance = tolerances.emplace_back();
    fields.require("absolute", tolerance.absolute);
    fields.require("relative", tolerance.relative);
    if (llvm::Error error = fields.takeError())
      return error;
  }
  return llvm::Error::success();
}

static Json printReferences(const std::vector<ExpectedOutputs> &references) {
  Json::Array list;
  for (const ExpectedOutputs &reference : references) {
    Json entry = Json::object();
    entry.set("path", reference.path)
        .set("tiles", toJson(llvm::ArrayRef(reference.tiles)))
        .set("tolerance_factor", reference.toleranceFactor);
    list.push_back(std::move(entry));
  }
  return Json(std::move(list));
}

static llvm::Error parseReferences(const Json &value,
                                   std::vector<ExpectedOutputs> &references) {
  const Json::Array *list = value.asArray();
  if (!list)
    return makeError("references are no list");
  for (const Json &entry : *list) {
    JsonFields fields(entry, "reference");
    ExpectedOutputs &reference = references.emplace_back();
    fields.require("path", reference.path);
    fields.allow("tiles", [&](const Json &tiles) {
      return fromJson(tiles, reference.tiles);
    });
    fields.allow("tolerance_factor", reference.toleranceFactor);
    if (llvm::Error error = fields.takeError())
      return error;
  }
  return llvm::Error::success();
}

Json diffuse::toJson(const MeasureRequest &request) {
  Json json = Json::object();
  json.set("library", request.library)
      .set("symbol", request.symbol)
      .set("workspace_bytes", request.workspaceBytes)
      .set("boundary", toJson(llvm::ArrayRef(request.boundary)))
      .set("dynamic_extents", Json::arrayOf(request.dynamicExtents))
      .set("data_seed", request.dataSeed)
      .set("references", printReferences(request.references))
      .set("write_outputs", request.writeOutputs)
      .set("tolerances", printTolerances(request.tolerances))
      .set("min_seconds", request.repeats.minSeconds)
      .set("min_repeats", request.repeats.minRepeats)
      .set("max_repeats", request.repeats.maxRepeats)
      .set("drop_above_us", request.repeats.dropAboveMicros)
      .set("brief_above_us", request.repeats.briefAboveMicros)
      .set("check_only", request.checkOnly)
      .set("calibrate", request.calibrate)
      .set("threads", request.threads)
      .set("flush_denormals", request.flushDenormals)
      .set("limit_seconds", request.limits.seconds)
      .set("limit_bytes", request.limits.memoryBytes);
  return json;
}

llvm::Expected<MeasureRequest> diffuse::parseMeasureRequest(const Json &value) {
  MeasureRequest request;
  JsonFields fields(value, "request");
  fields.require("library", request.library);
  fields.require("symbol", request.symbol);
  fields.require("boundary", [&](const Json &boundary) {
    return fromJson(boundary, request.boundary);
  });
  fields.allow("workspace_bytes", request.workspaceBytes);
  fields.allow("dynamic_extents", request.dynamicExtents);
  fields.allow("data_seed", request.dataSeed);
  fields.allow("references", [&](const Json &member) {
    return parseReferences(member, request.references);
  });
  fields.allow("write_outputs", request.writeOutputs);
  fields.allow("tolerances", [&](const Json &member) {
    return parseTolerances(member, request.tolerances);
  });
  fields.allow("min_seconds", request.repeats.minSeconds);
  fields.allow("min_repeats", request.repeats.minRepeats);
  fields.allow("max_repeats", request.repeats.maxRepeats);
  fields.allow("drop_above_us", request.repeats.dropAboveMicros);
  fields.allow("brief_above_us", request.repeats.briefAboveMicros);
  fields.allow("check_only", request.checkOnly);
  fields.allow("calibrate", request.calibrate);
  fields.allow("threads", request.threads);
  fields.allow("flush_denormals", request.flushDenormals);
  fields.allow("limit_seconds", request.limits.seconds);
  fields.allow("limit_bytes", request.limits.memoryBytes);
  if (llvm::Error error = fields.takeError())
    return error;
  return request;
}

Json diffuse::toJson(const MeasureResult &result) {
  Json json = Json::object();
  setOutcome(json, result);
  json.set("calls_per_sample", result.callsPerSample)
      .set("parameter_copies", result.parameterCopies)
      .set("seconds", result.seconds)
      .set("unsteady", result.isUnsteady)
      .set("wrong_reference", result.wrongReference);
  return json;
}

llvm::Expected<MeasureResult> diffuse::parseMeasureResult(const Json &value) {
  MeasureResult result;
  JsonFields fields(value, "result");
  readOutcome(fields, result);
  fields.allow("calls_per_sample", result.callsPerSample);
  fields.allow("parameter_copies", result.parameterCopies);
  fields.allow("seconds", result.seconds);
  fields.allow("unsteady", result.isUnsteady);
  fields.allow("wrong_reference", result.wrongReference);
  if (llvm::Error error = fields.takeError())
    return error;
  return result;
}
