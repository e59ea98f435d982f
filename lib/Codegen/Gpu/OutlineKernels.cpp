// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutlineKernels.h"

#include "PlaceBuffers.h"

#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace diffuse;

/// The grid's y and z; its x reaches 2^31 - 1.
static constexpr int64_t kMaxGridYZ = 65535;
static constexpr int64_t kMaxBlockZ = 64;

/// Each kernel repeats what is cheap: constants, sizes, views.
static bool isRepeatable(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0;
}

static FailureOr<std::array<int64_t, 3>> readSizes(gpu::LaunchOp launch,
                                                   gpu::KernelDim3 sizes) {
  std::array<int64_t, 3> numbers;
  for (auto [number, value] :
       llvm::zip(numbers, std::array{sizes.x, sizes.y, sizes.z})) {
    IntegerAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return launch.emitError("the sizes of a launch must be constants");
    number = constant.getInt();
  }
  return numbers;
}

static LogicalResult checkLimits(gpu::LaunchOp launch,
                                 const KernelLaunch &description,
                                 const TargetDescription &target) {
  auto [x, y, z] = description.block;
  int64_t threads = x * y * z;
  if (threads < 1 || threads > target.gpu.maxThreadsPerBlock || z > kMaxBlockZ)
    return launch.emitError("a block of ")
           << x << "x" << y << "x" << z << " threads is beyond the "
           << target.gpu.maxThreadsPerBlock << " (" << kMaxBlockZ
           << " along z) of " << target.key;
  auto [gridX, gridY, gridZ] = description.grid;
  if (gridX > INT32_MAX || gridY > kMaxGridYZ || gridZ > kMaxGridYZ)
    return launch.emitError("a grid of ")
           << gridX << "x" << gridY << "x" << gridZ << " blocks is beyond the "
           << INT32_MAX << "x" << kMaxGridYZ << "x" << kMaxGridYZ << " of "
           << target.key;
  if (description.sharedBytes > target.gpu.sharedBytesPerBlock)
    return launch.emitError("a block with ")
           << description.sharedBytes
           << " bytes of shared memory is beyond the "
           << target.gpu.sharedBytesPerBlock << " of " << target.key;
  return success();
}

/// Bytes of the static shared memory of a launch, each buffer aligned to 16.
static uint64_t sharedBytes(gpu::LaunchOp launch) {
  uint64_t bytes = 0;
  for (BlockArgument buffer : launch.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    bytes = llvm::alignTo(bytes, 16) +
            type.getNumElements() * elementBytes(type.getElementType());
  }
  return bytes;
}

static FailureOr<KernelLaunch> describeLaunch(gpu::LaunchOp launch,
                                              StringRef kernel,
                                              const TargetDescription &target) {
  if (launch.getDynamicSharedMemorySize())
    return launch.emitError("shared memory must be static: use workgroup "
                            "attributions");
  auto grid = readSizes(launch, launch.getGridSizeOperandValues());
  auto block = readSizes(launch, launch.getBlockSizeOperandValues());
  if (failed(grid) || failed(block))
    return failure();
  KernelLaunch description{kernel.str(), *grid, *block, sharedBytes(launch)};
  if (failed(checkLimits(launch, description, target)))
    return failure();
  return description;
}

/// Temporaries of one thread go to its registers or its local memory.
static LogicalResult keepTemporariesInThreads(gpu::LaunchOp launch) {
  SmallVector<memref::AllocOp> allocations;
  launch.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  for (memref::AllocOp op : allocations) {
    if (!op.getType().hasStaticShape() || op.getType().getMemorySpace())
      return op.emitError("a temporary inside of a kernel must be of static "
                          "size and in no memory space of its own");
    OpBuilder builder(op);
    auto local = memref::AllocaOp::create(builder, op.getLoc(), op.getType(),
                                          op.getAlignmentAttr());
    op.replaceAllUsesWith(local.getResult());
    op.erase();
  }
  return success();
}

static FailureOr<gpu::GPUFuncOp>
outlineKernel(gpu::LaunchOp launch, func::FuncOp function, StringRef kernel) {
  if (failed(keepTemporariesInThreads(launch)) ||
      failed(sinkOperationsIntoLaunchOp(launch, isRepeatable)))
    return failure();
  SmallVector<Value> operands(function.getArguments());
  gpu::GPUFuncOp outlined = outlineKernelFunc(launch, kernel, operands);
  if (operands.size() != function.getNumArguments()) {
    outlined->erase();
    return launch.emitError("a kernel needs a value that its function computes "
                            "outside of it");
  }
  auto unit = UnitAttr::get(function.getContext());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isa<MemRefType>(function.getArgument(i).getType()))
      outlined.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
  return outlined;
}

FailureOr<OutlinedKernels>
diffuse::outlineKernels(func::FuncOp function, StringRef symbol,
                        const TargetDescription &target) {
  OpBuilder builder(function);
  OutlinedKernels result;
  result.module = gpu::GPUModuleOp::create(
      builder, function.getLoc(), (function.getSymName() + "_kernels").str());
  SymbolTable symbols(result.module);
  for (auto launch : function.front().getOps<gpu::LaunchOp>()) {
    std::string kernel = symbol.str();
    if (!result.launches.empty())
      kernel += "_" + std::to_string(result.launches.size());
    FailureOr<KernelLaunch> description =
        describeLaunch(launch, kernel, target);
    if (failed(description))
      return failure();
    FailureOr<gpu::GPUFuncOp> outlined =
        outlineKernel(launch, function, kernel);
    if (failed(outlined))
      return failure();
    symbols.insert(*outlined);
    result.launches.push_back(std::move(*description));
  }
  return result;
}
