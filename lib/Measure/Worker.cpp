// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One job at a time, in order: two runs at once would disturb each other.

#include "Diffuse/Measure/Worker.h"

#include "Diffuse/Support/Descriptor.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/JsonFields.h"
#include "Diffuse/Support/Version.h"

#include <cerrno>
#include <unistd.h>

using namespace diffuse;
using llvm::StringRef;

/// False where nobody reads any more.
static bool writeLine(int output, const Json &json) {
  return !writeAll(output, json.dump() + "\n");
}

static llvm::Expected<Json> answerJob(StringRef line, Measurer &measurer) {
  llvm::Expected<Json> json = Json::parse(line);
  if (!json)
    return json.takeError();
  JsonFields fields(*json, "job");
  uint64_t job = 0;
  MeasureRequest request;
  fields.require("job", job);
  fields.require("request", [&](const Json &member) -> llvm::Error {
    llvm::Expected<MeasureRequest> parsed = parseMeasureRequest(member);
    if (!parsed)
      return parsed.takeError();
    request = std::move(*parsed);
    return llvm::Error::success();
  });
  if (llvm::Error error = fields.takeError())
    return error;
  Json answer = Json::object();
  answer.set("job", job).set("result", toJson(measurer.measure(request)));
  return answer;
}

static bool answerLine(int output, StringRef line, Measurer &measurer) {
  llvm::Expected<Json> answer = answerJob(line, measurer);
  if (answer)
    return writeLine(output, *answer);
  Json complaint = Json::object();
  complaint.set("error", llvm::toString(answer.takeError()));
  return writeLine(output, complaint);
}

/// Answers the whole lines in `buffered` and keeps the rest.
static bool answerLines(int output, std::string &buffered, Measurer &measurer) {
  StringRef rest = buffered;
  while (rest.contains('\n')) {
    auto [line, after] = rest.split('\n');
    if (!line.trim().empty() && !answerLine(output, line, measurer))
      return false;
    rest = after;
  }
  buffered = rest.str();
  return true;
}

int diffuse::runWorker(int input, int output) {
  Json greeting = Json::object();
  greeting.set("worker", "diffuse-measure")
      .set("version", toolVersion())
      .set("protocol", kWorkerProtocol)
      .set("measuring_protocol", kMeasuringProtocol);
  ForkMeasurer measurer(ForkMeasurer::kKeptBytes, output);
  if (std::optional<int> core = measurer.core())
    greeting.set("core", *core);
  if (!writeLine(output, greeting))
    return 1;
  std::string buffered;
  char chunk[65536];
  while (true) {
    ssize_t count = ::read(input, chunk, sizeof(chunk));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0;
    buffered.append(chunk, count);
    if (!answerLines(output, buffered, measurer))
      return 1;
  }
}
