// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Instance.h"

#include "FaultGuard.h"

#include "Diffuse/Codegen/BuildLibrary.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/ScratchFolder.h"

using namespace diffuse;

/// Compiles a module into a library that is removed once it is loaded.
static llvm::Expected<LoadedModel> compileAndLoad(const RunOptions &options,
                                                  const std::string &path,
                                                  ScheduleChoice choice) {
  CompileFileOptions compile = options.compile;
  compile.schedules = choice;
  bool isReference = choice == ScheduleChoice::None;
  auto file = ModuleFile::load(
      path, options.entry,
      {isReference ? Layouts::Plain : options.layouts, compile.codegen.target});
  if (mlir::failed(file) || mlir::failed((*file)->requireWork("run")))
    return makeError("");
  mlir::FailureOr<CompiledModule> module = compileFile(**file, compile);
  if (mlir::failed(module))
    return makeError("");
  LibraryOptions library;
  library.model = "model";
  library.allowUndefined = true;
  library.provenance = describeProvenance(**file, compile);
  HeldSignals held;
  llvm::Expected<ScratchFolder> folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  std::string output = folder->file("model.so");
  if (llvm::Error error =
          buildSharedLibrary(*module, library, compile.codegen, output))
    return error;
  return LoadedModel::load(output);
}

Instance::Instance(const RunOptions &options, std::string path,
                   LoadedModel loaded)
    : options(options), path(std::move(path)), loaded(std::move(loaded)) {}

Instance::Instance(Instance &&other)
    : options(other.options), path(std::move(other.path)),
      loaded(std::move(other.loaded)), handle(other.handle) {
  other.handle = nullptr;
}

Instance::~Instance() {
  if (handle)
    loaded.destroy(handle);
}

llvm::Expected<Instance> Instance::open(const RunOptions &options,
                                        const std::string &path,
                                        ScheduleChoice choice) {
  llvm::Expected<LoadedModel> model =
      isLibrary(path) ? LoadedModel::load(path)
                      : compileAndLoad(options, path, choice);
  if (!model)
    return model.takeError();
  return Instance(options, path, std::move(*model));
}

llvm::Expected<Arguments> Instance::makeArguments() const {
  DataOptions data;
  data.inputFiles = options.inputs;
  data.extents = options.extents;
  data.seed = options.seed;
  bool areGiven = !options.parameters.empty() || loaded.embedsParameters();
  return diffuse::makeArguments(loaded.boundary(), data, areGiven);
}

static void addToProfile(void *profile, int32_t call, int64_t begin,
                         int64_t end) {
  static_cast<CallProfile *>(profile)->add(
      call, static_cast<double>(end - begin) / 1000);
}

llvm::Error Instance::create(Arguments &arguments, CallProfile *profile) {
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
  FaultGuard guard(path, loaded.code());
  if (loaded.create(&parameters, &settings, &handle))
    return makeError(loaded.error(handle));
  return makeOutputs(loaded, handle, arguments);
}

llvm::Error Instance::run(Arguments &arguments) {
  auto inputs = Arguments::views(arguments.inputs);
  auto outputs = Arguments::views(arguments.outputs);
  FaultGuard guard(path, loaded.code());
  if (loaded.run(handle, inputs.data(), outputs.data()))
    return makeError(loaded.error(handle));
  return llvm::Error::success();
}
