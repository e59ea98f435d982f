// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operands.h"

#include "llvm/ADT/STLExtras.h"

using namespace diffuse;

bool Operand::walks(unsigned loop) const {
  return llvm::any_of(dims, [&](const OperandDim &dim) {
    return dim.loop == loop || dim.window == int(loop);
  });
}

double Operand::bytes(llvm::ArrayRef<int64_t> tile) const {
  double elements = 1;
  for (const OperandDim &dim : dims) {
    int64_t extent = (tile[dim.loop] - 1) * dim.stride + 1;
    if (dim.window >= 0)
      extent += (tile[dim.window] - 1) * dim.dilation;
    elements *= double(extent);
  }
  return elements * elementBytes;
}

TileExtents diffuse::getExtents(const SubgraphDescriptor &descriptor) {
  TileExtents extents;
  for (const DimInfo &dim : descriptor.dims)
    extents.push_back(dim.extent);
  return extents;
}

/// Loops of the role, in loop order.
static llvm::SmallVector<unsigned> loopsOf(const SubgraphDescriptor &descriptor,
                                           DimRole role) {
  llvm::SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < descriptor.dims.size(); ++loop)
    if (descriptor.dims[loop].role == role)
      loops.push_back(loop);
  return loops;
}

static Operand makeOperand(const SubgraphDescriptor &descriptor,
                           llvm::ArrayRef<DimRole> roles) {
  Operand operand;
  operand.elementBytes = std::max(1u, descriptor.elementBits / 8);
  for (DimRole role : roles)
    for (unsigned loop : loopsOf(descriptor, role))
      operand.dims.push_back({loop, -1, 1, 1});
  return operand;
}

static Operand makeOutput(const SubgraphDescriptor &descriptor) {
  Operand output;
  output.isOutput = true;
  output.elementBytes = std::max(1u, descriptor.accumulatorBits / 8);
  for (unsigned loop = 0; loop < descriptor.dims.size(); ++loop)
    switch (descriptor.dims[loop].role) {
    case DimRole::K:
    case DimRole::Window:
    case DimRole::Channel:
    case DimRole::Reduction:
      break;
    default:
      output.dims.push_back({loop, -1, 1, 1});
    }
  return output;
}

/// The image that a window slides over.
static Operand makeImage(const SubgraphDescriptor &descriptor) {
  Operand image = makeOperand(
      descriptor, {DimRole::Batch, DimRole::Group, DimRole::Channel});
  llvm::SmallVector<unsigned> images = loopsOf(descriptor, DimRole::Image);
  llvm::SmallVector<unsigned> windows = loopsOf(descriptor, DimRole::Window);
  for (unsigned i = 0; i < images.size(); ++i) {
    OperandDim dim;
    dim.loop = images[i];
    if (i < windows.size() && i < descriptor.strides.size()) {
      dim.window = int(windows[i]);
      dim.stride = descriptor.strides[i];
      dim.dilation = descriptor.dilations[i];
    }
    image.dims.push_back(dim);
  }
  return image;
}

/// Operands whose dimensions are single loops, from the anchor's own maps.
static llvm::SmallVector<Operand>
readOperands(const SubgraphDescriptor &descriptor) {
  llvm::SmallVector<Operand> operands;
  for (llvm::ArrayRef<int> loops :
       llvm::ArrayRef(descriptor.operandDims).drop_back()) {
    Operand operand = makeOperand(descriptor, {});
    for (int loop : loops)
      if (loop >= 0)
        operand.dims.push_back({unsigned(loop), -1, 1, 1});
    operands.push_back(operand);
  }
  return operands;
}

llvm::SmallVector<Operand>
diffuse::describeOperands(const SubgraphDescriptor &descriptor) {
  llvm::SmallVector<Operand> operands;
  switch (descriptor.anchor) {
  case AnchorKind::Contraction:
    operands = {
        makeOperand(descriptor, {DimRole::Batch, DimRole::M, DimRole::K}),
        makeOperand(descriptor, {DimRole::Batch, DimRole::N, DimRole::K})};
    break;
  case AnchorKind::Convolution:
    operands = {makeImage(descriptor),
                makeOperand(descriptor, {DimRole::Group, DimRole::Filter,
                                         DimRole::Channel, DimRole::Window})};
    break;
  case AnchorKind::DepthwiseConvolution:
    operands = {makeImage(descriptor),
                makeOperand(descriptor, {DimRole::Group, DimRole::Window})};
    break;
  case AnchorKind::Pooling:
    operands = {makeImage(descriptor)};
    break;
  default:
    if (descriptor.operandDims.size() > 1)
      operands = readOperands(descriptor);
    else
      operands = {makeOutput(descriptor)};
  }
  operands.push_back(makeOutput(descriptor));
  return operands;
}
