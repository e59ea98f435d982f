// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"

#include "Arguments.h"
#include "Bench.h"
#include "Compare.h"
#include "LoadedModel.h"

#include "Diffuse/Codegen/BuildLibrary.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/ScratchFolder.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

using namespace diffuse;

namespace {
/// A model with a handle; the handle goes with it.
class Instance {
public:
  explicit Instance(LoadedModel loaded) : model(std::move(loaded)) {}
  Instance(Instance &&other)
      : model(std::move(other.model)), handle(other.handle) {
    other.handle = nullptr;
  }
  ~Instance() {
    if (handle)
      model.destroy(handle);
  }

  llvm::Error check(int32_t code) const {
    return code ? makeError(model.error(handle)) : llvm::Error::success();
  }

  LoadedModel model;
  diffuse_handle *handle = nullptr;
};

/// Everything one call of the tool goes through.
class Session {
public:
  explicit Session(const RunOptions &options) : options(options) {}

  llvm::Error run();
  /// What is wrong with the answer; empty where nothing is.
  std::string complaint() const {
    return checked && !checked->ok ? checked->message : "";
  }
  void print() const;

private:
  llvm::Expected<Instance> open(const std::string &path, ScheduleChoice choice);
  llvm::Error create(Instance &instance, Arguments &arguments,
                     CallProfile *profile);
  llvm::Expected<Arguments> makeFor(const LoadedModel &model);
  llvm::Error runOnce(Instance &instance, Arguments &arguments);
  llvm::Error checkAnswers(const Arguments &arguments);
  llvm::Error checkFiles(const Arguments &arguments);
  llvm::Error checkReference(const std::string &path,
                             const Arguments &arguments);
  void take(const Comparison &comparison);
  llvm::Error writeOutputs(const Arguments &arguments);
  llvm::Error measure(Instance &instance, Arguments &arguments,
                      CallProfile &profile);

  const RunOptions &options;
  std::optional<Comparison> checked;
  Samples samples;
  std::string profileTable;
};
} // namespace

/// Compiles a module into a library that is removed once it is loaded.
static llvm::Expected<LoadedModel> compileAndLoad(const RunOptions &options,
                                                  const std::string &path,
                                                  ScheduleChoice choice) {
  CompileFileOptions compile = options.compile;
  compile.schedules = choice;
  auto file = ModuleFile::load(path, options.entry);
  if (mlir::failed(file))
    return makeError("");
  mlir::FailureOr<CompiledModule> module = compileFile(**file, compile);
  if (mlir::failed(module))
    return makeError("");
  LibraryOptions library;
  library.model = "model";
  library.allowUndefined = true;
  library.provenance = describeProvenance(**file, compile);
  llvm::Expected<ScratchFolder> folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  std::string output = folder->file("model.so");
  if (llvm::Error error =
          buildSharedLibrary(*module, library, compile.codegen, output))
    return error;
  return LoadedModel::load(output);
}

llvm::Expected<Instance> Session::open(const std::string &path,
                                       ScheduleChoice choice) {
  llvm::Expected<LoadedModel> model =
      llvm::StringRef(path).ends_with(".so")
          ? LoadedModel::load(path)
          : compileAndLoad(options, path, choice);
  if (!model)
    return model.takeError();
  return Instance(std::move(*model));
}

llvm::Expected<Arguments> Session::makeFor(const LoadedModel &model) {
  DataOptions data;
  data.inputFiles = options.inputs;
  data.extents = options.extents;
  data.seed = options.seed;
  bool areGiven = !options.parameters.empty() || model.embedsParameters();
  return makeArguments(model.boundary(), data, areGiven);
}

static void addToProfile(void *profile, int32_t call, int64_t begin,
                         int64_t end) {
  static_cast<CallProfile *>(profile)->add(
      call, static_cast<double>(end - begin) / 1000);
}

llvm::Error Session::create(Instance &instance, Arguments &arguments,
                            CallProfile *profile) {
  std::vector<diffuse_tensor> tensors = Arguments::views(arguments.parameters);
  diffuse_parameters parameters = {};
  if (!options.parameters.empty())
    parameters.file = options.parameters.c_str();
  else if (!tensors.empty())
    parameters.tensors = tensors.data();
  diffuse_options settings = {};
  settings.size = sizeof(settings);
  if (profile) {
    settings.profile = addToProfile;
    settings.profile_user = profile;
  }
  int32_t code =
      instance.model.create(&parameters, &settings, &instance.handle);
  if (llvm::Error error = instance.check(code))
    return error;
  return makeOutputs(instance.model, instance.handle, arguments);
}

llvm::Error Session::runOnce(Instance &instance, Arguments &arguments) {
  auto inputs = Arguments::views(arguments.inputs);
  auto outputs = Arguments::views(arguments.outputs);
  return instance.check(
      instance.model.run(instance.handle, inputs.data(), outputs.data()));
}

void Session::take(const Comparison &comparison) {
  if (!checked)
    checked.emplace();
  checked->maxRelativeError =
      std::max(checked->maxRelativeError, comparison.maxRelativeError);
  if (checked->ok && !comparison.ok) {
    checked->ok = false;
    checked->message = comparison.message;
  }
}

static llvm::Error checkShape(const Tensor &found,
                              llvm::ArrayRef<int64_t> extents, uint64_t bytes,
                              llvm::StringRef source) {
  if (llvm::ArrayRef<int64_t>(found.type().extents) == extents &&
      found.size() == bytes)
    return llvm::Error::success();
  return makeError("'" + source + "' has another shape or type than '" +
                   found.type().name + "'");
}

llvm::Error Session::checkFiles(const Arguments &arguments) {
  if (options.expected.size() > arguments.outputs.size())
    return makeError("--expected was given " +
                     llvm::Twine(options.expected.size()) +
                     " times, the model has " +
                     llvm::Twine(arguments.outputs.size()) + " results");
  for (size_t i = 0; i < options.expected.size(); ++i) {
    const Tensor &found = arguments.outputs[i];
    llvm::Expected<NpyArray> array = readNpy(options.expected[i]);
    if (!array)
      return array.takeError();
    if (llvm::Error error = checkShape(
            found, array->extents, array->bytes.size(), options.expected[i]))
      return error;
    take(
        compareTensors(found, array->bytes.data(),
                       {options.relativeTolerance, options.absoluteTolerance}));
  }
  return llvm::Error::success();
}

llvm::Error Session::checkReference(const std::string &path,
                                    const Arguments &arguments) {
  llvm::Expected<Instance> reference = open(path, ScheduleChoice::None);
  if (!reference)
    return reference.takeError();
  llvm::Expected<Arguments> own = makeFor(reference->model);
  if (!own)
    return own.takeError();
  if (llvm::Error error = create(*reference, *own, nullptr))
    return error;
  if (llvm::Error error = runOnce(*reference, *own))
    return error;
  if (own->outputs.size() != arguments.outputs.size())
    return makeError("'" + path + "' has another number of results");
  for (size_t i = 0; i < own->outputs.size(); ++i) {
    const Tensor &expected = own->outputs[i];
    const Tensor &found = arguments.outputs[i];
    if (llvm::Error error =
            checkShape(found, expected.type().extents, expected.size(), path))
      return error;
    take(
        compareTensors(found, expected.data(),
                       {options.relativeTolerance, options.absoluteTolerance}));
  }
  return llvm::Error::success();
}

llvm::Error Session::checkAnswers(const Arguments &arguments) {
  if (llvm::Error error = checkFiles(arguments))
    return error;
  std::string reference = options.reference;
  if (reference.empty() && options.check && !options.inputIsLibrary())
    reference = options.input;
  if (reference.empty())
    return llvm::Error::success();
  if (!checked)
    checked.emplace();
  return checkReference(reference, arguments);
}

llvm::Error Session::writeOutputs(const Arguments &arguments) {
  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    const Tensor &tensor = arguments.outputs[i];
    NpyArray array{tensor.type().elementType, tensor.type().extents,
                   std::string(tensor.data(), tensor.size())};
    if (llvm::Error error =
            writeNpy(options.outputPrefix + std::to_string(i) + ".npy", array))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Session::measure(Instance &instance, Arguments &arguments,
                             CallProfile &profile) {
  profile.clear();
  auto inputs = Arguments::views(arguments.inputs);
  auto outputs = Arguments::views(arguments.outputs);
  samples = sampleRuns(
      [&] {
        instance.model.run(instance.handle, inputs.data(), outputs.data());
      },
      options.benchSeconds.value_or(1));
  if (!options.profile)
    return llvm::Error::success();
  if (options.profileFile.empty()) {
    profileTable = profile.table();
    return llvm::Error::success();
  }
  return writeFileAtomically(options.profileFile, profile.toJson().dump(1));
}

llvm::Error Session::run() {
  llvm::Expected<Instance> instance =
      open(options.input, options.compile.schedules);
  if (!instance)
    return instance.takeError();
  llvm::Expected<Arguments> arguments = makeFor(instance->model);
  if (!arguments)
    return arguments.takeError();
  CallProfile profile(instance->model.calls());
  if (llvm::Error error =
          create(*instance, *arguments, options.profile ? &profile : nullptr))
    return error;
  if (llvm::Error error = runOnce(*instance, *arguments))
    return error;
  if (llvm::Error error = checkAnswers(*arguments))
    return error;
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
      check.set("max_rel_error", checked->maxRelativeError);
      report.set("check", std::move(check));
    }
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
    return 1;
  }
  session.print();
  std::string complaint = session.complaint();
  if (complaint.empty())
    return 0;
  llvm::WithColor::error(llvm::errs(), "diffuse-run") << complaint << '\n';
  return 3;
}
