// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/CompareModules.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/FindProgram.h"
#include "Diffuse/Support/Json.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <chrono>
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
           double seconds, const std::function<bool()> &interrupted) {
  llvm::Expected<std::string> program = findProgram(name);
  if (!program)
    return program.takeError();
  ChildCommand command;
  command.program = *program;
  command.arguments = std::move(arguments);
  command.limits.wallSeconds = seconds;
  command.interrupted = interrupted;
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
                    build.interrupted)
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

/// Least time of one run of `library`, from a process that repeats it.
static llvm::Expected<double>
leastMicros(const std::string &library, llvm::ArrayRef<std::string> options,
            double seconds, const std::function<bool()> &interrupted) {
  std::vector<std::string> arguments = {
      library, "--bench=" + std::to_string(seconds), "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  llvm::Expected<std::string> output =
      runProgram("diffuse-run", std::move(arguments),
                 kStartSeconds + 10 * seconds, interrupted);
  if (!output)
    return output.takeError();
  if (std::optional<double> least = findLeast(*output))
    return *least;
  return makeError("diffuse-run reported no min_us for " + library);
}

llvm::Expected<std::vector<double>>
diffuse::compareModules(llvm::ArrayRef<std::string> libraries,
                        llvm::ArrayRef<std::string> runOptions, double seconds,
                        const std::function<bool()> &interrupted) {
  double share = seconds / static_cast<double>(kRounds * libraries.size());
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  std::vector<double> least(libraries.size(), 0);
  // Loading data and warming up may take far longer than what is timed.
  for (unsigned round = 0; round < kRounds && elapsed() < kPatience * seconds;
       ++round)
    for (size_t index = 0; index < libraries.size(); ++index) {
      llvm::Expected<double> micros =
          leastMicros(libraries[index], runOptions, share, interrupted);
      if (!micros)
        return micros.takeError();
      least[index] = round == 0 ? *micros : std::min(least[index], *micros);
    }
  return least;
}

/// The calls of one run of `library`, from a process that repeats it.
static llvm::Expected<std::vector<CallTime>>
profile(const std::string &library, llvm::ArrayRef<std::string> options,
        double seconds, const std::function<bool()> &interrupted) {
  std::string file = library + ".profile.json";
  std::vector<std::string> arguments = {library,
                                        "--bench=" + std::to_string(seconds),
                                        "--profile=" + file, "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  llvm::Expected<std::string> output =
      runProgram("diffuse-run", std::move(arguments),
                 kStartSeconds + 10 * seconds, interrupted);
  if (!output)
    return output.takeError();
  llvm::Expected<std::string> text = readFile(file);
  if (!text)
    return text.takeError();
  return parseProfile(*text);
}

llvm::Expected<std::vector<std::vector<CallTime>>>
diffuse::profileModules(llvm::ArrayRef<std::string> libraries,
                        llvm::ArrayRef<std::string> runOptions, double seconds,
                        const std::function<bool()> &interrupted) {
  double share = seconds / static_cast<double>(kRounds * libraries.size());
  std::vector<std::vector<CallTime>> times(libraries.size());
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  for (unsigned round = 0; round < kRounds && elapsed() < kPatience * seconds;
       ++round)
    for (size_t index = 0; index < libraries.size(); ++index) {
      llvm::Expected<std::vector<CallTime>> calls =
          profile(libraries[index], runOptions, share, interrupted);
      if (!calls)
        return calls.takeError();
      takeLesser(times[index], *calls);
    }
  return times;
}
