// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileWork.h"

using namespace diffuse;

namespace {
/// `count` tiles of `vectors` vectors (or rows) each along one loop.
struct Piece {
  double count = 0;
  int64_t width = 1;
};

/// Rates of a core. They are typical of wide x86-64 cores of the last years;
/// measurements correct what they miss.
constexpr double kOpsPerCycle = 2, kLoadsPerCycle = 1.2, kOpLatency = 4;
/// To load and store a vector of results around a run of the reduction.
constexpr double kCyclesPerResult = 1.5;
} // namespace

/// Full tiles and the rest; along vectors the rest is cut into single ones.
static llvm::SmallVector<Piece, 2> cutLoop(int64_t extent, int64_t tile,
                                           bool isVector, unsigned lanes) {
  llvm::SmallVector<Piece, 2> pieces;
  int64_t unit = isVector ? lanes : 1;
  pieces.push_back({double(extent / tile), ceilDiv(tile, unit)});
  int64_t rest = extent % tile;
  if (rest && isVector)
    pieces.push_back({double(ceilDiv(rest, unit)), 1});
  else if (rest)
    pieces.push_back({1, rest});
  return pieces;
}

double diffuse::countLoads(const NestProblem &problem,
                           llvm::ArrayRef<int64_t> widths) {
  double loads = 0;
  for (const Operand &operand : problem.operands) {
    if (operand.isOutput)
      continue;
    double parts = 1;
    for (unsigned loop = 0; loop < widths.size(); ++loop)
      if (!problem.reduction[loop] && operand.walks(loop))
        parts *= double(widths[loop]);
    loads += parts;
  }
  return loads;
}

double diffuse::countResults(const NestProblem &problem,
                             llvm::ArrayRef<int64_t> widths) {
  double results = 1;
  for (unsigned loop = 0; loop < widths.size(); ++loop)
    if (!problem.reduction[loop])
      results *= double(widths[loop]);
  return results;
}

namespace {

/// Sums over all combinations of full and partial pieces.
struct WorkCounter {
  const NestProblem &problem;
  const TileLoops &loops;
  TileWork work;
  TileExtents widths = TileExtents(loops.tile.size(), 1);

  void visit(unsigned loop, double count, bool full) {
    if (loop == loops.tile.size()) {
      addTile(count, full);
      return;
    }
    if (problem.reduction[loop])
      return visit(loop + 1, count, full);
    bool isVector = loop == problem.vectorLoop;
    auto pieces =
        cutLoop(problem.extents[loop], loops.tile[loop], isVector, loops.lanes);
    for (auto [index, piece] : llvm::enumerate(pieces)) {
      widths[loop] = piece.width;
      visit(loop + 1, count * piece.count, full && index == 0);
    }
  }

  void addTile(double count, bool full) {
    double results = countResults(problem, widths);
    double loads = countLoads(problem, widths);
    double step = std::max(results / kOpsPerCycle, loads / kLoadsPerCycle);
    if (loops.carried)
      step = std::max(step, kOpLatency);
    work.cycles += count * (loops.steps * step +
                            loops.panels * results * kCyclesPerResult);
    work.vectorOps += count * loops.steps * results;
    if (full)
      work.fullOps += count * loops.steps * results;
  }
};

} // namespace

TileWork diffuse::countTileWork(const NestProblem &problem,
                                const TileLoops &loops) {
  WorkCounter counter{problem, loops, {}};
  counter.visit(0, 1, true);
  return counter.work;
}
