// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Tuning/CompareModules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"

#include <chrono>
#include <cmath>

using namespace diffuse;
using namespace mlir;

/// Seconds that a profile takes and that a comparison takes, at the least: the
/// programs take as long again to start and to load their data.
static constexpr double kLeastProfileSeconds = 2 * kProfileSeconds;
static constexpr double kLeastCompareSeconds = 2 * kCompareSeconds;

void diffuse::recordAndWarn(const TuneRequest &request,
                            const TuneResult &result,
                            llvm::ArrayRef<HandBack> handBacks) {
  for (const std::string &problem : recordHandBacks(request, result, handBacks))
    llvm::WithColor::warning(llvm::errs(), "diffuse-tune")
        << "what was seen inside the network is not recorded: " << problem
        << '\n';
}

std::string diffuse::printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text + "\n";
}

namespace {
class Comparison {
public:
  Comparison(const TuneOptions &options, llvm::StringRef folder,
             ModuleOp module, TuneResult &result,
             std::function<double()> secondsLeft);
  llvm::Error run(ModuleTimes &times);

private:
  bool isTuned() const;
  /// Compiles the module as it is now; the path of the library.
  llvm::Expected<std::string> build(const std::string &name,
                                    const std::string &schedules);
  /// Adds the tuned module to `libraries` as it is to be compared with the one
  /// in front, where anything is left of it.
  llvm::Error addTuned(std::vector<std::string> &libraries, ModuleTimes &times);
  /// Whether calls can be timed twice, with a build before that and one after,
  /// and modules be compared after that.
  bool isTimeForCalls() const;
  /// Whether what began with `atStart` seconds left can be done once more in
  /// the time that is left, where it takes `least` seconds or more and `after`
  /// seconds are needed for what follows.
  bool isTimeAgain(double atStart, double least, double after = 0) const;
  /// Subgraphs that are slower by tuned schedules, looked at for the first time
  /// or again.
  llvm::Expected<std::vector<std::string>>
  findSlow(llvm::ArrayRef<std::string> libraries);
  struct Slow {
    std::vector<std::string> functions;
    /// They were so twice.
    bool isSure = false;
  };
  /// Looks again at what is slower; where there is no time or that fails, what
  /// was seen first is not sure.
  llvm::Expected<Slow> findSlowTwice(llvm::ArrayRef<std::string> libraries);
  /// Gives default schedules back to those that are slower by theirs, twice; of
  /// those that an earlier run gave back, once.
  llvm::Error giveBackSlow(const std::string &byDefault,
                           const std::string &tuned, ModuleTimes &times);
  /// Writes what was given back into the module.
  llvm::Error attach(const ModuleTimes &times);
  /// Times whole modules, the first with default schedules.
  llvm::Error compare(std::vector<std::string> libraries, ModuleTimes &times);
  /// Compares two modules again of which the second was slower. Where that
  /// fails, what was seen first holds.
  void compareAgain(llvm::ArrayRef<std::string> libraries, ModuleTimes &times);

  const TuneOptions &options;
  std::string folder;
  ModuleOp module;
  TuneResult &result;
  std::function<double()> secondsLeft;
  /// Asked between and during all steps.
  std::function<bool()> stop;
  std::vector<TaskOutcome> defaults;
  std::vector<std::string> compileOptions, runOptions;
  /// Of the last build.
  double buildSeconds = 0;
  /// Least times of calls, by default and tuned.
  std::vector<std::vector<CallTime>> calls;
};
} // namespace

Comparison::Comparison(const TuneOptions &options, llvm::StringRef folder,
                       ModuleOp module, TuneResult &result,
                       std::function<double()> secondsLeft)
    : options(options), folder(folder), module(module), result(result),
      secondsLeft(std::move(secondsLeft)),
      stop([this] { return isInterrupted() || this->secondsLeft() <= 0; }),
      defaults(result.outcome.tasks) {
  takeDefaults(result.tasks, result.target, defaults);
  const TunerOptions &tuner = options.request.tuner;
  compileOptions = {"--target=" + options.request.target,
                    "--numerics=" + printNumerics(tuner.numerics).str()};
  if (!options.entry.empty())
    compileOptions.push_back("--entry=" + options.entry);
  if (tuner.flushDenormals) {
    compileOptions.push_back("--denormals=flush");
    runOptions.push_back("--denormals=flush");
  }
}

bool Comparison::isTuned() const {
  return llvm::any_of(llvm::zip_equal(defaults, result.outcome.tasks),
                      [](const auto &pair) {
                        return std::get<0>(pair).best != std::get<1>(pair).best;
                      });
}

llvm::Expected<std::string> Comparison::build(const std::string &name,
                                              const std::string &schedules) {
  std::string path = folder + "/" + name + ".mlir";
  std::string library = folder + "/" + name + ".so";
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = writeFileAtomically(path, printModule(module)))
    return error;
  if (llvm::Error error =
          buildModule({path, schedules, compileOptions, library, stop}))
    return error;
  buildSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return library;
}

llvm::Expected<std::vector<std::string>>
Comparison::findSlow(llvm::ArrayRef<std::string> libraries) {
  auto times = profileModules(libraries, runOptions, kProfileSeconds, stop);
  if (!times)
    return times.takeError();
  calls = std::move(*times);
  return findSlower(calls[0], calls[1], kNoiseShare);
}

bool Comparison::isTimeForCalls() const {
  return secondsLeft() >
         2 * (buildSeconds + kLeastProfileSeconds) + kLeastCompareSeconds;
}

bool Comparison::isTimeAgain(double atStart, double least, double after) const {
  double left = secondsLeft();
  return std::isinf(left) || left > std::max(least, atStart - left) + after;
}

llvm::Error Comparison::attach(const ModuleTimes &times) {
  if (!times.givenBack.empty() &&
      failed(attachOutcome(module, result.tasks, result.outcome.tasks)))
    return makeError("a default schedule cannot be given back");
  return llvm::Error::success();
}

llvm::Expected<Comparison::Slow>
Comparison::findSlowTwice(llvm::ArrayRef<std::string> libraries) {
  double atStart = secondsLeft();
  auto first = findSlow(libraries);
  if (!first)
    return first.takeError();
  Slow slow{std::move(*first), false};
  if (slow.functions.empty() ||
      !isTimeAgain(atStart, kLeastProfileSeconds,
                   buildSeconds + kLeastCompareSeconds))
    return slow;
  auto again = findSlow(libraries);
  if (!again) {
    llvm::consumeError(again.takeError());
    return slow;
  }
  slow.isSure = true;
  llvm::erase_if(slow.functions, [&](const std::string &function) {
    return !llvm::is_contained(*again, function);
  });
  return slow;
}

llvm::Error Comparison::giveBackSlow(const std::string &byDefault,
                                     const std::string &tuned,
                                     ModuleTimes &times) {
  llvm::Expected<Slow> slow = findSlowTwice({byDefault, tuned});
  if (!slow)
    return slow.takeError();
  std::vector<HandBack> handBacks;
  for (size_t index = 0; index < defaults.size(); ++index) {
    const std::string &function = result.tasks.tasks[index].function;
    const TaskOutcome &outcome = result.outcome.tasks[index];
    if (outcome.best == defaults[index].best)
      continue;
    if (!llvm::is_contained(slow->functions, function)) {
      times.notSlower.push_back(function);
      continue;
    }
    // Plain loops, where nothing else passed, have no record to speak of.
    if (slow->isSure && outcome.best)
      handBacks.push_back({index, *outcome.best, HandBack::Reason::Subgraph,
                           sumOfCalls(calls[1], function),
                           sumOfCalls(calls[0], function)});
    if (!slow->isSure && !isBehindRetried(outcome))
      continue;
    result.outcome.tasks[index] = defaults[index];
    times.givenBack.push_back(function);
  }
  recordAndWarn(options.request, result, handBacks);
  return attach(times);
}

llvm::Error Comparison::addTuned(std::vector<std::string> &libraries,
                                 ModuleTimes &times) {
  bool areCallsTimed = isTimeForCalls();
  if (!areCallsTimed) {
    times.givenBack = keepGivenBack(result);
    if (llvm::Error error = attach(times))
      return error;
  }
  if (!isTuned())
    return llvm::Error::success();
  llvm::Expected<std::string> tuned = build("tuned", "tuned");
  if (!tuned)
    return tuned.takeError();
  if (areCallsTimed) {
    if (llvm::Error error = giveBackSlow(libraries.front(), *tuned, times))
      return error;
    if (!isTuned())
      return llvm::Error::success();
    if (!times.givenBack.empty())
      tuned = build("mixed", "tuned");
    if (!tuned)
      return tuned.takeError();
  }
  libraries.push_back(*tuned);
  return llvm::Error::success();
}

void Comparison::compareAgain(llvm::ArrayRef<std::string> libraries,
                              ModuleTimes &times) {
  llvm::Expected<std::vector<RoundTimes>> rounds =
      compareModules(libraries, runOptions, kCompareSeconds, stop);
  if (!rounds)
    return llvm::consumeError(rounds.takeError());
  times.isSlowerAgain = isSlower(rounds->back(), rounds->front());
  times.defaultMicros =
      std::min(*times.defaultMicros, leastOf(rounds->front()));
  times.tunedMicros = std::min(*times.tunedMicros, leastOf(rounds->back()));
}

llvm::Error Comparison::compare(std::vector<std::string> libraries,
                                ModuleTimes &times) {
  double atStart = secondsLeft();
  llvm::Expected<std::vector<RoundTimes>> rounds =
      compareModules(libraries, runOptions, kCompareSeconds, stop);
  if (!rounds)
    return rounds.takeError();
  size_t last = isTuned() ? 1 : 0;
  times.defaultMicros = leastOf((*rounds)[0]);
  times.tunedMicros = leastOf((*rounds)[last]);
  if (options.measureUntuned)
    times.untunedMicros = leastOf(rounds->back());
  libraries.resize(last + 1);
  if (isSlower((*rounds)[last], (*rounds)[0]) &&
      isTimeAgain(atStart, kLeastCompareSeconds))
    compareAgain(libraries, times);
  return llvm::Error::success();
}

llvm::Error Comparison::run(ModuleTimes &times) {
  llvm::Expected<std::string> byDefault = build("default", "default");
  if (!byDefault)
    return byDefault.takeError();
  std::vector<std::string> libraries = {*byDefault};
  if (llvm::Error error = addTuned(libraries, times))
    return error;
  if (options.measureUntuned) {
    llvm::Expected<std::string> plain = build("none", "none");
    if (!plain)
      return plain.takeError();
    libraries.push_back(*plain);
  }
  return compare(std::move(libraries), times);
}

llvm::Error diffuse::compareWithDefaults(const TuneOptions &options,
                                         llvm::StringRef folder,
                                         ModuleOp module, TuneResult &result,
                                         std::function<double()> secondsLeft,
                                         ModuleTimes &times) {
  return Comparison(options, folder, module, result, std::move(secondsLeft))
      .run(times);
}
