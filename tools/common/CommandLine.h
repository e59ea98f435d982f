// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tools' command lines have in common.

#ifndef DIFFUSE_TOOLS_COMMON_COMMANDLINE_H
#define DIFFUSE_TOOLS_COMMON_COMMANDLINE_H

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Graph/PackLayouts.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace diffuse {

/// Forgets an option that libLLVM registers for programs of its own. To be
/// called before an option of that name is made.
inline void forgetOption(llvm::StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end())
    found->second->removeArgument();
}

/// `value`, which must be one of `accepted`, as an index.
inline llvm::Expected<size_t> oneOf(llvm::StringRef option,
                                    llvm::StringRef value,
                                    llvm::ArrayRef<llvm::StringRef> accepted) {
  for (size_t index = 0; index < accepted.size(); ++index)
    if (accepted[index] == value)
      return index;
  return makeError("--" + option + " does not take '" + value + "'; it takes " +
                   llvm::join(accepted, ", "));
}

/// An option that takes a whole number. LLVM's own say of a value that they do
/// not take neither what they take nor, to whoever asked, that it was wrong.
struct WholeNumberOption : llvm::cl::opt<std::string> {
  WholeNumberOption(llvm::StringRef name, uint64_t value,
                    llvm::StringRef description,
                    llvm::cl::OptionCategory &category,
                    std::optional<uint64_t> greatest = std::nullopt)
      : opt(name, llvm::cl::init(std::to_string(value)),
            llvm::cl::cat(category), llvm::cl::desc(description),
            llvm::cl::value_desc("number")),
        greatest(greatest) {}
  llvm::Expected<uint64_t> read() const {
    uint64_t value = 0;
    if (!llvm::StringRef(getValue()).getAsInteger(0, value) &&
        value <= greatest.value_or(value))
      return value;
    return makeError(
        "--" + ArgStr + " does not take '" + getValue() + "'; it takes " +
        (greatest ? "0 to " + std::to_string(*greatest)
                  : std::string("a whole number from 0 on, below 2^64")));
  }

private:
  std::optional<uint64_t> greatest;
};

/// `--threads` of a tool.
struct ThreadsOption : WholeNumberOption {
  explicit ThreadsOption(llvm::cl::OptionCategory &category)
      : WholeNumberOption("threads", 1, "threads of the code", category) {}
  llvm::Error check() const {
    llvm::Expected<uint64_t> threads = read();
    if (!threads)
      return threads.takeError();
    if (*threads != 1)
      return makeError("--threads=" + llvm::Twine(*threads) +
                       " is not supported yet; code is for 1 thread");
    return llvm::Error::success();
  }
};

/// `--opt-level` of a tool.
struct OptLevelOption : WholeNumberOption {
  explicit OptLevelOption(llvm::cl::OptionCategory &category)
      : WholeNumberOption("opt-level", CodegenOptions().optLevel,
                          "of LLVM's optimizer, 0 to 3", category, 3) {}
};

/// `--layouts` of a tool.
struct LayoutsOption : llvm::cl::opt<std::string> {
  explicit LayoutsOption(llvm::cl::OptionCategory &category)
      : opt("layouts", llvm::cl::init("auto"), llvm::cl::cat(category),
            llvm::cl::desc("channels in blocks of vectors: auto (where that "
                           "pays), blocked (always) or plain (never)")) {}
  llvm::Expected<Layouts> read() const {
    llvm::Expected<size_t> choice =
        oneOf("layouts", getValue(), {"auto", "blocked", "plain"});
    if (!choice)
      return choice.takeError();
    const Layouts choices[] = {Layouts::Auto, Layouts::Blocked, Layouts::Plain};
    return choices[*choice];
  }
};

/// True for `flush`, false for `preserve`.
inline llvm::Expected<bool> readDenormals(llvm::StringRef denormals) {
  llvm::Expected<size_t> mode =
      oneOf("denormals", denormals, {"preserve", "flush"});
  if (!mode)
    return mode.takeError();
  return *mode == 1;
}

/// Reads what `--opt-level`, `--numerics` and `--denormals` say of code.
inline llvm::Error readCodegenModes(const OptLevelOption &optLevel,
                                    llvm::StringRef numerics,
                                    llvm::StringRef denormals,
                                    CodegenOptions &codegen) {
  llvm::Expected<uint64_t> level = optLevel.read();
  if (!level)
    return level.takeError();
  codegen.optLevel = static_cast<int>(*level);
  llvm::Expected<Numerics> mode = parseNumerics(numerics);
  if (!mode)
    return mode.takeError();
  codegen.numerics = *mode;
  llvm::Expected<bool> flush = readDenormals(denormals);
  if (!flush)
    return flush.takeError();
  codegen.ftz = *flush;
  return llvm::Error::success();
}

/// Fails where an option of `category` is given without the value that it needs
/// or, one that takes one value, with two that differ: which of them was meant?
inline llvm::Error refuseContradictions(int argc, char **argv,
                                        llvm::cl::OptionCategory &category) {
  llvm::StringMap<llvm::StringRef> given;
  for (int i = 1; i < argc; ++i) {
    auto [name, value] = llvm::StringRef(argv[i]).split('=');
    if (!name.starts_with("-") || name.ltrim('-').empty())
      continue;
    auto &options = llvm::cl::getRegisteredOptions();
    auto found = options.find(name.ltrim('-'));
    if (found == options.end() ||
        !llvm::is_contained(found->second->Categories, &category))
      continue;
    bool takesNext =
        found->second->getValueExpectedFlag() == llvm::cl::ValueRequired &&
        !llvm::StringRef(argv[i]).contains('=') && i + 1 < argc;
    if (takesNext)
      value = argv[++i];
    if (value.empty() &&
        found->second->getValueExpectedFlag() == llvm::cl::ValueRequired)
      return makeError(name + " is given without a value");
    if (found->second->getNumOccurrencesFlag() != llvm::cl::Optional)
      continue;
    auto [earlier, isNew] = given.try_emplace(name.ltrim('-'), value);
    if (!isNew && earlier->second != value)
      return makeError(name + " is given as '" + earlier->second +
                       "' and as '" + value + "'; give it once");
  }
  return llvm::Error::success();
}

/// Parses the command line of the tool that `category` is named after, with
/// the options of MLIR's printer, context and passes beside its own. `--help`
/// and
/// `--version` end the program there; fails with what is wrong otherwise.
inline llvm::Error parseCommandLine(int argc, char **argv,
                                    llvm::StringRef overview,
                                    llvm::cl::OptionCategory &category) {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  // --mlir-print-ir-after and the like take the names of passes.
  mlir::registerAllPasses();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  llvm::cl::HideUnrelatedOptions(category);
  std::string tool = category.getName().str();
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &stream) {
    stream << tool << " " << toolVersion() << ", codegen " << kCodegenNumber
           << ", LLVM " << llvmVersion() << ", target " << describeHost().key
           << '\n';
  });
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, overview, &stream))
    return makeError(messages.empty()
                         ? "the value of an option, named above, is not valid"
                         : llvm::StringRef(messages).trim());
  return refuseContradictions(argc, argv, category);
}

} // namespace diffuse

#endif // DIFFUSE_TOOLS_COMMON_COMMANDLINE_H
