// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/SketchSet.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace diffuse;
using namespace mlir;

static FailureOr<SketchLibrary> readFile(MLIRContext *context,
                                         const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return emitError(FileLineColLoc::get(context, file, 1, 1))
           << "cannot read sketches from '" << file
           << "': " << buffer.getError().message();
  return SketchLibrary::parse((*buffer)->getBuffer(), file, context);
}

FailureOr<SketchSet> diffuse::loadSketches(MLIRContext *context,
                                           llvm::ArrayRef<std::string> files,
                                           bool onlyOwn) {
  FailureOr<SketchLibrary> library = SketchLibrary::builtin(context);
  if (failed(library))
    return failure();
  SketchSet sketches{std::move(*library), {}, {}, onlyOwn};
  SketchLibrary all = sketches.library;
  for (const std::string &file : files) {
    FailureOr<SketchLibrary> read = readFile(context, file);
    if (failed(read) || failed(all.append(*read)) ||
        failed(sketches.own.append(*read)))
      return failure();
  }
  return sketches;
}

void diffuse::addRecordedSketches(MLIRContext *context,
                                  const RecordStore &records,
                                  SketchSet &sketches) {
  if (sketches.onlyOwn)
    return;
  for (const SketchRecord &record : records.sketches()) {
    bool isTaken = false;
    for (const SketchLibrary *known : {&sketches.library, &sketches.own})
      isTaken |= llvm::is_contained(known->names(), record.name);
    if (isTaken)
      continue;
    // It parsed when it was written; what another version says of it now is of
    // no use to who tunes without it.
    ScopedDiagnosticHandler quiet(context,
                                  [](Diagnostic &) { return success(); });
    FailureOr<SketchLibrary> read =
        SketchLibrary::parse(record.text, record.name + ".mlir", context);
    if (succeeded(read))
      (void)sketches.recorded.appendOne(*read, record.name);
  }
}

bool diffuse::bindSketches(const SketchSet &sketches,
                           const TargetDescription &target, Numerics numerics,
                           SearchTask &task) {
  auto bind = [&](const SketchLibrary &library) {
    llvm::SmallVector<BoundSketch> bound =
        library.bind(task.descriptor, target, numerics);
    return std::vector<BoundSketch>(bound.begin(), bound.end());
  };
  std::vector<BoundSketch> library = bind(sketches.library);
  std::vector<BoundSketch> own = bind(sketches.own);
  task.recordedSketches = bind(sketches.recorded);
  if (!sketches.onlyOwn)
    task.sketches = library;
  task.sketches.insert(task.sketches.end(), own.begin(), own.end());
  bool isKnown = !task.sketches.empty() || !task.recordedSketches.empty() ||
                 !library.empty();
  // Own sketches are never a default: nobody has tried them.
  if (task.sketches.size() != library.size() || sketches.onlyOwn)
    task.defaultSketches = std::move(library);
  return isKnown;
}
