// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"

#include "AnswerCheck.h"
#include "Instance.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <limits>

using namespace diffuse;

namespace {
/// Everything one call of the tool goes through.
class Session {
public:
  explicit Session(const RunOptions &options) : options(options) {}

  llvm::Error run();
  /// Exit status where that fails.
  int failureStatus() const { return isUsage ? 2 : 1; }
  /// What is wrong with the answer; empty where nothing is.
  std::string complaint() const {
    return checked && !checked->ok ? checked->message : "";
  }
  void print() const;

private:
  /// Holds the files of the results against all others, before they are
  /// computed.
  llvm::Error checkOutputs(const LoadedModel &model);
  std::string outputPath(size_t result) const {
    return options.outputPrefix + std::to_string(result) + ".npy";
  }
  llvm::Error writeOutputs(const Arguments &arguments);
  llvm::Error measure(Instance &instance, Arguments &arguments,
                      CallProfile &profile);

  const RunOptions &options;
  bool isUsage = false;
  std::optional<Comparison> checked;
  Samples samples;
  /// Of the calls, where no file is written: for people or as JSON.
  std::string profileTable;
  std::optional<Json> profileJson;
};
} // namespace

llvm::Error Session::checkOutputs(const LoadedModel &model) {
  if (options.outputPrefix.empty())
    return llvm::Error::success();
  DistinctFiles files = options.files;
  size_t results =
      llvm::count_if(model.boundary(), [](const BoundaryArgument &argument) {
        return argument.kind == BoundaryArgument::Kind::Destination;
      });
  for (size_t result = 0; result < results; ++result)
    files.writes("a result of --output", outputPath(result));
  llvm::Error error = files.check();
  isUsage = bool(error);
  return error;
}

llvm::Error Session::writeOutputs(const Arguments &arguments) {
  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    const Tensor &tensor = arguments.outputs[i];
    NpyArray array{tensor.type().elementType, tensor.type().extents,
                   std::string(tensor.data(), tensor.size())};
    if (llvm::Error error = writeNpy(outputPath(i), array))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Session::measure(Instance &instance, Arguments &arguments,
                             CallProfile &profile) {
  profile.clear();
  llvm::Expected<Samples> measured =
      sampleRuns([&] { return instance.run(arguments); },
                 options.benchSeconds.value_or(1));
  if (!measured)
    return measured.takeError();
  samples = std::move(*measured);
  if (!options.profile)
    return llvm::Error::success();
  if (options.profileFile.empty()) {
    profileTable = profile.table();
    profileJson = profile.toJson();
    return llvm::Error::success();
  }
  return writeFileAtomically(options.profileFile, profile.toJson().dump(1));
}

llvm::Error Session::run() {
  llvm::Expected<Instance> instance =
      Instance::open(options, options.input, options.compile.schedules);
  if (!instance)
    return instance.takeError();
  if (options.inputIsLibrary())
    if (llvm::Error error =
            instance->model().checkProvenance(options.asCompiled))
      return error;
  if (llvm::Error error = checkOutputs(instance->model()))
    return error;
  llvm::Expected<Arguments> arguments = instance->makeArguments();
  if (!arguments)
    return arguments.takeError();
  CallProfile profile(instance->model().calls());
  if (llvm::Error error =
          instance->create(*arguments, options.profile ? &profile : nullptr))
    return error;
  if (llvm::Error error = instance->run(*arguments))
    return error;
  llvm::Expected<std::optional<Comparison>> comparison =
      checkAnswers(options, *arguments);
  if (!comparison)
    return comparison.takeError();
  checked = std::move(*comparison);
  if (!options.outputPrefix.empty())
    if (llvm::Error error = writeOutputs(*arguments))
      return error;
  if (!options.benchSeconds && !options.profile)
    return llvm::Error::success();
  return measure(*instance, *arguments, profile);
}

void Session::print() const {
  if (options.json) {
    Json report = Json::object();
    if (!samples.empty()) {
      report.set("min_us", percentile(samples, 0));
      report.set("median_us", percentile(samples, 0.5));
      report.set("p90_us", percentile(samples, 0.9));
      report.set("p99_us", percentile(samples, 0.99));
      report.set("runs", static_cast<uint64_t>(samples.size()));
    }
    if (checked) {
      Json check = Json::object();
      check.set("ok", checked->ok);
      // JSON has no infinities.
      check.set("max_rel_error", std::min(checked->maxRelativeError,
                                          std::numeric_limits<double>::max()));
      report.set("check", std::move(check));
    }
    if (profileJson)
      report.set("profile", *profileJson);
    llvm::outs() << report.dump() << "\n";
    return;
  }
  if (!samples.empty())
    llvm::outs() << llvm::format(
        "min %.2f us, median %.2f us, p90 %.2f us, p99 %.2f us, %zu runs\n",
        percentile(samples, 0), percentile(samples, 0.5),
        percentile(samples, 0.9), percentile(samples, 0.99), samples.size());
  llvm::outs() << profileTable;
  if (checked)
    llvm::outs() << (checked->ok ? "answers agree" : "answers differ")
                 << llvm::format(", largest relative error %.3g\n",
                                 checked->maxRelativeError);
}

int diffuse::runSession(const RunOptions &options) {
  Session session(options);
  if (llvm::Error error = session.run()) {
    std::string message = llvm::toString(std::move(error));
    // An empty message: the diagnostics are printed already.
    if (!message.empty())
      llvm::WithColor::error(llvm::errs(), "diffuse-run") << message << '\n';
    return session.failureStatus();
  }
  session.print();
  std::string complaint = session.complaint();
  if (complaint.empty())
    return 0;
  llvm::WithColor::error(llvm::errs(), "diffuse-run") << complaint << '\n';
  return 3;
}
