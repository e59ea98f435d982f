// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "../common/CommandLine.h"

#include <cmath>

using namespace diffuse;
namespace cl = llvm::cl;
using llvm::StringRef;

bool diffuse::isLibrary(StringRef path) { return path.ends_with(".so"); }

bool RunOptions::inputIsLibrary() const { return isLibrary(input); }

namespace {
/// The command line as written; validated by `read`.
struct Flags {
  cl::OptionCategory category{"diffuse-run"};
  cl::opt<std::string> input{
      cl::Positional, cl::desc("<model.so or model.mlir>"), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::cat(category),
                             cl::value_desc("function"),
                             cl::desc("function of a module to run")};
  ThreadsOption threads{category};
  cl::opt<std::string> numerics{"numerics", cl::init("default"),
                                cl::cat(category),
                                cl::desc("strict, default or fast")};
  cl::opt<std::string> denormals{"denormals", cl::init("preserve"),
                                 cl::cat(category),
                                 cl::desc("preserve or flush")};
  LayoutsOption layouts{category};
  cl::opt<std::string> schedules{
      "schedules", cl::init("tuned"), cl::cat(category),
      cl::desc("tuned (those in the module), default or none")};
  OptLevelOption optLevel{category};
  WholeNumberOption seed{"seed", 0, "of the data that is not given", category};
  cl::list<std::string> inputs{"input", cl::cat(category),
                               cl::value_desc("file.npy"),
                               cl::desc("the next input (repeatable)")};
  cl::opt<std::string> extents{
      "extents", cl::cat(category), cl::value_desc("n,m,..."),
      cl::desc("dynamic extents of inputs without a file, in order")};
  cl::opt<std::string> output{"output", cl::cat(category),
                              cl::value_desc("prefix"),
                              cl::desc("write results to prefix<N>.npy")};
  cl::opt<std::string> parameters{"parameters", cl::cat(category),
                                  cl::value_desc("file.safetensors"),
                                  cl::desc("parameters of the model")};
  cl::list<std::string> expected{
      "expected", cl::cat(category), cl::value_desc("file.npy"),
      cl::desc("what the next result must be (repeatable)")};
  cl::opt<std::string> reference{
      "reference", cl::cat(category), cl::value_desc("file.mlir"),
      cl::desc("module whose plain loops give what results must be")};
  cl::opt<bool> check{"check", cl::cat(category),
                      cl::desc("compare a module with its own plain loops")};
  cl::opt<std::string> rtol{"rtol", cl::cat(category),
                            cl::desc("tolerated error over the largest value")};
  cl::opt<std::string> atol{"atol", cl::cat(category),
                            cl::desc("tolerated absolute error")};
  cl::opt<std::string> bench{"bench", cl::ValueOptional, cl::cat(category),
                             cl::value_desc("seconds"),
                             cl::desc("time repeated runs (1 s)")};
  cl::opt<std::string> profile{
      "profile", cl::ValueOptional, cl::cat(category),
      cl::value_desc("file.json"),
      cl::desc("time every call of a subgraph inside the model")};
  cl::opt<bool> json{"json", cl::cat(category),
                     cl::desc("print one JSON object")};

  llvm::Expected<RunOptions> read() const;
  llvm::Error readCode(RunOptions &options) const;
  llvm::Error readData(RunOptions &options) const;
  llvm::Error readTolerances(RunOptions &options) const;
  llvm::Error readLibrary(RunOptions &options) const;
  llvm::Error readFiles(RunOptions &options) const;
};
} // namespace

llvm::Error Flags::readCode(RunOptions &options) const {
  CodegenOptions &codegen = options.compile.codegen;
  if (llvm::Error error = threads.check())
    return error;
  if (llvm::Error error =
          readCodegenModes(optLevel, numerics, denormals, codegen))
    return error;
  llvm::Expected<size_t> choice =
      oneOf("schedules", schedules, {"tuned", "default", "none"});
  if (!choice)
    return choice.takeError();
  options.compile.schedules = static_cast<ScheduleChoice>(*choice);
  llvm::Expected<Layouts> layoutChoice = layouts.read();
  if (!layoutChoice)
    return layoutChoice.takeError();
  options.layouts = *layoutChoice;
  codegen.target = describeHost();
  return llvm::Error::success();
}

llvm::Error Flags::readData(RunOptions &options) const {
  if (input.empty())
    return makeError("no input; usage: diffuse-run model.so or model.mlir");
  options.input = input;
  options.check = check;
  llvm::Expected<uint64_t> start = seed.read();
  if (!start)
    return start.takeError();
  options.seed = *start;
  if (llvm::Error error = readLibrary(options))
    return error;
  if (isLibrary(reference))
    return makeError("--reference takes a module, whose plain loops are "
                     "compared with; '" +
                     reference + "' is a library");
  if (check && options.inputIsLibrary() && reference.empty() &&
      expected.empty())
    return makeError("--check on a library needs --reference or --expected");
  if (bench.getNumOccurrences()) {
    double seconds = 1;
    if (!bench.empty() && StringRef(bench).getAsDouble(seconds))
      seconds = -1;
    if (!(seconds > 0) || !std::isfinite(seconds))
      return makeError("--bench does not take '" + bench +
                       "'; it takes a number of seconds above 0");
    options.benchSeconds = seconds;
  }
  llvm::SmallVector<StringRef> numbers;
  StringRef(extents).split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : numbers) {
    int64_t value = 0;
    if (number.getAsInteger(10, value) || value < 0)
      return makeError("--extents does not take '" + number +
                       "'; it takes numbers separated by commas");
    options.extents.push_back(value);
  }
  return readTolerances(options);
}

llvm::Error Flags::readTolerances(RunOptions &options) const {
  for (const cl::opt<std::string> *tolerance : {&rtol, &atol}) {
    if (!tolerance->getNumOccurrences())
      continue;
    double value = 0;
    if (StringRef(*tolerance).getAsDouble(value) || !(value >= 0) ||
        !std::isfinite(value))
      return makeError("--" + tolerance->ArgStr + " does not take '" +
                       *tolerance + "'; it takes a number from 0 on");
    if (tolerance == &rtol)
      options.relativeTolerance = value;
    else
      options.absoluteTolerance = value;
    if (!check && expected.empty() && reference.empty())
      return makeError("--" + tolerance->ArgStr +
                       " is for comparisons: give --check, --expected or "
                       "--reference");
  }
  return llvm::Error::success();
}

/// A library is compiled: what says how to compile is for a reference, or must
/// agree with it.
llvm::Error Flags::readLibrary(RunOptions &options) const {
  if (!options.inputIsLibrary())
    return llvm::Error::success();
  for (const cl::Option *option : {static_cast<const cl::Option *>(&schedules),
                                   static_cast<const cl::Option *>(&layouts)})
    if (option->getNumOccurrences())
      return makeError("--" + option->ArgStr + " is for modules; '" + input +
                       "' is compiled already");
  for (const cl::Option *option : {static_cast<const cl::Option *>(&entry),
                                   static_cast<const cl::Option *>(&optLevel)})
    if (option->getNumOccurrences() && reference.empty())
      return makeError("--" + option->ArgStr + " is for modules; '" + input +
                       "' is compiled already");
  if (numerics.getNumOccurrences())
    options.asCompiled.push_back({"numerics", numerics});
  if (denormals.getNumOccurrences())
    options.asCompiled.push_back({"denormals", denormals});
  return llvm::Error::success();
}

llvm::Error Flags::readFiles(RunOptions &options) const {
  options.parameters = parameters;
  options.inputs.assign(inputs.begin(), inputs.end());
  options.expected.assign(expected.begin(), expected.end());
  options.outputPrefix = output;
  options.reference = reference;
  options.profile = profile.getNumOccurrences() != 0;
  options.profileFile = profile;
  DistinctFiles &files = options.files;
  files.reads("the model", input);
  files.reads("--reference", reference);
  files.reads("--parameters", parameters);
  for (StringRef file : inputs)
    files.reads("--input", file);
  for (StringRef file : expected)
    files.reads("--expected", file);
  files.writes("--profile", profile);
  return files.check();
}

llvm::Expected<RunOptions> Flags::read() const {
  RunOptions options;
  for (auto step : {&Flags::readCode, &Flags::readData, &Flags::readFiles})
    if (llvm::Error error = (this->*step)(options))
      return error;
  options.entry = entry;
  options.json = json;
  return options;
}

llvm::Expected<RunOptions> diffuse::parseRunOptions(int argc, char **argv) {
  forgetOption("threads");
  Flags flags;
  if (llvm::Error error = parseCommandLine(
          argc, argv, "Runs a compiled model, or a module.\n", flags.category))
    return error;
  return flags.read();
}
