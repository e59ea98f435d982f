// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compare.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Tuning/CompareModules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"

#include <cmath>

using namespace diffuse;
using namespace mlir;

/// A loss of a smaller share is taken for noise.
static constexpr double kNoise = 0.01;

void diffuse::recordAndWarn(const TuneRequest &request,
                            const TuneResult &result,
                            llvm::ArrayRef<HandBack> handBacks) {
  for (const std::string &problem : recordHandBacks(request, result, handBacks))
    llvm::WithColor::warning(llvm::errs(), "diffuse-tune")
        << "what was given back is not recorded: " << problem << '\n';
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
  llvm::Expected<ModuleTimes> run();

private:
  bool isTuned() const;
  /// Compiles the module as it is now; the path of the library.
  llvm::Expected<std::string> build(const std::string &name,
                                    const std::string &schedules);
  /// True where default schedules can be given back in the time that is left,
  /// after two builds that began with `atStart` seconds.
  bool isTimeToGiveBack(double atStart) const;
  /// Subgraphs that are slower by tuned schedules, looked at for the first time
  /// or again.
  llvm::Expected<std::vector<std::string>>
  findSlow(llvm::ArrayRef<std::string> libraries);
  /// Whether what takes `seconds` may be done twice in the time that is left.
  bool isTimeFor(double seconds) const { return secondsLeft() > 2 * seconds; }
  /// Gives default schedules back to those that are slower by theirs.
  llvm::Expected<std::vector<std::string>>
  giveBack(const std::string &byDefault, const std::string &tuned);

  const TuneOptions &options;
  std::string folder;
  ModuleOp module;
  TuneResult &result;
  std::function<double()> secondsLeft;
  /// Asked between and during all steps.
  std::function<bool()> stop;
  std::vector<TaskOutcome> defaults;
  std::vector<std::string> compileOptions, runOptions;
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
  if (llvm::Error error = writeFileAtomically(path, printModule(module)))
    return error;
  if (llvm::Error error =
          buildModule({path, schedules, compileOptions, library, stop}))
    return error;
  return library;
}

llvm::Expected<std::vector<std::string>>
Comparison::findSlow(llvm::ArrayRef<std::string> libraries) {
  auto times = profileModules(libraries, runOptions, kProfileSeconds, stop);
  if (!times)
    return times.takeError();
  calls = std::move(*times);
  return findSlower(calls[0], calls[1], kNoise);
}

llvm::Expected<std::vector<std::string>>
Comparison::giveBack(const std::string &byDefault, const std::string &tuned) {
  llvm::Expected<std::vector<std::string>> slow = findSlow({byDefault, tuned});
  if (!slow)
    return slow.takeError();
  bool isSure = !slow->empty() && isTimeFor(kProfileSeconds);
  if (isSure) {
    llvm::Expected<std::vector<std::string>> again =
        findSlow({byDefault, tuned});
    if (!again)
      return again.takeError();
    llvm::erase_if(*slow, [&](const std::string &function) {
      return !llvm::is_contained(*again, function);
    });
  }
  std::vector<std::string> given;
  std::vector<HandBack> handBacks;
  for (size_t index = 0; index < defaults.size(); ++index) {
    const std::string &function = result.tasks.tasks[index].function;
    TaskOutcome &outcome = result.outcome.tasks[index];
    if (outcome.best == defaults[index].best ||
        !llvm::is_contained(*slow, function))
      continue;
    // Plain loops, where nothing else passed, have no record to speak of.
    if (outcome.best)
      handBacks.push_back({index, *outcome.best, HandBack::Reason::Subgraph,
                           sumOfCalls(calls[1], function),
                           sumOfCalls(calls[0], function)});
    outcome = defaults[index];
    given.push_back(function);
  }
  if (isSure)
    recordAndWarn(options.request, result, handBacks);
  if (!given.empty() &&
      failed(attachOutcome(module, result.tasks, result.outcome.tasks)))
    return makeError("a default schedule cannot be given back");
  return given;
}

/// A third build, and twice what profile and comparison time: the programs take
/// as long again to start and to load their data.
bool Comparison::isTimeToGiveBack(double atStart) const {
  double left = secondsLeft();
  return std::isinf(left) ||
         left > (atStart - left) / 2 + 2 * (kProfileSeconds + kCompareSeconds);
}

llvm::Expected<ModuleTimes> Comparison::run() {
  ModuleTimes times;
  std::vector<std::string> libraries;
  double atStart = secondsLeft();
  llvm::Expected<std::string> byDefault = build("default", "default");
  if (!byDefault)
    return byDefault.takeError();
  libraries.push_back(*byDefault);
  if (isTuned()) {
    llvm::Expected<std::string> tuned = build("tuned", "tuned");
    if (!tuned)
      return tuned.takeError();
    if (isTimeToGiveBack(atStart)) {
      llvm::Expected<std::vector<std::string>> given =
          giveBack(*byDefault, *tuned);
      if (!given)
        return given.takeError();
      times.givenBack = std::move(*given);
    }
    if (!times.givenBack.empty() && isTuned())
      tuned = build("mixed", "tuned");
    if (!tuned)
      return tuned.takeError();
    if (isTuned())
      libraries.push_back(*tuned);
  }
  if (options.measureUntuned) {
    llvm::Expected<std::string> plain = build("none", "none");
    if (!plain)
      return plain.takeError();
    libraries.push_back(*plain);
  }
  llvm::Expected<std::vector<RoundTimes>> rounds =
      compareModules(libraries, runOptions, kCompareSeconds, stop);
  if (!rounds)
    return rounds.takeError();
  size_t last = isTuned() ? 1 : 0;
  times.defaultMicros = leastOf((*rounds)[0]);
  times.tunedMicros = leastOf((*rounds)[last]);
  if (options.measureUntuned)
    times.untunedMicros = leastOf(rounds->back());
  if (!isSlower((*rounds)[last], (*rounds)[0]) || !isTimeFor(kCompareSeconds))
    return times;
  libraries.resize(last + 1);
  rounds = compareModules(libraries, runOptions, kCompareSeconds, stop);
  if (!rounds)
    return rounds.takeError();
  times.isSlowerAgain = isSlower((*rounds)[last], (*rounds)[0]);
  times.defaultMicros = std::min(*times.defaultMicros, leastOf((*rounds)[0]));
  times.tunedMicros = std::min(*times.tunedMicros, leastOf((*rounds)[last]));
  return times;
}

llvm::Expected<ModuleTimes>
diffuse::compareWithDefaults(const TuneOptions &options, llvm::StringRef folder,
                             ModuleOp module, TuneResult &result,
                             std::function<double()> secondsLeft) {
  return Comparison(options, folder, module, result, std::move(secondsLeft))
      .run();
}
