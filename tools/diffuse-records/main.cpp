// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks into record files, and makes their measurements again.

#include "Commands.h"

#include "../common/StandardStreams.h"

#include "Diffuse/Support/Interrupt.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace diffuse;

void diffuse::warn(const llvm::Twine &message) {
  llvm::WithColor::warning(llvm::errs(), "diffuse-records") << message << "\n";
}

void diffuse::complain(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "diffuse-records") << message << "\n";
}

static int run(const RecordsOptions &options) {
  for (const std::string &file : options.files)
    if (!llvm::sys::fs::exists(file)) {
      complain("there is no record file '" + file + "'");
      return 1;
    }
  if (options.command == "stat")
    return runStat(options);
  if (options.command == "best")
    return runBest(options);
  return options.command == "merge" ? runMerge(options) : runReproduce(options);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  openStandardStreams();
  ignoreFileSizeSignal();
  llvm::Expected<RecordsOptions> options = parseRecordsOptions(argc, argv);
  if (!options) {
    complain(llvm::toString(options.takeError()));
    return 2;
  }
  return closeStandardStreams("diffuse-records", run(*options));
}
