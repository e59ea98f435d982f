// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmitFolder.h"

#include "Diffuse/Pipelines/EmitSchedules.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace diffuse;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

static constexpr StringRef kFiles[] = {"payload.mlir", "schedules.mlir",
                                       "schedules.json"};

std::vector<std::string> diffuse::filesOfFolder(StringRef folder) {
  std::vector<std::string> paths;
  for (StringRef name : kFiles)
    paths.push_back((folder + "/" + name).str());
  return paths;
}

llvm::Error diffuse::checkFolder(StringRef folder) {
  if (!fs::exists(folder))
    return llvm::Error::success();
  if (!fs::is_directory(folder))
    return makeError("cannot write '" + folder + "': it is not a folder");
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; entry != end && !code;
       entry.increment(code)) {
    StringRef name = llvm::sys::path::filename(entry->path());
    if (!llvm::is_contained(kFiles, name))
      return makeError("cannot write '" + folder + "': it holds '" + name +
                       "'; name a folder that is empty or not there");
  }
  if (code)
    return makeError("cannot read '" + folder + "': " + code.message());
  return llvm::Error::success();
}

/// Puts the folder `made` in the place of `folder`.
static std::error_code moveInto(StringRef made, StringRef folder) {
  if (!fs::exists(folder))
    return fs::rename(made, folder);
  llvm::SmallString<128> old;
  fs::createUniquePath(folder + ".%%%%%%.old", old, /*MakeAbsolute=*/false);
  if (std::error_code code = fs::rename(folder, old))
    return code;
  if (std::error_code code = fs::rename(made, folder)) {
    (void)fs::rename(old, folder);
    return code;
  }
  return fs::remove_directories(old);
}

static llvm::Error writeFolder(StringRef output, const ScheduleFiles &files) {
  if (llvm::Error error = checkFolder(output))
    return error;
  StringRef folder = output.rtrim('/');
  llvm::SmallString<128> made;
  fs::createUniquePath(folder + ".%%%%%%.tmp", made, /*MakeAbsolute=*/false);
  if (std::error_code code = fs::create_directory(made))
    return makeError("cannot write '" + folder + "': " + code.message());
  const std::string *texts[] = {&files.payload, &files.schedules,
                                &files.selected};
  llvm::Error error = llvm::Error::success();
  for (auto [name, text] : llvm::zip(kFiles, texts)) {
    llvm::SmallString<128> path(made);
    llvm::sys::path::append(path, name);
    if (!error)
      error = writeFileAtomically(path, *text);
  }
  if (!error)
    if (std::error_code code = moveInto(made, folder))
      error = makeError("cannot write '" + folder + "': " + code.message());
  if (error)
    (void)fs::remove_directories(made);
  return error;
}

mlir::LogicalResult diffuse::emitFolder(const CompileOptions &options,
                                        ModuleFile &file) {
  mlir::FailureOr<ScheduleFiles> files = emitSchedules(file, options.compile);
  if (mlir::failed(files))
    return mlir::failure();
  if (llvm::Error error = writeFolder(options.output, *files)) {
    llvm::WithColor::error(llvm::errs(), "diffuse-compile")
        << llvm::toString(std::move(error)) << '\n';
    return mlir::failure();
  }
  return mlir::success();
}
