// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "../common/DistinctFiles.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Records/MeasurementRecord.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace diffuse;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral kOverview =
    "Reads files of measurements.\n\n"
    "  stat FILE...           counts of each file\n"
    "  best FILE...           the best schedule of each subgraph\n"
    "  merge FILE... -o FILE  all good lines, each once\n"
    "  reproduce FILE:LINE    one measurement, made again; 3 where the "
    "verdict\n"
    "                         is another\n";

static constexpr llvm::StringLiteral kCommands =
    "known are stat, best, merge and reproduce";

namespace {
/// The command line as written.
struct Flags {
  cl::OptionCategory category{"diffuse-records"};
  cl::opt<std::string> command{
      cl::Positional, cl::desc("stat|best|merge|reproduce"), cl::cat(category)};
  cl::list<std::string> files{cl::Positional, cl::desc("FILE..."),
                              cl::cat(category)};
  cl::opt<std::string> target{"target", cl::cat(category),
                              cl::value_desc("key"),
                              cl::desc("only records of this target")};
  cl::opt<bool> json{"json", cl::cat(category), cl::desc("print JSON")};
  cl::opt<std::string> output{"o", cl::init("-"), cl::cat(category),
                              cl::value_desc("file"),
                              cl::desc("where merged records go")};
};
} // namespace

static void printVersion(llvm::raw_ostream &stream) {
  stream << "diffuse-records " << toolVersion() << "\n"
         << "codegen number " << kCodegenNumber << "\n"
         << "record format " << kRecordFormat << "\n"
         << "LLVM " << llvmVersion() << "\n";
}

static llvm::Error check(const Flags &flags) {
  llvm::StringRef command = flags.command;
  if (command.empty())
    return makeError("no command; " + kCommands);
  bool isMerge = command == "merge", isReproduce = command == "reproduce";
  if (!isMerge && !isReproduce && command != "stat" && command != "best")
    return makeError("unknown command '" + command + "'; " + kCommands);
  if (flags.files.empty())
    return makeError(command + " needs at least one record file");
  if (isReproduce && flags.files.size() > 1)
    return makeError("reproduce takes one FILE:LINE");
  if (isMerge && flags.json)
    return makeError("merge takes no --json");
  if ((isMerge || isReproduce) && !flags.target.empty())
    return makeError(command + " takes no --target");
  if (!isMerge && flags.output.getNumOccurrences())
    return makeError(command + " takes no -o");
  return llvm::Error::success();
}

/// Cuts FILE:LINE in two.
static llvm::Error readPlace(RecordsOptions &options) {
  auto [file, line] = llvm::StringRef(options.files.front()).rsplit(':');
  if (file.empty() || line.getAsInteger(10, options.line) || options.line == 0)
    return makeError("reproduce needs FILE:LINE with a line from 1 on, not '" +
                     options.files.front() + "'");
  options.files.front() = file.str();
  return llvm::Error::success();
}

/// A merge replaces its output. Were that an input, what other processes append
/// meanwhile would be lost, and those who read it on would lose their place.
static llvm::Error checkFiles(const RecordsOptions &options) {
  DistinctFiles files;
  for (const std::string &file : options.files)
    files.reads("an input", file);
  files.writes("-o", options.output);
  return files.check();
}

llvm::Expected<RecordsOptions> diffuse::parseRecordsOptions(int argc,
                                                            char **argv) {
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::SetVersionPrinter(printVersion);
  std::string complaints;
  llvm::raw_string_ostream stream(complaints);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &stream)) {
    llvm::StringRef complaint = llvm::StringRef(complaints).trim();
    complaint.consume_front("diffuse-records: ");
    return makeError(complaint);
  }
  if (llvm::Error error = check(flags))
    return error;
  RecordsOptions options;
  options.command = flags.command;
  options.files.assign(flags.files.begin(), flags.files.end());
  options.target = flags.target;
  options.json = flags.json;
  options.output = flags.output;
  if (options.command == "reproduce")
    if (llvm::Error error = readPlace(options))
      return error;
  if (llvm::Error error = checkFiles(options))
    return error;
  return options;
}
