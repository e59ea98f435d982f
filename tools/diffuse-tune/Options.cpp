// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "Snapshots.h"

#include "../common/CommandLine.h"
#include "../common/DistinctFiles.h"

#include "Diffuse/Records/RecordFile.h"
#include "Diffuse/Search/CostModel.h"
#include "Diffuse/Support/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

using namespace diffuse;
namespace cl = llvm::cl;
using llvm::StringRef;

namespace {
/// The command line as written; validated by `read`.
struct Flags {
  cl::OptionCategory category{"diffuse-tune"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.mlir>"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("where the tuned module goes"),
                              cl::value_desc("file"), cl::cat(category)};
  LayoutsOption layouts{category};
  cl::opt<std::string> target{"target", cl::init("host"), cl::cat(category),
                              cl::desc("host or cpu:<llvm processor>")};
  ThreadsOption threads{category};
  cl::opt<std::string> budget{
      "budget", cl::init("60s"), cl::cat(category),
      cl::desc("time (90s, 5m, 2h) or number of measurements")};
  cl::opt<std::string> records{
      "records", cl::cat(category), cl::value_desc("file"),
      cl::desc("record file, or none; default: beside the output")};
  cl::list<std::string> priors{"prior-records", cl::cat(category),
                               cl::value_desc("file"),
                               cl::desc("record file to read only")};
  cl::opt<std::string> diffusion{"diffusion", cl::init("on"), cl::cat(category),
                                 cl::desc("on, off or copy")};
  cl::opt<std::string> search{
      "search", cl::init("evolutionary"), cl::cat(category),
      cl::desc("with --diffusion=off: evolutionary, random or exhaustive")};
  cl::list<std::string> sketches{
      "sketches", cl::cat(category), cl::value_desc("file.mlir"),
      cl::desc("schedules with open choices, searched beside the library's")};
  cl::opt<bool> sketchesOnly{"sketches-only", cl::cat(category),
                             cl::desc("search those of --sketches alone")};
  cl::opt<std::string> only{"only", cl::cat(category), cl::value_desc("regex"),
                            cl::desc("tune the subgraphs it matches")};
  cl::opt<bool> dryRun{
      "dry-run", cl::cat(category),
      cl::desc("show clusters and sizes of spaces, measure nothing")};
  cl::opt<bool> measureUntuned{"measure-untuned", cl::cat(category),
                               cl::desc("also time the module as plain loops")};
  cl::opt<std::string> numerics{"numerics", cl::init("default"),
                                cl::cat(category),
                                cl::desc("strict, default or fast")};
  cl::opt<std::string> denormals{"denormals", cl::init("preserve"),
                                 cl::cat(category),
                                 cl::desc("preserve or flush")};
  WholeNumberOption seed{"seed", 0, "of everything random", category};
  cl::opt<std::string> entry{"entry", cl::cat(category),
                             cl::value_desc("function"),
                             cl::desc("function that a run starts at")};
  cl::opt<std::string> measurer{"measurer", cl::init("local"),
                                cl::cat(category),
                                cl::desc("local, fake or replay:FILE")};
  cl::opt<std::string> stopGain{
      "stop-gain", cl::init("0.5%"), cl::cat(category),
      cl::desc("stop below this gain of the whole module")};
  cl::opt<std::string> progress{"progress", cl::init("auto"), cl::cat(category),
                                cl::desc("auto, plain, json or none")};
  cl::opt<std::string> summary{"summary", cl::cat(category),
                               cl::value_desc("file.json"),
                               cl::desc("where the summary goes")};
  cl::opt<std::string> snapshots{
      "snapshots", cl::cat(category), cl::value_desc("folder"),
      cl::desc("also write the module as it is after 1, 2, 4, ... seconds or "
               "measurements")};

  llvm::Expected<TuneOptions> read() const;
  llvm::Error readStrategy(TuneOptions &options) const;
  llvm::Error readModes(TuneOptions &options) const;
  llvm::Error readFiles(TuneOptions &options) const;
  llvm::Error readSketches(TuneOptions &options) const;
  /// Nothing that is written lies where something else does.
  llvm::Error checkFiles(const TuneOptions &options) const;
  /// Makes sure that what is written can be.
  llvm::Error prepareFiles(const TuneOptions &options) const;
};
} // namespace

llvm::Error Flags::readStrategy(TuneOptions &options) const {
  llvm::Expected<size_t> mode =
      oneOf("diffusion", diffusion, {"on", "copy", "off"});
  if (!mode)
    return mode.takeError();
  if (*mode != 2 && search.getNumOccurrences())
    return makeError("--search=" + search + " needs --diffusion=off");
  llvm::Expected<size_t> kind =
      oneOf("search", search, {"evolutionary", "random", "exhaustive"});
  if (!kind)
    return kind.takeError();
  if (*mode == 2 && *kind == 0 && !hasXGBoost())
    return createXGBoostModel(0).takeError();
  options.request.tuner.strategy = *mode == 0   ? "diffusion"
                                   : *mode == 1 ? "copy"
                                                : search.getValue();
  StringRef gain = stopGain;
  double percent = 0;
  if (!gain.consume_back("%") || gain.getAsDouble(percent) ||
      !(percent >= 0 && percent < 100))
    return makeError("--stop-gain does not take '" + stopGain +
                     "'; write a percentage such as 0.5%");
  options.request.tuner.stopGain = percent / 100;
  return llvm::Error::success();
}

llvm::Error Flags::readModes(TuneOptions &options) const {
  TunerOptions &tuner = options.request.tuner;
  if (llvm::Error error = threads.check())
    return error;
  llvm::Expected<uint64_t> start = seed.read();
  if (!start)
    return start.takeError();
  tuner.seed = *start;
  llvm::Expected<Budget> limit = parseBudget(budget);
  if (!limit)
    return limit.takeError();
  tuner.budget = *limit;
  llvm::Expected<Numerics> mode = parseNumerics(numerics);
  if (!mode)
    return mode.takeError();
  tuner.numerics = *mode;
  llvm::Expected<bool> flush = readDenormals(denormals);
  if (!flush)
    return flush.takeError();
  tuner.flushDenormals = *flush;
  llvm::Expected<size_t> style =
      oneOf("progress", progress, {"auto", "plain", "json", "none"});
  if (!style)
    return style.takeError();
  options.progress = static_cast<ProgressStyle>(*style);
  return llvm::Error::success();
}

llvm::Error Flags::readFiles(TuneOptions &options) const {
  if (input.empty())
    return makeError("no input; usage: diffuse-tune model.mlir -o tuned.mlir");
  if (output.empty() && !dryRun)
    return makeError("no output; name one with -o, or ask for --dry-run");
  options.input = input;
  options.output = output;
  options.request.records = records;
  if (records.empty() && !output.empty() && output != "-") {
    llvm::SmallString<128> beside(output.getValue());
    llvm::sys::path::replace_extension(beside, "records.jsonl");
    options.request.records = beside.str().str();
  }
  if (records == "none")
    options.request.records.clear();
  return llvm::Error::success();
}

llvm::Error Flags::checkFiles(const TuneOptions &options) const {
  DistinctFiles files;
  files.reads("the model", input);
  for (StringRef file : priors)
    files.reads("--prior-records", file);
  for (StringRef file : sketches)
    files.reads("--sketches", file);
  StringRef replayed = measurer;
  if (replayed.consume_front("replay:"))
    files.reads("--measurer", replayed);
  files.writes("--summary", summary);
  if (dryRun) {
    files.reads("--records", options.request.records);
    return files.check();
  }
  files.writes("-o", output);
  files.writes("--records", options.request.records);
  if (!snapshots.empty())
    for (const std::string &file :
         snapshotFiles(snapshots, options.request.tuner.budget))
      files.writes("a file of --snapshots", file);
  return files.check();
}

llvm::Error Flags::prepareFiles(const TuneOptions &options) const {
  if (!snapshots.empty() && !dryRun)
    if (llvm::Error error = prepareSnapshots(snapshots))
      return error;
  for (StringRef file : {StringRef(output), StringRef(summary)})
    if (!file.empty() && file != "-")
      if (llvm::Error error = checkWritable(file))
        return error;
  return dryRun ? llvm::Error::success()
                : checkHoldsRecords(options.request.records);
}

llvm::Error Flags::readSketches(TuneOptions &options) const {
  if (sketchesOnly && sketches.empty())
    return makeError("--sketches-only searches nothing without "
                     "--sketches=FILE");
  options.request.sketchFiles.assign(sketches.begin(), sketches.end());
  options.request.onlyOwnSketches = sketchesOnly;
  return llvm::Error::success();
}

llvm::Expected<TuneOptions> Flags::read() const {
  TuneOptions options;
  for (auto step : {&Flags::readModes, &Flags::readStrategy, &Flags::readFiles,
                    &Flags::readSketches})
    if (llvm::Error error = (this->*step)(options))
      return error;
  bool isTimed =
      measurer == "local" && !dryRun && !options.request.tuner.budget.isZero();
  if (measureUntuned && !isTimed)
    return makeError("--measure-untuned times whole modules, which only "
                     "--measurer=local does, with a budget and without "
                     "--dry-run");
  if (!snapshots.empty() && dryRun)
    return makeError("--snapshots needs a run; --dry-run makes none");
  options.snapshots = snapshots;
  options.entry = entry;
  options.summary = summary;
  options.dryRun = dryRun;
  options.measureUntuned = measureUntuned;
  llvm::Expected<Layouts> layoutChoice = layouts.read();
  if (!layoutChoice)
    return layoutChoice.takeError();
  // Schedules of a user name the ops and extents of the module as it stands.
  bool isChosen = layouts.getNumOccurrences() || sketches.empty();
  options.layouts = isChosen ? *layoutChoice : Layouts::Plain;
  options.request.target = target;
  options.request.measurer = measurer;
  options.request.priorRecords.assign(priors.begin(), priors.end());
  options.request.only = only;
  options.request.tuner.threads = 1;
  TuneRequest request = options.request;
  if (dryRun)
    request.tuner.budget = {std::nullopt, 0u};
  if (llvm::Error error = checkRequest(request))
    return error;
  for (auto step : {&Flags::checkFiles, &Flags::prepareFiles})
    if (llvm::Error error = (this->*step)(options))
      return error;
  return options;
}

llvm::Expected<TuneOptions> diffuse::parseTuneOptions(int argc, char **argv) {
  forgetOption("threads");
  Flags flags;
  if (llvm::Error error = parseCommandLine(
          argc, argv, "Tunes the subgraphs of a module of linalg on tensors.\n",
          flags.category))
    return error;
  return flags.read();
}
