// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Records/RunOutcome.h"

#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"
#include "MemberWriter.h"

using namespace diffuse;

std::string diffuse::printPosition(llvm::ArrayRef<int64_t> position) {
  std::string text;
  for (int64_t index : position)
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "[" + text + "]";
}

static Json toJson(const AnswerElement &element) {
  Json json = Json::object();
  json.set("result", element.result)
      .set("position", Json::arrayOf(element.position));
  return json;
}

static llvm::Error fromJson(const Json &value,
                            std::optional<AnswerElement> &element) {
  element.emplace();
  JsonFields fields(value, "element");
  fields.require("result", element->result);
  fields.require("position", element->position);
  return fields.takeError();
}

void diffuse::setOutcome(Json &json, const RunOutcome &outcome) {
  json.set("failure", printFailureKind(outcome.failure));
  MemberWriter members(json);
  members.text("message", outcome.message);
  members.list("samples_us", outcome.samplesMicros);
  members.flag("dropped", outcome.isDropped);
  members.number("max_rel_error", outcome.maxRelativeError);
  if (outcome.wrongElement)
    json.set("wrong_element", toJson(*outcome.wrongElement));
  members.number("compute_us", outcome.calibration.computeMicros);
  members.number("copy_us", outcome.calibration.copyMicros);
  members.flag("shared_core", outcome.sharedCore);
  members.flag("unreserved_core", outcome.unreservedCore);
}

void diffuse::readOutcome(JsonFields &fields, RunOutcome &outcome) {
  fields.require("failure", [&](const Json &member) -> llvm::Error {
    const std::string *word = member.asString();
    llvm::Expected<FailureKind> kind = parseFailureKind(word ? *word : "");
    if (!kind)
      return kind.takeError();
    outcome.failure = *kind;
    return llvm::Error::success();
  });
  fields.allow("message", outcome.message);
  fields.allow("samples_us", outcome.samplesMicros);
  fields.allow("dropped", outcome.isDropped);
  fields.allow("max_rel_error", outcome.maxRelativeError);
  fields.allow("wrong_element", [&](const Json &member) {
    return fromJson(member, outcome.wrongElement);
  });
  fields.allow("compute_us", outcome.calibration.computeMicros);
  fields.allow("copy_us", outcome.calibration.copyMicros);
  fields.allow("shared_core", outcome.sharedCore);
  fields.allow("unreserved_core", outcome.unreservedCore);
}

llvm::Error diffuse::checkSamples(const RunOutcome &outcome, bool needsTimes) {
  if (needsTimes && outcome.succeeded() && outcome.samplesMicros.empty())
    return makeError("measurement succeeded but has no samples");
  for (double sample : outcome.samplesMicros)
    if (!(sample > 0))
      return makeError("measurement has a sample that is not positive");
  return llvm::Error::success();
}
