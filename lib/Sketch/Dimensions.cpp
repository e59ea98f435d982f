// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dimensions.h"

#include "llvm/ADT/STLExtras.h"

using namespace diffuse;

bool diffuse::isReduction(DimRole role) {
  return role == DimRole::K || role == DimRole::Window ||
         role == DimRole::Channel || role == DimRole::Reduction;
}

/// The loop of the result's innermost dimension of more than one element, or
/// of its last dimension.
static int findContiguousLoop(const SubgraphDescriptor &descriptor) {
  for (unsigned loop : llvm::reverse(descriptor.resultDims))
    if (descriptor.dims[loop].extent != 1)
      return loop;
  return descriptor.resultDims.empty() ? -1 : int(descriptor.resultDims.back());
}

/// The loop along which a movement's source is contiguous where that is not the
/// one along which its result is, else -1.
static int findSourceLoop(const SubgraphDescriptor &descriptor,
                          int contiguous) {
  if (descriptor.anchor != AnchorKind::Movement ||
      descriptor.operandDims.size() < 2)
    return -1;
  for (int loop : llvm::reverse(descriptor.operandDims.front()))
    if (loop >= 0 && descriptor.dims[loop].extent != 1)
      return loop == contiguous ? -1 : loop;
  return -1;
}

/// Numbers the image and window loops; the other roles need no number.
static std::string nameConvolutionLoop(DimRole role, unsigned &image,
                                       unsigned &window) {
  if (role == DimRole::Image)
    return "image" + std::to_string(image++);
  if (role == DimRole::Window)
    return "window" + std::to_string(window++);
  return stringifyDimRole(role).str();
}

static std::string nameOtherLoop(const SubgraphDescriptor &descriptor, int loop,
                                 int contiguous) {
  if (isReduction(descriptor.dims[loop].role))
    return "reduction";
  if (loop == findSourceLoop(descriptor, contiguous))
    return "source";
  return loop == contiguous ? "inner" : "outer";
}

/// The role of the two, m or n, whose loops count as columns.
static DimRole findColumnRole(const SubgraphDescriptor &descriptor,
                              int contiguous) {
  DimRole role = contiguous < 0 ? DimRole::N : descriptor.dims[contiguous].role;
  return role == DimRole::M ? DimRole::M : DimRole::N;
}

static std::string nameLoop(const SubgraphDescriptor &descriptor, unsigned loop,
                            int contiguous, unsigned &image, unsigned &window) {
  DimRole role = descriptor.dims[loop].role;
  switch (descriptor.anchor) {
  case AnchorKind::Contraction:
    if (role == DimRole::M || role == DimRole::N)
      return role == findColumnRole(descriptor, contiguous) ? "cols" : "rows";
    return stringifyDimRole(role).str();
  case AnchorKind::Convolution:
  case AnchorKind::DepthwiseConvolution:
  case AnchorKind::Pooling:
    return nameConvolutionLoop(role, image, window);
  default:
    return nameOtherLoop(descriptor, int(loop), contiguous);
  }
}

DimensionTable diffuse::nameDimensions(const SubgraphDescriptor &descriptor) {
  DimensionTable table;
  int contiguous = findContiguousLoop(descriptor);
  unsigned image = 0, window = 0;
  for (unsigned loop = 0, e = descriptor.dims.size(); loop < e; ++loop) {
    std::string name = nameLoop(descriptor, loop, contiguous, image, window);
    auto *it = llvm::find_if(
        table.dimensions, [&](const Dimension &d) { return d.name == name; });
    if (it == table.dimensions.end()) {
      table.dimensions.push_back({});
      it = std::prev(table.dimensions.end());
      it->name = name;
      if (name == "rows" || name == "cols")
        it->alias = stringifyDimRole(descriptor.dims[loop].role).str();
    }
    it->reduction = isReduction(descriptor.dims[loop].role);
    it->loops.push_back(loop);
  }
  for (Dimension &dimension : table.dimensions) {
    dimension.principal = dimension.loops.back();
    for (unsigned loop : dimension.loops)
      if (descriptor.dims[loop].extent != 1)
        dimension.principal = loop;
    dimension.extent = descriptor.dims[dimension.principal].extent;
    for (unsigned loop : dimension.loops)
      if (loop != dimension.principal)
        dimension.others *= descriptor.dims[loop].extent;
  }
  return table;
}

const Dimension *DimensionTable::find(llvm::StringRef name) const {
  for (const Dimension &dimension : dimensions)
    if (dimension.name == name || (!name.empty() && dimension.alias == name))
      return &dimension;
  return nullptr;
}

int64_t DimensionTable::extent(llvm::StringRef name) const {
  const Dimension *dimension = find(name);
  return dimension ? dimension->extent : 1;
}
