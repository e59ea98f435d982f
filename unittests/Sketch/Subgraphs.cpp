// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Subgraphs.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Sketch/Instantiate.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace diffuse;
using namespace diffuse::test;
using namespace mlir;

static std::string tensor(ArrayRef<int64_t> extents) {
  std::string text = "tensor<";
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

static std::string parallels(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += std::string(i ? ", " : "") + "\"parallel\"";
  return text;
}

/// The maximum with zero, then the destination.
static std::string printEnd(StringRef value, StringRef type, unsigned rank) {
  std::string identity = "affine_map<(", dims;
  for (unsigned i = 0; i < rank; ++i)
    dims += (i ? ", d" : "d") + std::to_string(i);
  identity += dims + ") -> (" + dims + ")>";
  return llvm::formatv(R"(
  %e9 = tensor.empty() : {1}
  %r = linalg.generic {{indexing_maps = [{2}, {2}], iterator_types = [{3}]}
      ins({0} : {1}) outs(%e9 : {1}) attrs = {{diffuse.root, diffuse.epilogue} {{
  ^bb0(%p: f32, %q: f32):
    %m9 = arith.maximumf %p, %zero : f32
    linalg.yield %m9 : f32
  } -> {1}
  %out = bufferization.materialize_in_destination %r in %d : ({1}, {1}) -> {1}
  return %out : {1}
})",
                       value, type, identity, parallels(rank));
}

/// %f, where sums start: zeros, or what an argument %i holds.
static std::string printStart(const std::string &type, unsigned rank,
                              bool isInitial, StringRef destination) {
  if (!isInitial)
    return "%f = linalg.fill {diffuse.prologue} ins(%zero : f32) outs(%e : " +
           type + ") -> " + type;
  std::string dims;
  for (unsigned i = 0; i < rank; ++i)
    dims += (i ? ", d" : "d") + std::to_string(i);
  return llvm::formatv(
      R"(%f = linalg.generic {{indexing_maps = [{1}, {1}], iterator_types = [{2}]}
      ins(%i : {0}) outs({3} : {0}) attrs = {{diffuse.prologue} {{
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> {0})",
      type, "affine_map<(" + dims + ") -> (" + dims + ")>", parallels(rank),
      destination);
}

std::string test::printContraction(const ContractionShape &s) {
  auto shape = [&](int64_t a, int64_t b) {
    return s.batch ? tensor({s.batch, a, b}) : tensor({a, b});
  };
  std::string a = shape(s.m, s.k), c = shape(s.m, s.n);
  std::string b = s.transposed ? shape(s.n, s.k) : shape(s.k, s.n);
  std::string batch = s.batch ? "b, " : "";
  unsigned rank = s.batch ? 3 : 2;
  auto map = [&](StringRef results) {
    return "affine_map<(" + batch + "m, n, k) -> (" + batch + results.str() +
           ")>";
  };
  std::string text = llvm::formatv(
      R"(func.func private @f(%a: {0}, %b: {1}, {8}%d: {2} {{diffuse.destination}) -> {2}
    attributes {{diffuse.subgraph, no_inline} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {2}
  {9}
  %c = linalg.generic {{indexing_maps = [{3}, {4}, {5}], iterator_types = [{6}, "reduction"]}
      ins(%a, %b : {0}, {1}) outs(%f : {2}) attrs = {{diffuse.anchor{7}} {{
  ^bb0(%p: f32, %q: f32, %r0: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %r0, %s : f32
    linalg.yield %t : f32
  } -> {2})",
      a, b, c, map("m, k"), map(s.transposed ? "n, k" : "k, n"), map("m, n"),
      parallels(rank), s.epilogue ? "" : ", diffuse.root",
      s.initial ? "%i: " + c + ", " : "",
      printStart(c, rank, s.initial, s.epilogue ? "%e" : "%d"));
  if (s.epilogue)
    return text + printEnd("%c", c, rank);
  return text + llvm::formatv(R"(
  %out = bufferization.materialize_in_destination %c in %d : ({0}, {0}) -> {0}
  return %out : {0}
})",
                              c)
                    .str();
}

/// Of grouped convolutions; channels and filters are those of one.
static constexpr int64_t kGroups = 3;

/// `front`, then `count` times `extent`.
static SmallVector<int64_t> repeat(ArrayRef<int64_t> front, int64_t extent,
                                   unsigned count) {
  SmallVector<int64_t> all(front);
  all.append(count, extent);
  return all;
}

std::string test::printWindow(const WindowShape &s) {
  StringRef op = s.op;
  bool filters = op.starts_with("conv");
  bool pooling = op.starts_with("pooling");
  bool last = op.contains("nhwc"), grouped = op.contains("ngchw");
  unsigned dims = op.contains("_1d_") ? 1 : op.contains("_3d_") ? 3 : 2;
  int64_t padded = s.image + 2 * s.pad;
  int64_t out = (padded - s.window) / s.stride + 1;
  auto image = [&](int64_t channels, int64_t extent) {
    SmallVector<int64_t> front = {1};
    if (grouped)
      front.push_back(kGroups);
    if (!last)
      front.push_back(channels);
    SmallVector<int64_t> shape = repeat(front, extent, dims);
    if (last)
      shape.push_back(channels);
    return shape;
  };
  std::string x = tensor(image(s.channels, s.image));
  std::string p = tensor(image(s.channels, padded));
  SmallVector<int64_t> result = image(filters ? s.filters : s.channels, out);
  std::string y = tensor(result);
  SmallVector<int64_t> weights = repeat({}, s.window, dims);
  if (!pooling)
    weights.insert(last ? weights.end() : weights.begin(), s.channels);
  if (filters)
    weights.insert(last ? weights.end() : weights.begin(), s.filters);
  if (grouped)
    weights.insert(weights.begin(), kGroups);
  std::string w = tensor(weights);
  std::string pads, indices;
  for (unsigned dim = 0; dim < result.size(); ++dim) {
    bool isImage =
        last ? dim > 0 && dim + 1 < result.size() : dim >= result.size() - dims;
    pads += (dim ? ", " : "") + std::to_string(isImage ? s.pad : 0);
    indices += (dim ? ", %i" : "%i") + std::to_string(dim) + ": index";
  }
  std::string vector = ("vector<" + llvm::Twine(dims) + "xi64>").str();
  std::string text = llvm::formatv(
      R"(func.func private @f(%x: {0}, {5}%d: {3} {{diffuse.destination}) -> {3}
    attributes {{diffuse.subgraph, no_inline} {{
  %zero = arith.constant 0.0 : f32{6}
  %pad = tensor.pad %x low[{4}] high[{4}] {{
  ^bb0({9}):
    tensor.yield %zero : f32
  } {{diffuse.prologue} : {0} to {1}
  %e = tensor.empty() : {3}
  %f = linalg.fill {{diffuse.prologue} ins(%zero : f32) outs(%e : {3}) -> {3}
  %c = linalg.{7} {{diffuse.anchor, dilations = dense<1> : {10}, strides = dense<{8}> : {10}}
      ins(%pad, %w : {1}, {2}) outs(%f : {3}) -> {3})",
      x, p, w, y, pads, pooling ? "" : "%w: " + w + ", ",
      pooling ? "\n  %w = tensor.empty() : " + w : "", s.op, s.stride, indices,
      vector);
  return text + printEnd("%c", y, result.size());
}

static std::string printMap(StringRef loops, StringRef results) {
  return "affine_map<(" + loops.str() + ") -> (" + results.str() + ")>";
}

/// The anchor of a sum, from zeros on; then the maximum with zero.
static std::string printBlockedAnchor(StringRef maps, StringRef iterators,
                                      StringRef inputs, StringRef types,
                                      const std::string &result, unsigned rank,
                                      StringRef body) {
  std::string text = llvm::formatv(
      R"(
  %e = tensor.empty() : {0}
  %f = linalg.fill {{diffuse.prologue} ins(%zero : f32) outs(%e : {0}) -> {0}
  %c = linalg.generic {{indexing_maps = [{1}], iterator_types = [{2}]}
      ins({3} : {4}) outs(%f : {0}) attrs = {{diffuse.anchor} {{
  ^bb0(%p: f32, %q: f32, %r0: f32):
    {5}
    linalg.yield %t : f32
  } -> {0})",
      result, maps, iterators, inputs, types, body);
  return text + printEnd("%c", result, rank);
}

static std::string reductions(unsigned parallel, unsigned count) {
  std::string text = parallels(parallel);
  for (unsigned i = 0; i < count; ++i)
    text += ", \"reduction\"";
  return text;
}

static constexpr StringLiteral kSumOfProducts =
    "%s = arith.mulf %p, %q : f32\n    %t = arith.addf %r0, %s : f32";

std::string test::printBlockedWindow(const BlockedShape &s) {
  bool isConvolution = s.kind == "conv";
  bool isPlain = isConvolution && s.inputBlock == 0;
  bool isPooling = s.kind == "max" || s.kind == "sum";
  int64_t outer = isConvolution ? s.inputBlocks : s.blocks;
  int64_t inner = isConvolution ? s.inputBlock : s.block;
  auto image = [&](int64_t extent) {
    SmallVector<int64_t> shape = {1, outer, extent, extent};
    if (!isPlain)
      shape.push_back(inner);
    return tensor(shape);
  };
  int64_t padded = s.image + 2 * s.pad;
  int64_t out = (padded - s.window) / s.stride + 1;
  std::string y = tensor({1, s.blocks, out, out, s.block});
  std::string stride = std::to_string(s.stride);
  std::string pixel = "h * " + stride + " + kh, w * " + stride + " + kw";
  SmallVector<int64_t> weights = {s.window, s.window};
  std::string loops = "n, fo, h, w, fi, ", reads, panel = "kh, kw";
  unsigned sums = 2;
  if (isPlain) {
    loops += "co, ";
    reads = "n, co, " + pixel;
    weights = {s.blocks, outer, s.window, s.window, s.block};
    panel = "fo, co, kh, kw, fi";
    sums = 3;
  } else if (isConvolution) {
    loops += "co, ci, ";
    reads = "n, co, " + pixel + ", ci";
    weights = {s.blocks, outer, s.window, s.window, inner, s.block};
    panel = "fo, co, kh, kw, ci, fi";
    sums = 4;
  } else {
    reads = "n, fo, " + pixel + ", fi";
    if (!isPooling) {
      weights = {s.blocks, s.window, s.window, s.block};
      panel = "fo, kh, kw, fi";
    }
  }
  loops += "kh, kw";
  std::string w = tensor(weights), pad = std::to_string(s.pad);
  std::string pads = "0, 0, " + pad + ", " + pad + (isPlain ? "" : ", 0");
  std::string indices = "%i0: index, %i1: index, %i2: index, %i3: index";
  if (!isPlain)
    indices += ", %i4: index";
  std::string text = llvm::formatv(
      R"(func.func private @f(%x: {0}, {5}%d: {3} {{diffuse.destination}) -> {3}
    attributes {{diffuse.subgraph, no_inline} {{
  %zero = arith.constant 0.0 : f32{6}
  %pad = tensor.pad %x low[{4}] high[{4}] {{
  ^bb0({7}):
    tensor.yield %zero : f32
  } {{diffuse.prologue} : {0} to {1})",
      image(s.image), image(padded), w, y, pads,
      isPooling ? "" : "%w: " + w + ", ",
      isPooling ? "\n  %w = tensor.empty() : " + w : "", indices);
  StringRef body = s.kind == "max"   ? "%t = arith.maximumf %r0, %p : f32"
                   : s.kind == "sum" ? "%t = arith.addf %r0, %p : f32"
                                     : StringRef(kSumOfProducts);
  std::string maps = printMap(loops, reads) + ", " + printMap(loops, panel) +
                     ", " + printMap(loops, "n, fo, h, w, fi");
  return text + printBlockedAnchor(maps, reductions(5, sums), "%pad, %w",
                                   image(padded) + ", " + w, y, 5, body);
}

std::string test::printBlockedContraction(const BlockedShape &s) {
  int64_t rows = s.image * s.image;
  bool isPlain = s.inputBlock == 0;
  std::string a = isPlain ? tensor({s.inputBlocks, rows})
                          : tensor({s.inputBlocks, rows, s.inputBlock});
  std::string b =
      isPlain ? tensor({s.blocks, s.inputBlocks, s.block})
              : tensor({s.blocks, s.inputBlocks, s.inputBlock, s.block});
  std::string y = tensor({s.blocks, rows, s.block});
  std::string loops = isPlain ? "m, no, ni, ko" : "m, no, ni, ko, ki";
  std::string maps =
      printMap(loops, isPlain ? "ko, m" : "ko, m, ki") + ", " +
      printMap(loops, isPlain ? "no, ko, ni" : "no, ko, ki, ni") + ", " +
      printMap(loops, "no, m, ni");
  std::string text = llvm::formatv(
      R"(func.func private @f(%x: {0}, %w: {1}, %d: {2} {{diffuse.destination}) -> {2}
    attributes {{diffuse.subgraph, no_inline} {{
  %zero = arith.constant 0.0 : f32)",
      a, b, y);
  return text + printBlockedAnchor(maps, reductions(3, isPlain ? 1 : 2),
                                   "%x, %w", a + ", " + b, y, 3,
                                   kSumOfProducts);
}

std::string test::printReduction(int64_t rows, int64_t cols, unsigned dim) {
  std::string x = tensor({rows, cols}), y = tensor({dim ? rows : cols});
  return llvm::formatv(
      R"(func.func private @f(%x: {0}, %d: {1} {{diffuse.destination}) -> {1}
    attributes {{diffuse.subgraph, no_inline} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {1}
  %f = linalg.fill {{diffuse.prologue} ins(%zero : f32) outs(%e : {1}) -> {1}
  %r = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> ({2})>], iterator_types = [{3}]}
      ins(%x : {0}) outs(%f : {1}) attrs = {{diffuse.anchor, diffuse.root} {{
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> {1}
  %out = bufferization.materialize_in_destination %r in %d : ({1}, {1}) -> {1}
  return %out : {1}
})",
      x, y, dim ? "a" : "b",
      dim ? "\"parallel\", \"reduction\"" : "\"reduction\", \"parallel\"");
}

std::string test::printElementwise(int64_t rows, int64_t cols) {
  return llvm::formatv(
      R"(func.func private @f(%x: {0}, %y: {0}, %d: {0} {{diffuse.destination}) -> {0}
    attributes {{diffuse.subgraph, no_inline} {{
  %e = tensor.empty() : {0}
  %r = linalg.generic {{indexing_maps = [{1}, {1}, {1}], iterator_types = [{2}]}
      ins(%x, %y : {0}, {0}) outs(%e : {0}) attrs = {{diffuse.anchor, diffuse.root} {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> {0}
  %out = bufferization.materialize_in_destination %r in %d : ({0}, {0}) -> {0}
  return %out : {0}
})",
      tensor({rows, cols}), "affine_map<(a, b) -> (a, b)>", parallels(2));
}

std::string test::printMovement(int64_t a, int64_t b, int64_t c,
                                StringRef indices) {
  SmallVector<int64_t> extents;
  SmallVector<StringRef> loops;
  for (size_t i = 0; i < indices.size(); ++i) {
    loops.push_back(indices.substr(i, 1));
    extents.push_back(ArrayRef({a, b, c})[indices[i] - 'a']);
  }
  return llvm::formatv(
      R"(func.func private @f(%x: {0}, %d: {1} {{diffuse.destination}) -> {1}
    attributes {{diffuse.subgraph, no_inline} {{
  %r = linalg.generic {{indexing_maps = [affine_map<(a, b, c) -> ({2})>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = [{3}]}
      ins(%x : {0}) outs(%d : {1}) attrs = {{diffuse.anchor, diffuse.root} {{
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> {1}
  %out = bufferization.materialize_in_destination %r in %d : ({1}, {1}) -> {1}
  return %out : {1}
})",
      tensor(extents), tensor({a, b, c}), llvm::join(loops, ", "),
      parallels(3));
}

static TargetDescription makeTarget(StringRef spec) {
  return llvm::cantFail(parseTarget(spec));
}

TargetDescription test::wideTarget() {
  TargetDescription target = makeTarget("cpu:x86-64-v4");
  target.cpu.vectorBits = 512;
  target.cpu.vectorRegisters = 32;
  return target;
}

TargetDescription test::narrowTarget() { return makeTarget("cpu:x86-64-v3"); }

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  return registry;
}

std::string diffuse::test::printSchedule(const BoundSketch &sketch,
                                         const Choices &choices) {
  auto schedule = instantiate(sketch, choices, "s");
  EXPECT_TRUE(succeeded(schedule));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (succeeded(schedule))
    (*schedule)->print(stream);
  return text;
}

Workbench::Workbench()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  FailureOr<SketchLibrary> builtin = SketchLibrary::builtin(&context);
  EXPECT_TRUE(succeeded(builtin));
  if (succeeded(builtin))
    library = *builtin;
}

func::FuncOp Workbench::parse(StringRef text) {
  module = parseSourceString<ModuleOp>(text, &context);
  return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
}

SubgraphDescriptor Workbench::describe(StringRef text) {
  FailureOr<SubgraphDescriptor> descriptor = describeSubgraph(parse(text));
  EXPECT_TRUE(succeeded(descriptor));
  return succeeded(descriptor) ? *descriptor : SubgraphDescriptor();
}

BoundSketch Workbench::bind(const SubgraphDescriptor &descriptor,
                            const TargetDescription &target, StringRef sketch) {
  for (const BoundSketch &bound : library.bind(descriptor, target))
    if (bound.name() == sketch)
      return bound;
  ADD_FAILURE() << "no sketch " << sketch.str();
  return BoundSketch(nullptr);
}

BoundSketch Workbench::bindOwn(const std::string &text,
                               const std::string &subgraph) {
  FailureOr<SketchLibrary> own =
      SketchLibrary::parse(text, "folder/mine.mlir", &context);
  EXPECT_TRUE(succeeded(own));
  auto bound = own->bind(describe(subgraph), wideTarget());
  EXPECT_EQ(bound.size(), 1u);
  return bound.front();
}
