// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that hold their default are left out of a line: a record file has
// very many lines.

#include "Diffuse/Records/MeasurementRecord.h"

#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"

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

namespace {
/// Sets members that differ from their default.
class LineWriter {
public:
  LineWriter(llvm::StringRef kind) { json.set("kind", kind).set("format", 1); }

  /// Something that readers of older formats would miss.
  template <typename T>
  void since(unsigned format, llvm::StringRef name, T value) {
    json.set("format", format).set(name, value);
  }

  void text(llvm::StringRef name, const std::string &value) {
    if (!value.empty())
      json.set(name, value);
  }
  void number(llvm::StringRef name, double value) {
    // JSON has no infinities.
    double limit = std::numeric_limits<double>::max();
    if (value != 0)
      json.set(name,
               std::isnan(value) ? limit : std::clamp(value, -limit, limit));
  }
  template <typename T>
  void list(llvm::StringRef name, const std::vector<T> &values) {
    if (!values.empty())
      json.set(name, Json::arrayOf(values));
  }
  template <typename T>
  void map(llvm::StringRef name, const std::map<std::string, T> &values) {
    if (values.empty())
      return;
    Json object = Json::object();
    for (const auto &[key, value] : values)
      object.set(key, value);
    json.set(name, std::move(object));
  }

  Json json = Json::object();
};
} // namespace

static void writeIdentity(LineWriter &line, const RecordIdentity &identity) {
  const RecordScope &scope = identity.scope;
  line.json.set("exact_hash", scope.exactHash)
      .set("target", scope.target)
      .set("threads", scope.threads)
      .set("numerics", printNumerics(scope.numerics))
      .set("codegen", scope.codegen)
      .set("protocol", scope.protocol)
      .set("schedule", identity.schedule);
  line.list("extents", scope.extents);
  if (scope.flushDenormals)
    line.since(2, "denormals", kFlush);
}

Json diffuse::toJson(const MeasurementRecord &record) {
  LineWriter line("measurement");
  writeIdentity(line, record.identity);
  line.text("structure_hash", record.structureHash);
  line.text("family_hash", record.familyHash);
  line.text("sketch", record.sketch);
  line.map("choices", record.choices);
  line.json.set("failure", printFailureKind(record.failure));
  line.text("message", record.message);
  line.list("samples_us", record.samplesMicros);
  if (record.isDropped)
    line.since(2, "dropped", true);
  line.number("max_rel_error", record.maxRelativeError);
  line.text("machine", record.machine);
  line.number("compute_us", record.calibration.computeMicros);
  line.number("copy_us", record.calibration.copyMicros);
  line.map("facts", record.facts);
  line.text("tool", record.tool);
  line.text("llvm", record.llvm);
  line.json.set("seed", record.seed);
  line.number("compile_s", record.compileSeconds);
  line.number("run_s", record.runSeconds);
  line.number("search_s", record.searchSeconds);
  return std::move(line.json);
}

Json diffuse::toJson(const SubgraphRecord &record) {
  LineWriter line("subgraph");
  line.json.set("exact_hash", record.exactHash).set("text", record.text);
  return std::move(line.json);
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

static void readFailure(JsonFields &fields, FailureKind &failure) {
  fields.require("failure", [&](const Json &member) -> llvm::Error {
    const std::string *word = member.asString();
    auto kind = parseFailureKind(word ? *word : "");
    if (!kind)
      return kind.takeError();
    failure = *kind;
    return llvm::Error::success();
  });
}

/// A success without a time, or with one that no clock gives, would win every
/// comparison.
static llvm::Error checkSamples(const MeasurementRecord &record) {
  if (record.succeeded() && record.samplesMicros.empty())
    return makeError("measurement succeeded but has no samples");
  for (double sample : record.samplesMicros)
    if (!(sample > 0))
      return makeError("measurement has a sample that is not positive");
  return llvm::Error::success();
}

llvm::Expected<MeasurementRecord> diffuse::parseMeasurement(const Json &line) {
  MeasurementRecord record;
  JsonFields fields(line, "measurement");
  readIdentity(fields, record.identity);
  readFailure(fields, record.failure);
  fields.allow("structure_hash", record.structureHash);
  fields.allow("family_hash", record.familyHash);
  fields.allow("sketch", record.sketch);
  fields.allow("choices", record.choices);
  fields.allow("message", record.message);
  fields.allow("samples_us", record.samplesMicros);
  fields.allow("dropped", record.isDropped);
  fields.allow("max_rel_error", record.maxRelativeError);
  fields.allow("machine", record.machine);
  fields.allow("compute_us", record.calibration.computeMicros);
  fields.allow("copy_us", record.calibration.copyMicros);
  fields.allow("facts", record.facts);
  fields.allow("tool", record.tool);
  fields.allow("llvm", record.llvm);
  fields.allow("seed", record.seed);
  fields.allow("compile_s", record.compileSeconds);
  fields.allow("run_s", record.runSeconds);
  fields.allow("search_s", record.searchSeconds);
  if (llvm::Error error = fields.takeError())
    return error;
  if (llvm::Error error = checkSamples(record))
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
