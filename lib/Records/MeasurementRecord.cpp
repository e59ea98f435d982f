// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Records/MeasurementRecord.h"

#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"
#include "MemberWriter.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace diffuse;

/// Words of the mode in which denormals are computed.
static constexpr llvm::StringLiteral kFlush = "flush", kPreserve = "preserve";

StableHash RecordScope::key() const {
  return StableHasher()
      .addString(exactHash)
      .addString(target)
      .addUnsigned(threads)
      .addString(printNumerics(numerics))
      .addBool(flushDenormals)
      .addIntegers(extents)
      .addUnsigned(codegen)
      .addUnsigned(protocol)
      .finish();
}

StableHash RecordIdentity::key() const {
  return StableHasher().addHash(scope.key()).addString(schedule).finish();
}

double diffuse::latencyMicros(llvm::ArrayRef<double> samplesMicros) {
  if (samplesMicros.empty())
    return std::numeric_limits<double>::infinity();
  std::vector<double> sorted = samplesMicros.vec();
  auto quartile = sorted.begin() + (sorted.size() - 1) / 4;
  std::nth_element(sorted.begin(), quartile, sorted.end());
  return *quartile;
}

//===-- writing -----------------------------------------------------------===//

/// A line of the oldest format that its members can be read by.
static Json makeLine(llvm::StringRef kind, unsigned format = 1) {
  Json line = Json::object();
  line.set("kind", kind).set("format", format);
  return line;
}

static void setIdentity(Json &line, const RecordIdentity &identity) {
  const RecordScope &scope = identity.scope;
  line.set("exact_hash", scope.exactHash)
      .set("target", scope.target)
      .set("threads", scope.threads)
      .set("numerics", printNumerics(scope.numerics))
      .set("codegen", scope.codegen)
      .set("protocol", scope.protocol)
      .set("schedule", identity.schedule);
  MemberWriter(line).list("extents", scope.extents);
  if (scope.flushDenormals)
    line.set("denormals", kFlush);
}

/// What a reader of the format before would take for something else.
static unsigned formatOf(const MeasurementRecord &record) {
  if (record.failure == FailureKind::SlowerInNetwork)
    return record.isWithdrawn ? 4 : 3;
  return record.identity.scope.flushDenormals || record.isDropped ? 2 : 1;
}

Json diffuse::toJson(const MeasurementRecord &record) {
  Json line = makeLine("measurement", formatOf(record));
  setIdentity(line, record.identity);
  setOutcome(line, record);
  line.set("seed", record.seed);
  MemberWriter members(line);
  members.text("structure_hash", record.structureHash);
  members.text("family_hash", record.familyHash);
  members.text("sketch", record.sketch);
  members.map("choices", record.choices);
  members.text("compared_with", record.comparedWith);
  members.text("default_schedule", record.defaultSchedule);
  members.flag("withdrawn", record.isWithdrawn);
  members.text("sketch_text", record.sketchText);
  members.text("machine", record.machine);
  members.map("facts", record.facts);
  members.text("tool", record.tool);
  members.text("llvm", record.llvm);
  members.number("compile_s", record.compileSeconds);
  members.number("run_s", record.runSeconds);
  members.number("search_s", record.searchSeconds);
  return line;
}

Json diffuse::toJson(const SubgraphRecord &record) {
  Json line = makeLine("subgraph");
  line.set("exact_hash", record.exactHash).set("text", record.text);
  return line;
}

Json diffuse::toJson(const SketchRecord &record) {
  Json line = makeLine("sketch");
  line.set("digest", record.digest)
      .set("name", record.name)
      .set("text", record.text);
  return line;
}

//===-- reading -----------------------------------------------------------===//

static void readIdentity(JsonFields &fields, RecordIdentity &identity) {
  RecordScope &scope = identity.scope;
  fields.require("exact_hash", scope.exactHash);
  fields.require("target", scope.target);
  fields.require("threads", scope.threads);
  fields.require("codegen", scope.codegen);
  fields.require("protocol", scope.protocol);
  fields.require("schedule", identity.schedule);
  fields.allow("extents", scope.extents);
  fields.allow("denormals", [&](const Json &member) -> llvm::Error {
    const std::string *word = member.asString();
    if (!word || (*word != kFlush && *word != kPreserve))
      return makeError("denormals are neither '" + kFlush + "' nor '" +
                       kPreserve + "'");
    scope.flushDenormals = *word == kFlush;
    return llvm::Error::success();
  });
  fields.require("numerics", [&](const Json &member) -> llvm::Error {
    const std::string *word = member.asString();
    auto numerics = parseNumerics(word ? *word : "");
    if (!numerics)
      return numerics.takeError();
    scope.numerics = *numerics;
    return llvm::Error::success();
  });
}

llvm::Expected<MeasurementRecord> diffuse::parseMeasurement(const Json &line) {
  MeasurementRecord record;
  JsonFields fields(line, "measurement");
  readIdentity(fields, record.identity);
  readOutcome(fields, record);
  fields.allow("structure_hash", record.structureHash);
  fields.allow("family_hash", record.familyHash);
  fields.allow("sketch", record.sketch);
  fields.allow("choices", record.choices);
  fields.allow("compared_with", record.comparedWith);
  fields.allow("default_schedule", record.defaultSchedule);
  fields.allow("withdrawn", record.isWithdrawn);
  fields.allow("sketch_text", record.sketchText);
  fields.allow("machine", record.machine);
  fields.allow("facts", record.facts);
  fields.allow("tool", record.tool);
  fields.allow("llvm", record.llvm);
  fields.allow("seed", record.seed);
  fields.allow("compile_s", record.compileSeconds);
  fields.allow("run_s", record.runSeconds);
  fields.allow("search_s", record.searchSeconds);
  if (llvm::Error error = fields.takeError())
    return error;
  if (llvm::Error error = checkSamples(record, /*needsTimes=*/true))
    return error;
  return record;
}

llvm::Expected<SubgraphRecord> diffuse::parseSubgraph(const Json &line) {
  SubgraphRecord record;
  JsonFields fields(line, "subgraph");
  fields.require("exact_hash", record.exactHash);
  fields.require("text", record.text);
  if (llvm::Error error = fields.takeError())
    return error;
  return record;
}

llvm::Expected<SketchRecord> diffuse::parseSketch(const Json &line) {
  SketchRecord record;
  JsonFields fields(line, "sketch");
  fields.require("digest", record.digest);
  fields.require("name", record.name);
  fields.require("text", record.text);
  if (llvm::Error error = fields.takeError())
    return error;
  return record;
}
