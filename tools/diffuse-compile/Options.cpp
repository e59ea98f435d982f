// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "../common/CommandLine.h"
#include "../common/DistinctFiles.h"

#include "EmitFolder.h"
#include "EmitKernels.h"

#include "Diffuse/Codegen/BuildLibrary.h"

#include "llvm/Support/Path.h"

using namespace diffuse;
namespace cl = llvm::cl;
using llvm::StringRef;

namespace {
/// The command line as written; validated by `read`.
struct Flags {
  cl::OptionCategory category{"diffuse-compile"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.mlir>"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("where the output goes"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> emit{
      "emit", cl::init("so"), cl::cat(category),
      cl::desc("so, obj, llvm, ptx, cubin or schedules (a folder)")};
  cl::opt<std::string> target{
      "target", cl::init("host"), cl::cat(category),
      cl::desc("host, cpu:<llvm processor>, nvidia:sm_80 or "
               "nvidia:sm_90")};
  ThreadsOption threads{category};
  cl::opt<std::string> numerics{"numerics", cl::init("default"),
                                cl::cat(category),
                                cl::desc("strict, default or fast")};
  cl::opt<std::string> denormals{"denormals", cl::init("preserve"),
                                 cl::cat(category),
                                 cl::desc("preserve or flush")};
  cl::opt<std::string> records{"records", cl::cat(category),
                               cl::value_desc("file"),
                               cl::desc("records to take schedules from")};
  cl::opt<std::string> schedules{
      "schedules", cl::init("tuned"), cl::cat(category),
      cl::desc("tuned (those in the module), default or none")};
  LayoutsOption layouts{category};
  cl::opt<std::string> onUnscheduled{
      "on-unscheduled", cl::init("default"), cl::cat(category),
      cl::desc("default schedule or error for subgraphs without one")};
  cl::opt<std::string> parameters{
      "parameters", cl::cat(category), cl::value_desc("file.safetensors"),
      cl::desc("parameters, with --embed-parameters")};
  cl::opt<bool> embedParameters{
      "embed-parameters", cl::cat(category),
      cl::desc("make the parameters part of the output")};
  cl::opt<std::string> entry{"entry", cl::cat(category),
                             cl::value_desc("function"),
                             cl::desc("function that a run starts at")};
  cl::opt<std::string> model{
      "model", cl::cat(category), cl::value_desc("name"),
      cl::desc("name in the C interface; default: that of the output file")};
  OptLevelOption optLevel{category};

  llvm::Expected<CompileOptions> read() const;
  llvm::Error readFiles(CompileOptions &options) const;
  llvm::Error readModes(CompileOptions &options) const;
  llvm::Error readSchedules(CompileOptions &options) const;
  /// Nothing that is written lies where something else does.
  llvm::Error checkFiles(CompileOptions &options) const;
};
} // namespace

llvm::Error Flags::readFiles(CompileOptions &options) const {
  if (input.empty())
    return makeError(
        "no input; usage: diffuse-compile model.mlir --emit=so -o model.so");
  if (output.empty())
    return makeError("no output; name one with -o");
  llvm::Expected<size_t> kind =
      oneOf("emit", emit, {"so", "obj", "llvm", "ptx", "cubin", "schedules"});
  if (!kind)
    return kind.takeError();
  options.emit = static_cast<EmitKind>(*kind);
  if (embedParameters != !parameters.empty())
    return makeError("--parameters=FILE and --embed-parameters go together; "
                     "without them parameters are given at create");
  options.embedParameters = embedParameters;
  bool isLibrary = options.emit == EmitKind::SharedLibrary ||
                   options.emit == EmitKind::Object;
  if (!isLibrary && (embedParameters || !model.empty()))
    return makeError(
        std::string(embedParameters ? "--embed-parameters" : "--model") +
        " is for the C interface of --emit=so and --emit=obj; it does not go "
        "with --emit=" +
        emit);
  if (options.emit == EmitKind::Schedules && output == "-")
    return makeError("--emit=schedules writes a folder; name one with -o");
  options.input = input;
  options.output = output;
  options.parameters = parameters;
  options.entry = entry;
  StringRef file = output == "-" ? "model" : llvm::sys::path::stem(output);
  options.model = model.empty() ? makeModelName(file) : model.getValue();
  if (makeModelName(options.model) != options.model)
    return makeError("--model does not take '" + options.model +
                     "'; it takes a name in C");
  return llvm::Error::success();
}

llvm::Error Flags::readModes(CompileOptions &options) const {
  CodegenOptions &codegen = options.compile.codegen;
  if (llvm::Error error = threads.check())
    return error;
  if (llvm::Error error =
          readCodegenModes(optLevel, numerics, denormals, codegen))
    return error;
  llvm::Expected<TargetDescription> parsed = parseTarget(target);
  if (!parsed)
    return parsed.takeError();
  bool isKernel =
      options.emit == EmitKind::Ptx || options.emit == EmitKind::Cubin;
  if (parsed->isGpu() != isKernel)
    return makeError("--emit=" + emit + " does not go with --target=" + target +
                     "; ptx and cubin are for GPUs, such as nvidia:sm_80, and "
                     "the others for CPUs");
  codegen.target = *parsed;
  return llvm::Error::success();
}

llvm::Error Flags::readSchedules(CompileOptions &options) const {
  llvm::Expected<size_t> choice =
      oneOf("schedules", schedules, {"tuned", "default", "none"});
  if (!choice)
    return choice.takeError();
  options.compile.schedules = static_cast<ScheduleChoice>(*choice);
  llvm::Expected<Layouts> layoutChoice = layouts.read();
  if (!layoutChoice)
    return layoutChoice.takeError();
  options.layouts = *layoutChoice;
  if (!records.empty() && options.compile.schedules != ScheduleChoice::Tuned)
    return makeError("--records gives tuned schedules; it does not go with "
                     "--schedules=" +
                     schedules);
  options.records.path = records;
  options.records.target = target;
  options.records.numerics = options.compile.codegen.numerics;
  options.records.flushDenormals = options.compile.codegen.ftz;
  llvm::Expected<size_t> missing =
      oneOf("on-unscheduled", onUnscheduled, {"default", "error"});
  if (!missing)
    return missing.takeError();
  if (*missing == 1 && options.compile.schedules != ScheduleChoice::Tuned)
    return makeError("--on-unscheduled=error asks for tuned schedules; it does "
                     "not go with --schedules=" +
                     schedules);
  options.compile.failOnUnscheduled = *missing == 1;
  options.records.failOnUnscheduled = *missing == 1;
  return llvm::Error::success();
}

llvm::Error Flags::checkFiles(CompileOptions &options) const {
  DistinctFiles files;
  files.reads("the model", input);
  files.reads("--parameters", parameters);
  files.reads("--records", records);
  if (options.emit == EmitKind::Schedules)
    for (const std::string &file : filesOfFolder(output))
      files.writes("a file of -o", file);
  else
    files.writes("-o", output);
  if (options.compile.codegen.target.isGpu() && output != "-")
    files.writes("the description of -o", launchesPath(output));
  return files.check();
}

llvm::Expected<CompileOptions> Flags::read() const {
  CompileOptions options;
  for (auto step : {&Flags::readFiles, &Flags::readModes, &Flags::readSchedules,
                    &Flags::checkFiles})
    if (llvm::Error error = (this->*step)(options))
      return error;
  return options;
}

llvm::Expected<CompileOptions> diffuse::parseCompileOptions(int argc,
                                                            char **argv) {
  forgetOption("threads");
  Flags flags;
  if (llvm::Error error = parseCommandLine(
          argc, argv, "Compiles a module of linalg on tensors.\n",
          flags.category))
    return error;
  return flags.read();
}
