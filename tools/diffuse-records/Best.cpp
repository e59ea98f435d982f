// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Records/RecordStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace diffuse;

static Json choicesToJson(const MeasurementRecord &record) {
  Json choices = Json::object();
  for (const auto &[name, value] : record.choices)
    choices.set(name, value);
  return choices;
}

static void printJson(const RecordScope &scope, const BestRecord &best,
                      size_t measurements) {
  Json object = Json::object();
  object.set("exact_hash", scope.exactHash)
      .set("target", scope.target)
      .set("threads", scope.threads)
      .set("numerics", printNumerics(scope.numerics))
      .set("denormals", scope.flushDenormals ? "flush" : "preserve")
      .set("extents", Json::arrayOf(scope.extents))
      .set("codegen", scope.codegen)
      .set("protocol", scope.protocol)
      .set("measurements", uint64_t(measurements))
      .set("micros", best.micros)
      .set("schedule", best.record->identity.schedule)
      .set("sketch", best.record->sketch)
      .set("choices", choicesToJson(*best.record));
  llvm::outs() << object.dump() << "\n";
}

static void printText(const RecordScope &scope, const BestRecord &best,
                      size_t measurements) {
  llvm::outs() << scope.exactHash << " " << scope.target << " threads "
               << scope.threads << " " << printNumerics(scope.numerics)
               << (scope.flushDenormals ? " flush" : "");
  for (int64_t extent : scope.extents)
    llvm::outs() << " x" << extent;
  if (scope.codegen != kCodegenNumber || scope.protocol != kMeasuringProtocol)
    llvm::outs() << " stale";
  llvm::outs() << llvm::format(": %.3f us", best.micros) << ", best of "
               << measurements << " measurements: " << best.record->sketch
               << " " << choicesToJson(*best.record).dump() << "\n";
}

int diffuse::runBest(const RecordsOptions &options) {
  auto store = openRecordStore({"", options.files});
  for (const std::string &problem : store->problems())
    warn(problem);
  for (const RecordScope &scope : store->scopes()) {
    if (!options.target.empty() && scope.target != options.target)
      continue;
    size_t measurements = llvm::count_if(
        store->lookup(scope), [](const MeasurementRecord *record) {
          return record->succeeded() && !record->isDropped;
        });
    if (std::optional<BestRecord> best = findBest(*store, scope))
      options.json ? printJson(scope, *best, measurements)
                   : printText(scope, *best, measurements);
  }
  return 0;
}
