// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MapToLaunches.h"

#include "Diffuse/IR/Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;
using namespace diffuse;

/// How far a grid reaches along y and z; along x it is 2^31 - 1.
static constexpr int64_t kMaxGridYZ = 65535;
/// The results of a register tile.
static constexpr int64_t kMaxResultsOfOneThread = 64;

namespace {
/// One loop of a forall.
struct Loop {
  int64_t lower = 0;
  int64_t step = 1;
  int64_t trips = 1;
};

/// One of x, y and z: the loops that run along it, innermost first.
struct Axis {
  SmallVector<unsigned> loops;
  int64_t trips = 1;
  int64_t threads = 1;
  int64_t blocks() const { return llvm::divideCeil(trips, threads); }
  bool isGuarded() const { return blocks() * threads != trips; }
};
} // namespace

static FailureOr<SmallVector<Loop>> readLoops(scf::ForallOp forall) {
  if (forall.getMapping())
    return forall.emitError("a loop with a mapping is to be mapped by the "
                            "schedule, with transform.gpu operations");
  SmallVector<Loop> loops;
  for (auto [lower, upper, step] :
       llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                 forall.getMixedStep())) {
    auto first = getConstantIntValue(lower), end = getConstantIntValue(upper),
         stride = getConstantIntValue(step);
    if (!first || !end || !stride)
      return forall.emitError("the bounds of a loop that is mapped to a GPU "
                              "must be constants");
    int64_t trips =
        *end > *first ? llvm::divideCeil(*end - *first, *stride) : 0;
    loops.push_back({*first, *stride, trips});
  }
  return loops;
}

/// x and y take one loop each, z the rest.
static std::array<Axis, 3> assignAxes(scf::ForallOp forall,
                                      ArrayRef<Loop> loops) {
  static constexpr llvm::StringLiteral names[] = {kThreadsXAttr, kThreadsYAttr,
                                                  kThreadsZAttr};
  static constexpr int64_t defaults[] = {32, 1, 1};
  std::array<Axis, 3> axes;
  for (unsigned i = 0, e = loops.size(); i < e; ++i) {
    Axis &axis = axes[std::min(i, 2u)];
    axis.loops.push_back(e - 1 - i);
    axis.trips *= loops[e - 1 - i].trips;
  }
  for (auto [axis, name, otherwise] : llvm::zip(axes, names, defaults)) {
    auto attribute = forall->getAttrOfType<IntegerAttr>(name);
    int64_t wanted = attribute ? attribute.getInt() : otherwise;
    axis.threads =
        std::clamp<int64_t>(wanted, 1, std::max<int64_t>(axis.trips, 1));
  }
  return axes;
}

namespace {
/// Builds the launch of one forall.
class LaunchBuilder {
public:
  LaunchBuilder(scf::ForallOp forall, ArrayRef<Loop> loops)
      : forall(forall), loops(loops), axes(assignAxes(forall, loops)),
        builder(forall), loc(forall.getLoc()) {}

  void build();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  bool isFlat() const {
    return std::max(axes[1].blocks(), axes[2].blocks()) > kMaxGridYZ;
  }
  std::array<int64_t, 3> gridSizes() const;
  std::array<Value, 3> blocks(gpu::KernelDim3 ids);
  Value number(const Axis &axis, Value block, Value thread);
  void guard(ArrayRef<Value> numbers);
  void setInductionVariables(const Axis &axis, Value number);

  scf::ForallOp forall;
  ArrayRef<Loop> loops;
  std::array<Axis, 3> axes;
  OpBuilder builder;
  Location loc;
};
} // namespace

/// Blocks along the axes, or all of them along x where y and z do not reach.
std::array<int64_t, 3> LaunchBuilder::gridSizes() const {
  int64_t x = axes[0].blocks(), y = axes[1].blocks(), z = axes[2].blocks();
  return isFlat() ? std::array<int64_t, 3>{x * y * z, 1, 1}
                  : std::array<int64_t, 3>{x, y, z};
}

/// Number of the block along each axis.
std::array<Value, 3> LaunchBuilder::blocks(gpu::KernelDim3 ids) {
  if (!isFlat())
    return {ids.x, ids.y, ids.z};
  Value alongX = constant(axes[0].blocks()),
        alongY = constant(axes[1].blocks());
  Value rest = arith::DivUIOp::create(builder, loc, ids.x, alongX);
  return {arith::RemUIOp::create(builder, loc, ids.x, alongX),
          arith::RemUIOp::create(builder, loc, rest, alongY),
          arith::DivUIOp::create(builder, loc, rest, alongY)};
}

/// Number of the thread along the axis, in the whole grid.
Value LaunchBuilder::number(const Axis &axis, Value block, Value thread) {
  Value start =
      arith::MulIOp::create(builder, loc, block, constant(axis.threads));
  return arith::AddIOp::create(builder, loc, start, thread);
}

/// Lets only threads pass that have an iteration, and goes on inside.
void LaunchBuilder::guard(ArrayRef<Value> numbers) {
  Value inside;
  for (auto [axis, number] : llvm::zip(axes, numbers)) {
    if (!axis.isGuarded())
      continue;
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        number, constant(axis.trips));
    inside =
        inside ? arith::AndIOp::create(builder, loc, inside, holds) : holds;
  }
  if (!inside)
    return;
  auto branch = scf::IfOp::create(builder, loc, inside);
  builder.setInsertionPointToStart(branch.thenBlock());
}

void LaunchBuilder::setInductionVariables(const Axis &axis, Value number) {
  for (unsigned index : axis.loops) {
    const Loop &loop = loops[index];
    Value trip = number;
    if (index != axis.loops.back()) {
      Value trips = constant(loop.trips);
      trip = arith::RemUIOp::create(builder, loc, number, trips);
      number = arith::DivUIOp::create(builder, loc, number, trips);
    }
    Value scaled =
        arith::MulIOp::create(builder, loc, trip, constant(loop.step));
    Value variable =
        arith::AddIOp::create(builder, loc, scaled, constant(loop.lower));
    forall.getInductionVar(index).replaceAllUsesWith(variable);
  }
}

void LaunchBuilder::build() {
  SmallVector<Value> sizes;
  for (int64_t size : gridSizes())
    sizes.push_back(constant(size));
  for (const Axis &axis : axes)
    sizes.push_back(constant(axis.threads));
  auto launch = gpu::LaunchOp::create(builder, loc, sizes[0], sizes[1],
                                      sizes[2], sizes[3], sizes[4], sizes[5]);
  builder.setInsertionPointToStart(&launch.getBody().front());
  std::array<Value, 3> block = blocks(launch.getBlockIds());
  gpu::KernelDim3 thread = launch.getThreadIds();
  Value numbers[] = {number(axes[0], block[0], thread.x),
                     number(axes[1], block[1], thread.y),
                     number(axes[2], block[2], thread.z)};
  auto end = gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPoint(end);
  guard(numbers);
  for (auto [axis, number] : llvm::zip(axes, numbers))
    setInductionVariables(axis, number);
  Block *target = builder.getInsertionBlock();
  Block *body = forall.getBody();
  target->getOperations().splice(builder.getInsertionPoint(),
                                 body->getOperations(), body->begin(),
                                 std::prev(body->end()));
  forall.erase();
}

/// Few enough to be the work of one thread: the loop over a single tile is
/// folded away before it gets here.
static bool hasFewResults(func::FuncOp function) {
  int64_t elements = 0;
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kDestinationAttr)) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type || !type.hasStaticShape())
        return false;
      elements += type.getNumElements();
    }
  return elements <= kMaxResultsOfOneThread;
}

/// Lets one thread do all that the function does.
static void mapToOneThread(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  Value one = arith::ConstantIndexOp::create(builder, function.getLoc(), 1);
  auto launch = gpu::LaunchOp::create(builder, function.getLoc(), one, one, one,
                                      one, one, one);
  Block &body = launch.getBody().front();
  body.getOperations().splice(body.begin(), function.front().getOperations(),
                              std::next(launch->getIterator()),
                              std::prev(function.front().end()));
  builder.setInsertionPointToEnd(&body);
  gpu::TerminatorOp::create(builder, function.getLoc());
}

/// Work outside of the launches would be lost.
static LogicalResult checkCoverage(func::FuncOp function) {
  bool isEmpty = true;
  for (Operation &op : function.front()) {
    if (isa<gpu::LaunchOp>(op)) {
      isEmpty = false;
      continue;
    }
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(&op))
      return op.emitError("no kernel runs this operation of subgraph '")
             << function.getSymName()
             << "'; a schedule for a GPU must cover all of it";
  }
  if (isEmpty)
    return function.emitError("subgraph '")
           << function.getSymName() << "' has no loop that a GPU could run";
  return success();
}

LogicalResult diffuse::mapToLaunches(func::FuncOp function) {
  Block &top = function.front();
  if (top.getOps<scf::ForallOp>().empty() &&
      top.getOps<gpu::LaunchOp>().empty() && hasFewResults(function)) {
    mapToOneThread(function);
    return success();
  }
  SmallVector<scf::ForallOp> foralls(function.front().getOps<scf::ForallOp>());
  for (scf::ForallOp forall : foralls) {
    FailureOr<SmallVector<Loop>> loops = readLoops(forall);
    if (failed(loops))
      return failure();
    if (llvm::any_of(*loops, [](const Loop &loop) { return !loop.trips; })) {
      forall.erase();
      continue;
    }
    LaunchBuilder(forall, *loops).build();
  }
  return checkCoverage(function);
}
