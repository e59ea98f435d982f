// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Snapshots.h"

#include "Compare.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"

using namespace diffuse;

static constexpr llvm::StringLiteral kIndex = "snapshots.json";

llvm::Error diffuse::prepareSnapshots(const std::string &folder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return makeError("cannot make folder '" + folder + "': " + code.message());
  if (!llvm::sys::fs::is_directory(folder))
    return makeError("cannot make folder '" + folder +
                     "': there is a file of that name");
  return checkWritable(folder + "/" + kIndex.str());
}

std::vector<std::string> diffuse::snapshotFiles(llvm::StringRef folder,
                                                const Budget &budget) {
  std::vector<std::string> files = {(folder + "/" + kIndex).str(),
                                    (folder + "/end.mlir").str()};
  // No budget is longer.
  for (unsigned mark = 1; mark; mark *= 2)
    files.push_back((folder + "/" + llvm::Twine(mark) +
                     (budget.seconds ? "s" : "") + ".mlir")
                        .str());
  return files;
}

llvm::Error SnapshotFolder::write(mlir::ModuleOp module, llvm::StringRef name,
                                  double seconds, unsigned measurements,
                                  double estimatedMicros) {
  if (mlir::failed(mlir::verify(module)))
    return makeError("the module is broken; this is a fault of diffuse-tune");
  std::string file = (name + ".mlir").str();
  if (llvm::Error error =
          writeFileAtomically(path + "/" + file, printModule(module)))
    return error;
  Json entry = Json::object();
  entry.set("file", file)
      .set("seconds", seconds)
      .set("measurements", measurements)
      .set("estimated_us", estimatedMicros);
  entries.push_back(std::move(entry));
  Json index = Json::object();
  index.set("format", 1).set("snapshots", Json(entries));
  return writeFileAtomically(path + "/" + kIndex.str(), index.dump(2) + "\n");
}
