// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sketch takes, read from its `diffuse.sketch` attribute:
//
//   {anchors = ["convolution"], ops = ["linalg.conv_2d_nchw_fchw"],
//    elements = ["f32"], requires = ["unit_stride"], rank = 10}
//
// A list that is absent admits everything; `targets` ("cpu", "gpu") is ["cpu"]
// then. Whatever a sketch says, no schedule
// is offered where it could change the meaning or where extents are unknown.

#include "SketchTemplate.h"

using namespace diffuse;
using namespace mlir;

static bool admits(DictionaryAttr applies, StringRef list, StringRef value) {
  auto names = applies.getAs<ArrayAttr>(list);
  return !names ||
         llvm::any_of(names.getAsRange<StringAttr>(), [&](StringAttr name) {
           return name.getValue() == value;
         });
}

/// A sketch is for CPUs unless its `targets` say something else.
static bool admitsTarget(DictionaryAttr applies,
                         const TargetDescription &target) {
  StringRef kind = target.isGpu() ? "gpu" : "cpu";
  return applies.get("targets") ? admits(applies, "targets", kind)
                                : kind == "cpu";
}

/// No dynamic and no empty extent, nothing that depends on order or position.
static bool isPlain(const SubgraphDescriptor &descriptor) {
  for (const DimInfo &dim : descriptor.dims)
    if (dim.isDynamic() || dim.extent <= 0)
      return false;
  return !descriptor.dims.empty() && !descriptor.hasSideEffects &&
         !descriptor.hasIndexSemantics && !descriptor.hasPartialBytes &&
         !descriptor.hasScatteredAccess && descriptor.mayReorder;
}

/// The operand whose dimensions include `loop` last among several, for the
/// contraction's vectors: does the operand that walks the columns have them
/// contiguous?
static bool hasContiguousColumns(const SubgraphDescriptor &descriptor,
                                 const DimensionTable &dimensions) {
  const Dimension *cols = dimensions.find("cols");
  if (!cols || descriptor.operandDims.size() < 3)
    return false;
  for (unsigned i = 0; i < 2; ++i) {
    ArrayRef<int> operand = descriptor.operandDims[i];
    if (!llvm::is_contained(operand, int(cols->principal)))
      continue;
    for (int loop : llvm::reverse(operand)) {
      if (loop == int(cols->principal))
        return true;
      if (loop < 0 || descriptor.dims[loop].extent != 1)
        return false;
    }
  }
  return false;
}

/// Every input that walks `loop` has it contiguous.
static bool isContiguous(const SubgraphDescriptor &descriptor, int loop) {
  if (descriptor.operandDims.size() < 2)
    return false;
  for (ArrayRef<int> operand : ArrayRef(descriptor.operandDims).drop_back()) {
    if (!llvm::is_contained(operand, loop))
      continue;
    for (int walked : llvm::reverse(operand)) {
      if (walked == loop)
        break;
      if (walked < 0 || descriptor.dims[walked].extent != 1)
        return false;
    }
  }
  return true;
}

static bool isContiguous(const SubgraphDescriptor &descriptor,
                         const DimensionTable &dimensions, StringRef name) {
  const Dimension *dimension = dimensions.find(name);
  return dimension && isContiguous(descriptor, int(dimension->principal));
}

/// Vectors along `name` are contiguous in the result and in every input that
/// walks it.
static bool hasContiguousResult(const SubgraphDescriptor &descriptor,
                                const DimensionTable &dimensions,
                                StringRef name) {
  const Dimension *dimension = dimensions.find(name);
  return dimension && !descriptor.resultDims.empty() &&
         descriptor.resultDims.back() == dimension->principal &&
         isContiguous(descriptor, dimensions, name);
}

/// Columns or the sum are several loops, over blocks and inside them.
static bool isInBlocks(const DimensionTable &dimensions) {
  return llvm::any_of(ArrayRef<StringRef>{"cols", "k"}, [&](StringRef name) {
    const Dimension *dimension = dimensions.find(name);
    return dimension && dimension->others != 1;
  });
}

/// One window step along the contiguous image dimension.
static bool hasUnitStride(const SubgraphDescriptor &descriptor) {
  return descriptor.strides.empty() || descriptor.strides.back() == 1;
}

static bool hasUnitDilations(const SubgraphDescriptor &descriptor) {
  return llvm::all_of(descriptor.dilations, [](int64_t d) { return d == 1; });
}

static bool hasUnitStrides(const SubgraphDescriptor &descriptor) {
  return llvm::all_of(descriptor.strides, [](int64_t s) { return s == 1; });
}

static bool meets(StringRef requirement, const SubgraphDescriptor &descriptor,
                  const DimensionTable &dimensions) {
  if (requirement == "contiguous_cols")
    return hasContiguousColumns(descriptor, dimensions);
  if (requirement == "strided_cols")
    return !hasContiguousColumns(descriptor, dimensions);
  if (requirement == "contiguous_k")
    return isContiguous(descriptor, dimensions, "k");
  if (requirement == "contiguous_reduction")
    return isContiguous(descriptor, dimensions, "reduction");
  if (requirement == "strided_reduction")
    return !isContiguous(descriptor, dimensions, "reduction") &&
           dimensions.find("inner");
  if (requirement == "contiguous_filters")
    return hasContiguousResult(descriptor, dimensions, "filter");
  if (requirement == "contiguous_groups")
    return hasContiguousResult(descriptor, dimensions, "group");
  if (requirement == "blocks")
    return isInBlocks(dimensions);
  if (requirement == "unit_stride")
    return hasUnitStride(descriptor);
  if (requirement == "unit_strides")
    return hasUnitStrides(descriptor);
  if (requirement == "strided")
    return !hasUnitStrides(descriptor);
  if (requirement == "unit_dilations")
    return hasUnitDilations(descriptor);
  if (requirement == "one_type")
    return descriptor.elementType == descriptor.accumulatorType;
  if (requirement == "one_result")
    return descriptor.anchorResults == 1;
  if (requirement == "no_epilogue")
    return descriptor.epilogueOps == 0;
  if (requirement == "single_batch")
    return dimensions.extent("batch") == 1;
  return false;
}

static std::string whyNotMarked(DictionaryAttr applies,
                                const SubgraphDescriptor &descriptor,
                                const DimensionTable &dimensions) {
  StringRef anchor = stringifyAnchorKind(descriptor.anchor);
  if (!admits(applies, "anchors", anchor))
    return "it does not take the anchor " + anchor.str();
  if (!admits(applies, "ops", descriptor.anchorOp))
    return "it does not take the op " + descriptor.anchorOp;
  if (!admits(applies, "elements", descriptor.elementType))
    return "it does not take elements of " + descriptor.elementType;
  if (auto requirements = applies.getAs<ArrayAttr>("requires"))
    for (auto name : requirements.getAsRange<StringAttr>())
      if (!meets(name.getValue(), descriptor, dimensions))
        return "it requires " + name.getValue().str();
  return "";
}

std::string diffuse::whyNotTaken(const SketchTemplate &sketch,
                                 const SubgraphDescriptor &descriptor,
                                 const DimensionTable &dimensions,
                                 const TargetDescription &target) {
  DictionaryAttr applies =
      sketch.applies ? sketch.applies
                     : DictionaryAttr::get(sketch.tensor->getContext());
  if (!isPlain(descriptor))
    return "no schedule is offered for extents that are unknown or zero, for "
           "what depends on order or position, or for elements of less than a "
           "byte";
  if (!admitsTarget(applies, target))
    return "it is not for " + target.key;
  std::string reason = whyNotMarked(applies, descriptor, dimensions);
  return reason.empty() ? whyNotFound(sketch, descriptor) : reason;
}
