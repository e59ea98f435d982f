// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Records/RecordFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace diffuse;

namespace {
/// Counts over one file.
struct Statistics {
  uint64_t measurements = 0;
  uint64_t stale = 0;
  uint64_t passedOver = 0;
  std::set<std::string> subgraphs;
  /// Of users, whose text the file holds.
  std::set<std::string> sketches;
  std::map<std::string, uint64_t> targets;
  std::map<std::string, uint64_t> failures;

  void add(const MeasurementRecord &record) {
    const RecordScope &scope = record.identity.scope;
    ++measurements;
    ++targets[scope.target];
    if (!record.succeeded())
      ++failures[printFailureKind(record.failure).str() +
                 (record.isWithdrawn ? ", withdrawn" : "")];
    stale +=
        scope.codegen != kCodegenNumber || scope.protocol != kMeasuringProtocol;
  }
};
} // namespace

static llvm::Expected<Statistics> readStatistics(const std::string &file,
                                                 llvm::StringRef target) {
  Statistics counts;
  RecordVisitor visitor{[&](Located<MeasurementRecord> &&line) {
                          if (target.empty() ||
                              line.record.identity.scope.target == target)
                            counts.add(line.record);
                        },
                        [&](Located<SubgraphRecord> &&line) {
                          counts.subgraphs.insert(line.record.exactHash);
                        },
                        [&](std::string reason) {
                          ++counts.passedOver;
                          warn("passed over " + reason);
                        },
                        [&](Located<SketchRecord> &&line) {
                          counts.sketches.insert(line.record.name);
                        }};
  ReadPosition start;
  if (llvm::Error error = readRecordFile(file, start, visitor))
    return error;
  return counts;
}

static uint64_t total(const std::map<std::string, uint64_t> &counts) {
  uint64_t sum = 0;
  for (const auto &[name, count] : counts)
    sum += count;
  return sum;
}

static Json countsToJson(const std::map<std::string, uint64_t> &counts) {
  Json object = Json::object();
  for (const auto &[name, count] : counts)
    object.set(name, count);
  return object;
}

static void printJson(const std::string &file, const Statistics &counts) {
  Json object = Json::object();
  object.set("file", file)
      .set("subgraphs", uint64_t(counts.subgraphs.size()))
      .set("own_sketches", uint64_t(counts.sketches.size()))
      .set("measurements", counts.measurements)
      .set("failures", countsToJson(counts.failures))
      .set("targets", countsToJson(counts.targets))
      .set("stale", counts.stale)
      .set("passed_over", counts.passedOver);
  llvm::outs() << object.dump() << "\n";
}

static void printRow(llvm::StringRef name, uint64_t count) {
  llvm::outs() << llvm::format("  %-14s %8llu\n", name.str().c_str(),
                               static_cast<unsigned long long>(count));
}

static void printText(const std::string &file, const Statistics &counts) {
  llvm::outs() << file << "\n";
  printRow("subgraphs", counts.subgraphs.size());
  if (!counts.sketches.empty())
    printRow("own sketches", counts.sketches.size());
  printRow("measurements", counts.measurements);
  for (const auto &[target, count] : counts.targets)
    printRow("  " + target, count);
  printRow("failed", total(counts.failures));
  for (const auto &[kind, count] : counts.failures)
    printRow("  " + kind, count);
  printRow("stale", counts.stale);
  printRow("passed over", counts.passedOver);
}

int diffuse::runStat(const RecordsOptions &options) {
  int status = 0;
  for (const std::string &file : options.files) {
    llvm::Expected<Statistics> counts = readStatistics(file, options.target);
    if (!counts) {
      complain(llvm::toString(counts.takeError()));
      status = 1;
      continue;
    }
    if (options.json)
      printJson(file, *counts);
    else
      printText(file, *counts);
  }
  return status;
}
