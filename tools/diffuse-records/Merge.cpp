// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `cat` merges record files too; this also drops what stands twice and what is
// torn. Lines keep their bytes, so that what a newer version added stays.

#include "Commands.h"

#include "Diffuse/Records/RecordFile.h"
#include "Diffuse/Support/AtomicFile.h"
#include "llvm/ADT/StringSet.h"

using namespace diffuse;

namespace {
/// The merged lines so far.
class MergedLines {
public:
  void addMeasurement(llvm::StringRef line) {
    if (lines.insert(line).second)
      (text += line) += '\n';
  }
  void addSubgraph(llvm::StringRef exactHash, llvm::StringRef line) {
    if (subgraphs.insert(exactHash).second)
      (text += line) += '\n';
  }

  void addSketch(const SketchRecord &sketch, llvm::StringRef line) {
    if (sketches.insert(sketch.digest + " " + sketch.name).second)
      (text += line) += '\n';
  }

  std::string text;

private:
  llvm::StringSet<> lines;
  llvm::StringSet<> subgraphs;
  llvm::StringSet<> sketches;
};
} // namespace

static llvm::Error addFile(const std::string &file, MergedLines &merged) {
  RecordVisitor visitor{[&](Located<MeasurementRecord> &&line) {
                          merged.addMeasurement(line.text.rtrim('\r'));
                        },
                        [&](Located<SubgraphRecord> &&line) {
                          merged.addSubgraph(line.record.exactHash,
                                             line.text.rtrim('\r'));
                        },
                        [&](std::string reason) { warn("left out " + reason); },
                        [&](Located<SketchRecord> &&line) {
                          merged.addSketch(line.record, line.text.rtrim('\r'));
                        }};
  ReadPosition start;
  return readRecordFile(file, start, visitor);
}

static llvm::Error merge(const RecordsOptions &options) {
  MergedLines merged;
  for (const std::string &file : options.files)
    if (llvm::Error error = addFile(file, merged))
      return error;
  return writeFileAtomically(options.output, merged.text);
}

int diffuse::runMerge(const RecordsOptions &options) {
  if (llvm::Error error = merge(options)) {
    complain(llvm::toString(std::move(error)));
    return 1;
  }
  return 0;
}
