// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

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
    "  merge FILE... -o FILE  all good lines, each once\n";

namespace {
/// The command line as written.
struct Flags {
  cl::OptionCategory category{"diffuse-records"};
  cl::opt<std::string> command{cl::Positional, cl::desc("stat|best|merge"),
                               cl::cat(category)};
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
    return makeError("no command; known are stat, best and merge");
  if (command == "reproduce")
    return makeError("the command reproduce is not built yet");
  if (command != "stat" && command != "best" && command != "merge")
    return makeError("unknown command '" + command +
                     "'; known are stat, best and merge");
  if (flags.files.empty())
    return makeError(command + " needs at least one record file");
  if (command == "merge" && (flags.json || !flags.target.empty()))
    return makeError("merge takes no --json and no --target");
  if (command != "merge" && flags.output.getNumOccurrences())
    return makeError(command + " takes no -o");
  return llvm::Error::success();
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
  return options;
}
