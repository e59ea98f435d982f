// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/CompareModules.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/FindProgram.h"
#include "Diffuse/Support/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

using namespace diffuse;

/// Rounds of a comparison: each library runs this often, in turn.
static constexpr unsigned kRounds = 3;
/// No round starts after this many times the seconds that were asked for.
static constexpr double kPatience = 2;
/// A library gets this many seconds per round to load its data and warm up.
static constexpr double kStartSeconds = 60;

/// Runs one of the project's programs to its end; its output, or why not.
static llvm::Expected<std::string>
runProgram(llvm::StringRef name, std::vector<std::string> arguments,
           double seconds, const std::function<bool()> &interrupted,
           llvm::StringRef temporaryFolder = "") {
  llvm::Expected<std::string> program = findProgram(name);
  if (!program)
    return program.takeError();
  ChildCommand command;
  command.program = *program;
  command.arguments = std::move(arguments);
  command.limits.wallSeconds = seconds;
  command.interrupted = interrupted;
  command.temporaryFolder = temporaryFolder.str();
  llvm::Expected<ChildOutcome> outcome = runChild(command);
  if (!outcome)
    return outcome.takeError();
  if (!outcome->succeeded())
    return makeError(name + " ended by " + outcome->describe() + ": " +
                     llvm::StringRef(outcome->errorTail).trim());
  return outcome->output;
}

llvm::Error diffuse::buildModule(const ModuleBuild &build) {
  std::vector<std::string> arguments = {build.module,
                                        "--schedules=" + build.schedules,
                                        "--emit=so", "-o", build.library};
  arguments.insert(arguments.end(), build.options.begin(), build.options.end());
  return runProgram("diffuse-compile", std::move(arguments), 600,
                    build.interrupted,
                    llvm::sys::path::parent_path(build.library))
      .takeError();
}

/// The time in the report of diffuse-run, a line of its own among what the
/// module may print.
static std::optional<double> findLeast(llvm::StringRef output) {
  for (llvm::StringRef line : llvm::split(output, '\n')) {
    llvm::Expected<Json> report = Json::parse(line);
    const Json *least = report ? report->find("min_us") : nullptr;
    if (least && least->asNumber())
      return *least->asNumber();
    llvm::consumeError(report.takeError());
  }
  return std::nullopt;
}

/// Runs `library` again and again for `seconds`; what diffuse-run printed.
static llvm::Expected<std::string>
runLibrary(const std::string &library, llvm::ArrayRef<std::string> options,
           double seconds, const std::function<bool()> &interrupted,
           llvm::ArrayRef<std::string> more = {}) {
  std::vector<std::string> arguments = {
      library, "--bench=" + std::to_string(seconds), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), options.begin(), options.end());
  return runProgram("diffuse-run", std::move(arguments),
                    kStartSeconds + 10 * seconds, interrupted);
}

/// Calls `visit(index, share)` for each library in turn, round after round,
/// until the rounds or `seconds` are used up. Loading data and warming up may
/// take far longer than what is timed.
static llvm::Error
takeTurns(size_t libraries, double seconds,
          llvm::function_ref<llvm::Error(size_t, double)> visit) {
  double share = seconds / static_cast<double>(kRounds * libraries);
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  for (unsigned round = 0; round < kRounds && elapsed() < kPatience * seconds;
       ++round)
    for (size_t index = 0; index < libraries; ++index)
      if (llvm::Error error = visit(index, share))
        return error;
  return llvm::Error::success();
}

double diffuse::leastOf(const RoundTimes &times) {
  return times.empty() ? std::numeric_limits<double>::infinity()
                       : *std::min_element(times.begin(), times.end());
}

/// Share by which the second fastest round is slower than the fastest.
static double noiseOf(RoundTimes times) {
  if (times.size() < 2)
    return 0;
  std::partial_sort(times.begin(), times.begin() + 2, times.end());
  return times[1] / times[0] - 1;
}

bool diffuse::isSlower(const RoundTimes &tuned, const RoundTimes &byDefault) {
  double margin = std::max({kNoiseShare, noiseOf(tuned), noiseOf(byDefault)});
  return leastOf(tuned) > leastOf(byDefault) * (1 + margin);
}

llvm::Expected<std::vector<RoundTimes>>
diffuse::compareModules(llvm::ArrayRef<std::string> libraries,
                        llvm::ArrayRef<std::string> runOptions, double seconds,
                        const std::function<bool()> &interrupted) {
  std::vector<RoundTimes> times(libraries.size());
  auto visit = [&](size_t index, double share) -> llvm::Error {
    llvm::Expected<std::string> output =
        runLibrary(libraries[index], runOptions, share, interrupted);
    if (!output)
      return output.takeError();
    std::optional<double> micros = findLeast(*output);
    if (!micros)
      return makeError("diffuse-run reported no min_us for " +
                       libraries[index]);
    times[index].push_back(*micros);
    return llvm::Error::success();
  };
  if (llvm::Error error = takeTurns(libraries.size(), seconds, visit))
    return error;
  return times;
}

llvm::Expected<std::vector<std::vector<CallTime>>>
diffuse::profileModules(llvm::ArrayRef<std::string> libraries,
                        llvm::ArrayRef<std::string> runOptions, double seconds,
                        const std::function<bool()> &interrupted) {
  std::vector<std::vector<CallTime>> times(libraries.size());
  auto visit = [&](size_t index, double share) -> llvm::Error {
    std::string file = libraries[index] + ".profile.json";
    llvm::Expected<std::string> output =
        runLibrary(libraries[index], runOptions, share, interrupted,
                   {"--profile=" + file});
    if (!output)
      return output.takeError();
    llvm::Expected<std::string> text = readFile(file);
    if (!text)
      return text.takeError();
    llvm::Expected<std::vector<CallTime>> calls = parseProfile(*text);
    if (!calls)
      return calls.takeError();
    takeLesser(times[index], *calls);
    return llvm::Error::success();
  };
  if (llvm::Error error = takeTurns(libraries.size(), seconds, visit))
    return error;
  return times;
}
