// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"

#include "Printers.h"

#include "Diffuse/Sketch/Legality.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace diffuse;

/// Time of a task in one run of the module, 0 where it was not measured.
static double shareOf(const TuneResult &result, size_t task) {
  return result.tasks.searchTasks[task].calls() *
         result.outcome.tasks[task].bestMicros.value_or(0);
}

static std::vector<size_t> heaviestFirst(const TuneResult &result) {
  std::vector<size_t> order(result.tasks.tasks.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return shareOf(result, a) > shareOf(result, b);
  });
  return order;
}

/// Subgraphs that no sum of times holds.
static size_t countUnmeasured(const TuneResult &result) {
  return result.tasks.uncovered.size() +
         llvm::count_if(result.outcome.tasks, [](const TaskOutcome &outcome) {
           return !outcome.bestMicros;
         });
}

static double sumOfShares(const TuneResult &result) {
  double sum = 0;
  for (size_t task = 0; task < result.tasks.tasks.size(); ++task)
    sum += shareOf(result, task);
  return sum;
}

static std::string timeOrDash(std::optional<double> micros) {
  return micros ? formatMicros(*micros) : "-";
}

static bool hasFailedDefault(const TuneResult &result) {
  return llvm::any_of(result.outcome.tasks, [](const TaskOutcome &outcome) {
    return outcome.defaultFailure.has_value();
  });
}

/// What a person should know of one subgraph beside its times.
static void printNotes(const std::string &function, const TaskOutcome &outcome,
                       llvm::raw_ostream &stream) {
  if (outcome.defaultFailure)
    stream << function << (outcome.best ? ": its" : " gets plain loops: its")
           << " default schedule failed ("
           << printFailureKind(*outcome.defaultFailure)
           << (outcome.best ? ")\n" : ") and no other passed\n");
  if (!outcome.unverified.empty())
    stream << function
           << (outcome.bestMicros ? " was not searched further: "
                                  : " keeps its default schedule: ")
           << outcome.unverified << '\n';
}

static void printTimes(const TuneResult &result, const ModuleTimes &times,
                       llvm::raw_ostream &stream) {
  if (!times.defaultMicros || !times.tunedMicros)
    return;
  stream << "\nwhole module, interleaved: default schedules "
         << (hasFailedDefault(result) ? "(plain loops where those failed) "
                                      : "")
         << formatMicros(*times.defaultMicros) << ", tuned "
         << formatMicros(*times.tunedMicros)
         << llvm::format(" (%.2fx the default's speed)",
                         *times.defaultMicros / *times.tunedMicros);
  if (times.untunedMicros)
    stream << ", plain loops " << formatMicros(*times.untunedMicros);
  stream << '\n';
}

/// Subgraphs whose time is all of records.
static size_t countFromRecords(const TuneResult &result) {
  return llvm::count_if(result.outcome.tasks, [](const TaskOutcome &outcome) {
    return outcome.bestMicros && outcome.fromRecords && !outcome.measurements;
  });
}

static void printRecords(const TuneResult &result, llvm::raw_ostream &stream) {
  const RecordCounts &records = result.records;
  if (records.measurements + records.passedOver == 0)
    return;
  stream << "records: " << records.measurements << " measurements, "
         << records.stale
         << " of them stale (another target, codegen or protocol number), "
         << records.passedOver << " lines passed over; "
         << countFromRecords(result) << " of " << result.tasks.tasks.size()
         << " subgraphs have their schedule from records alone\n";
}

/// Subgraphs that are no tasks, and why.
static void printUnsearched(const TuneResult &result,
                            llvm::raw_ostream &stream) {
  for (const std::string &function : result.tasks.uncovered)
    stream << function << " is lowered plainly: no sketch takes it\n";
  for (const std::string &function : result.tasks.prepared)
    stream << function << " runs once for each handle, on parameters alone: it "
           << "is not searched\n";
}

void diffuse::printTable(const TuneResult &result, const ModuleTimes &times,
                         llvm::raw_ostream &stream) {
  double sum = sumOfShares(result);
  stream << llvm::format("%-40s %5s %7s %11s %11s %8s %6s\n", "subgraph",
                         "calls", "cluster", "default", "tuned", "measured",
                         "share");
  for (size_t task : heaviestFirst(result)) {
    const TaskOutcome &outcome = result.outcome.tasks[task];
    const SearchTask &search = result.tasks.searchTasks[task];
    stream << llvm::format(
        "%-40s %5.0f %7u %11s %11s %8u %5.1f%%\n",
        result.tasks.tasks[task].function.c_str(), search.calls(),
        search.cluster,
        outcome.defaultFailure ? "failed"
                               : timeOrDash(outcome.defaultMicros).c_str(),
        timeOrDash(outcome.bestMicros).c_str(), outcome.measurements,
        sum > 0 ? 100 * shareOf(result, task) / sum : 0.0);
  }
  for (const auto &[task, outcome] :
       llvm::zip_equal(result.tasks.tasks, result.outcome.tasks))
    printNotes(task.function, outcome, stream);
  for (const std::string &function : times.givenBack)
    stream << function << " has its default schedule back: the tuned one was "
           << "slower inside the module, now or in an earlier run\n";
  printUnsearched(result, stream);
  stream << llvm::format("%u measurements in %.1f s, %.1f s of it for answers "
                         "to compare with; sketches cover %.1f %% of the "
                         "arithmetic; ",
                         result.outcome.measurements, result.outcome.seconds,
                         result.outcome.referenceSeconds,
                         result.tasks.totalFlops > 0
                             ? 100 * result.tasks.coveredFlops /
                                   result.tasks.totalFlops
                             : 100.0)
         << (sum > 0 ? "sum of subgraphs " + formatMicros(sum)
                     : std::string("no subgraph has a time"));
  if (size_t unmeasured = countUnmeasured(result); unmeasured && sum > 0)
    stream << ", without " << unmeasured << " that were not measured";
  stream << '\n';
  printRecords(result, stream);
  printTimes(result, times, stream);
}

/// In at most twelve characters.
static std::string formatCount(double count) {
  return count < 1e12 ? llvm::formatv("{0:f0}", count).str()
                      : llvm::formatv("{0:e3}", count).str();
}

/// How many candidates each sketch has, of all that its choices make.
static void printSpaces(const TuneResult &result, llvm::raw_ostream &stream) {
  stream << llvm::format("\n%-40s %-24s %12s %12s\n", "subgraph", "sketch",
                         "candidates", "of choices");
  for (const auto &[task, search] :
       llvm::zip_equal(result.tasks.tasks, result.tasks.searchTasks)) {
    for (const BoundSketch &sketch : search.sketches) {
      std::optional<double> count =
          countCandidates(search.descriptor, result.target, sketch);
      std::string legal = "not counted";
      if (count)
        legal = formatCount(*count);
      stream << llvm::format("%-40s %-24s %12s %12s\n", task.function.c_str(),
                             sketch.name().str().c_str(), legal.c_str(),
                             formatCount(sketch.spaceSize()).c_str());
    }
    if (search.sketches.empty())
      stream << llvm::format("%-40s %-24s %12u %12u\n", task.function.c_str(),
                             "none", 0u, 0u);
  }
}

void diffuse::printDryRun(const TuneResult &result, llvm::raw_ostream &stream) {
  stream << llvm::format("%-40s %5s %7s %5s %12s %8s\n", "subgraph", "calls",
                         "cluster", "first", "space", "recorded");
  for (size_t task = 0; task < result.tasks.tasks.size(); ++task) {
    const SearchTask &search = result.tasks.searchTasks[task];
    double points = 0;
    for (const BoundSketch &sketch : search.sketches)
      points += sketch.spaceSize();
    stream << llvm::format(
        "%-40s %5.0f %7u %5s %12s %8u\n",
        result.tasks.tasks[task].function.c_str(), search.calls(),
        search.cluster, search.isRepresentative ? "yes" : "",
        formatCount(points).c_str(), result.outcome.tasks[task].fromRecords);
  }
  printSpaces(result, stream);
  printUnsearched(result, stream);
}

static Json numberOrNull(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

/// One entry of `subgraphs` in the summary.
static Json describeTask(const TuneResult &result, size_t task) {
  const TaskOutcome &outcome = result.outcome.tasks[task];
  const SearchTask &search = result.tasks.searchTasks[task];
  Json failures = Json::object();
  for (auto [kind, count] : outcome.failures)
    failures.set(printFailureKind(kind), count);
  Json choices = Json::object();
  if (outcome.best)
    for (const auto &[knob, value] : outcome.best->choices)
      choices.set(knob, value);
  Json entry = Json::object();
  entry.set("name", result.tasks.tasks[task].function)
      .set("exact_hash", search.descriptor.exactHash)
      .set("calls", search.calls())
      .set("cluster", search.cluster)
      .set("flops", search.descriptor.flops)
      .set("default_us", numberOrNull(outcome.defaultMicros))
      .set("tuned_us", numberOrNull(outcome.bestMicros))
      .set("measurements", outcome.measurements)
      .set("from_records", outcome.fromRecords)
      .set("failures", failures)
      .set("sketch",
           outcome.best ? Json(outcome.best->sketch) : Json("plain loops"))
      .set("choices", choices)
      .set("default_failure",
           outcome.defaultFailure
               ? Json(printFailureKind(*outcome.defaultFailure))
               : Json());
  if (!outcome.unverified.empty())
    entry.set("unverified", outcome.unverified);
  return entry;
}

std::string diffuse::summaryText(const TuneResult &result,
                                 const ModuleTimes &times, double seconds) {
  Json::Array curve, subgraphs;
  for (auto [when, micros] : result.outcome.curve)
    curve.push_back(Json(Json::Array{Json(when), Json(micros)}));
  for (size_t task = 0; task < result.tasks.tasks.size(); ++task)
    subgraphs.push_back(describeTask(result, task));
  Json records = Json::object();
  records.set("measurements", result.records.measurements)
      .set("failures", result.records.failures)
      .set("stale", result.records.stale)
      .set("passed_over", result.records.passedOver);
  Json summary = Json::object();
  summary.set("target", result.target.key)
      .set("default_us", numberOrNull(times.defaultMicros))
      .set("tuned_us", numberOrNull(times.tunedMicros))
      .set("untuned_us", numberOrNull(times.untunedMicros))
      .set("seconds", seconds)
      .set("reference_seconds", result.outcome.referenceSeconds)
      .set("measurements", result.outcome.measurements)
      .set("interrupted", result.outcome.wasInterrupted)
      .set("shared_core", result.outcome.sharedCore)
      .set("unreserved_core", result.outcome.unreservedCore)
      .set("flops", result.tasks.totalFlops)
      .set("covered_flops", result.tasks.coveredFlops)
      .set("sum_of_subgraphs_us", sumOfShares(result))
      .set("unmeasured", uint64_t(countUnmeasured(result)))
      .set("curve_is", "seconds since start, estimated latency of the module "
                       "in microseconds")
      .set("curve", curve)
      .set("from_records", uint64_t(countFromRecords(result)))
      .set("uncovered", Json::arrayOf(result.tasks.uncovered))
      .set("prepared", Json::arrayOf(result.tasks.prepared))
      .set("given_back", Json::arrayOf(times.givenBack))
      .set("records", records)
      .set("subgraphs", subgraphs);
  return summary.dump(2) + "\n";
}
