// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one line of a record file happen again. The subgraph's text may stand
// before or after it: files are merged in any order.

#include "Commands.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Records/RecordFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Tuning/Reproduce.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

using namespace diffuse;

namespace {
/// A measurement with the text of its subgraph.
struct Line {
  MeasurementRecord record;
  std::string text;
  /// Where it is a user's.
  std::optional<SketchRecord> sketch;
};
} // namespace

static llvm::Expected<Line> findLine(const std::string &file, uint64_t number) {
  std::optional<MeasurementRecord> found;
  std::map<std::string, std::string> texts;
  std::vector<SketchRecord> sketches;
  bool isText = false;
  RecordVisitor visitor{[&](Located<MeasurementRecord> &&line) {
                          if (line.line == number)
                            found = std::move(line.record);
                        },
                        [&](Located<SubgraphRecord> &&line) {
                          isText |= line.line == number;
                          texts.try_emplace(line.record.exactHash,
                                            std::move(line.record.text));
                        },
                        [&](std::string reason) { warn(reason); },
                        [&](Located<SketchRecord> &&line) {
                          isText |= line.line == number;
                          sketches.push_back(std::move(line.record));
                        }};
  ReadPosition start;
  if (llvm::Error error = readRecordFile(file, start, visitor))
    return error;
  std::string place = "line " + std::to_string(number) + " of '" + file + "'";
  if (isText)
    return makeError(place + " holds the text of a subgraph or sketch; name a "
                             "measurement");
  if (!found)
    return makeError(place + " is no measurement; there are " +
                     llvm::Twine(start.line) + " lines");
  auto text = texts.find(found->identity.scope.exactHash);
  if (text == texts.end())
    return makeError("'" + file + "' does not hold the text of subgraph " +
                     found->identity.scope.exactHash);
  std::optional<SketchRecord> sketch;
  for (SketchRecord &held : sketches)
    if (held.digest == found->sketchText && held.name == found->sketch)
      sketch = std::move(held);
  if (!found->sketchText.empty() && !sketch)
    return makeError("'" + file + "' does not hold the text of sketch '" +
                     found->sketch + "'");
  return Line{std::move(*found), text->second, std::move(sketch)};
}

/// Says where code or measuring changed since; the run goes on.
static void warnOfAge(const RecordScope &scope) {
  if (scope.codegen != kCodegenNumber)
    warn("the record is of codegen number " + llvm::Twine(scope.codegen) +
         ", this is " + llvm::Twine(kCodegenNumber));
  if (scope.protocol != kMeasuringProtocol)
    warn("the record is of measuring protocol " + llvm::Twine(scope.protocol) +
         ", this is " + llvm::Twine(kMeasuringProtocol));
}

static void printText(llvm::StringRef when, const RunOutcome &outcome) {
  llvm::outs() << when << printFailureKind(outcome.failure);
  if (outcome.succeeded())
    llvm::outs() << llvm::format(", %.3f us",
                                 latencyMicros(outcome.samplesMicros));
  if (!outcome.message.empty())
    llvm::outs() << ": " << outcome.message;
  llvm::outs() << (outcome.isDropped ? ", far behind\n" : "\n");
}

static void print(const RecordsOptions &options,
                  const MeasurementRecord &recorded, const RunOutcome &now) {
  if (!options.json) {
    printText("recorded: ", recorded);
    printText("now:      ", now);
    return;
  }
  Json then = Json::object(), today = Json::object();
  setOutcome(then, recorded);
  setOutcome(today, now);
  Json object = Json::object();
  object.set("recorded", then)
      .set("now", today)
      .set("same", recorded.failure == now.failure);
  llvm::outs() << object.dump() << "\n";
}

int diffuse::runReproduce(const RecordsOptions &options) {
  llvm::Expected<Line> line = findLine(options.files.front(), options.line);
  if (!line) {
    complain(llvm::toString(line.takeError()));
    return 1;
  }
  warnOfAge(line->record.identity.scope);
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::Expected<RunOutcome> now =
      reproduce(&context, line->record, line->text, line->sketch);
  if (!now) {
    complain(llvm::toString(now.takeError()));
    return 1;
  }
  print(options, line->record, *now);
  return now->failure == line->record.failure ? 0 : 3;
}
