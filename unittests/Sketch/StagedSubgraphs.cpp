// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedSubgraphs.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace diffuse;
using llvm::ArrayRef;
using llvm::formatv;

static std::string tensor(ArrayRef<int64_t> extents) {
  std::string text = "tensor<";
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

namespace {
/// One linalg.generic of a stage.
struct Generic {
  std::string name, loops, iterators, result, marks;
  std::vector<std::string> maps, operands, types;
  std::string body;
};
} // namespace

/// `iterators` has a letter for each loop: p or r.
static std::string print(const Generic &op, unsigned stage,
                         const std::string &out) {
  std::string maps, iterators, arguments;
  for (const std::string &map : op.maps)
    maps += "affine_map<(" + op.loops + ") -> (" + map + ")>, ";
  for (char kind : op.iterators)
    iterators += kind == 'p' ? "\"parallel\", " : "\"reduction\", ";
  for (size_t i = 0; i < op.operands.size(); ++i)
    arguments += "%x" + std::to_string(i) + ": f32, ";
  auto strip = [](std::string list) { return list.substr(0, list.size() - 2); };
  return formatv("  {0} = linalg.generic {{indexing_maps = [{1}], "
                 "iterator_types = [{2}]}\n      ins({3} : {4}) outs({5} : {6})"
                 " attrs = {{{7}, diffuse.stage = {8} : i64} {{\n"
                 "  ^bb0({9}%o: f32):\n{10}\n  } -> {6}\n",
                 op.name, strip(maps), strip(iterators),
                 llvm::join(op.operands, ", "), llvm::join(op.types, ", "), out,
                 op.result, op.marks, stage, arguments, op.body)
      .str();
}

static std::string printFill(const std::string &name, const std::string &value,
                             unsigned stage, const std::string &out,
                             const std::string &type) {
  return formatv("  {0} = linalg.fill {{diffuse.prologue, diffuse.stage = {1} :"
                 " i64} ins({2} : f32) outs({3} : {4}) -> {4}\n",
                 name, stage, value, out, type)
      .str();
}

static std::string printEmpty(const std::string &name,
                              const std::string &type) {
  return "  " + name + " = tensor.empty() : " + type + "\n";
}

static constexpr llvm::StringLiteral kMultiplyAdd =
    "    %m = arith.mulf %x0, %x1 : f32\n"
    "    %s = arith.addf %o, %m : f32\n"
    "    linalg.yield %s : f32";
static constexpr llvm::StringLiteral kRelu =
    "    %m = arith.maximumf %x0, %zero : f32\n"
    "    linalg.yield %m : f32";

static std::string printFunction(const std::string &arguments,
                                 const std::string &body,
                                 const std::string &last,
                                 const std::string &type) {
  return formatv(
             "func.func private @f({0}, %d: {3} {{diffuse.destination}) -> {3}"
             "\n    attributes {{diffuse.subgraph, no_inline} {{\n"
             "  %zero = arith.constant 0.0 : f32\n{1}"
             "  %out = bufferization.materialize_in_destination {2} in %d : "
             "({3}, {3}) -> {3}\n  return %out : {3}\n}",
             arguments, body, last, type)
      .str();
}

std::string test::printAttention(const AttentionShape &shape) {
  std::string q = tensor({shape.rows, shape.heads, shape.depth});
  std::string k = tensor({shape.keys, shape.heads, shape.depth});
  std::string scores = tensor({shape.heads, shape.rows, shape.keys});
  std::string row = tensor({shape.heads, shape.rows});
  std::string both = "diffuse.anchor, diffuse.root";
  std::string body =
      "  %low = arith.constant -1.0e6 : f32\n  %eight = arith.constant 8.0 : "
      "f32\n";
  body +=
      printEmpty("%e0", scores) + printFill("%f0", "%zero", 0, "%e0", scores) +
      print({"%qk",
             "h, i, j, c",
             "pppr",
             scores,
             "diffuse.anchor",
             {"i, h, c", "j, h, c", "h, i, j"},
             {"%q", "%k"},
             {q, k},
             kMultiplyAdd.str()},
            0, "%f0") +
      printEmpty("%e00", scores) +
      print({"%scaled",
             "h, i, j",
             "ppp",
             scores,
             "diffuse.epilogue, diffuse.root",
             {"h, i, j", "h, i, j"},
             {"%qk"},
             {scores},
             "    %m = arith.addf %x0, %x0 : f32\n    linalg.yield %m : f32"},
            0, "%e00");
  body += printEmpty("%e1", row) + printFill("%f1", "%low", 1, "%e1", row) +
          print({"%max",
                 "h, i, j",
                 "ppr",
                 row,
                 both,
                 {"h, i, j", "h, i"},
                 {"%scaled"},
                 {scores},
                 "    %m = arith.maximumf %x0, %o : f32\n    linalg.yield %m : "
                 "f32"},
                1, "%f1");
  body += printEmpty("%e2", scores) +
          print({"%above",
                 "h, i, j",
                 "ppp",
                 scores,
                 both,
                 {"h, i, j", "h, i", "h, i, j"},
                 {"%scaled", "%max"},
                 {scores, row},
                 "    %m = arith.subf %x0, %x1 : f32\n"
                 "    %n = arith.addf %m, %eight : f32\n"
                 "    %s = arith.maximumf %n, %zero : f32\n"
                 "    linalg.yield %s : f32"},
                2, "%e2");
  body +=
      printEmpty("%e3", row) + printFill("%f3", "%zero", 3, "%e3", row) +
      print({"%sum",
             "h, i, j",
             "ppr",
             row,
             both,
             {"h, i, j", "h, i"},
             {"%above"},
             {scores},
             "    %m = arith.addf %x0, %o : f32\n    linalg.yield %m : f32"},
            3, "%f3");
  body +=
      printEmpty("%e4", scores) +
      print({"%added",
             "h, i, j",
             "ppp",
             scores,
             both,
             {"h, i, j", "h, i", "h, i, j"},
             {"%above", "%sum"},
             {scores, row},
             "    %m = arith.addf %x0, %x1 : f32\n    linalg.yield %m : f32"},
            4, "%e4");
  body += printFill("%f5", "%zero", 5, "%d", q) +
          print({"%pv",
                 "h, i, j, c",
                 "pppr",
                 q,
                 both,
                 {"h, i, c", "c, h, j", "i, h, j"},
                 {"%added", "%v"},
                 {scores, k},
                 kMultiplyAdd.str()},
                5, "%f5");
  return printFunction("%q: " + q + ", %k: " + k + ", %v: " + k, body, "%pv",
                       q);
}

std::string test::printSeparable(const SeparableShape &shape) {
  int64_t read = (shape.image - 1) * shape.stride + 3;
  std::string x = tensor({1, shape.blocks, read, read, shape.block});
  std::string w = tensor({shape.blocks, 3, 3, shape.block});
  std::string v =
      tensor({shape.filters, shape.blocks, shape.block, shape.block});
  std::string middle =
      tensor({1, shape.blocks, shape.image, shape.image, shape.block});
  std::string result =
      tensor({1, shape.filters, shape.image, shape.image, shape.block});
  std::string stride = std::to_string(shape.stride);
  std::string id = "n, c, h, w, b";
  std::string body =
      printEmpty("%e0", middle) + printFill("%f0", "%zero", 0, "%e0", middle) +
      print({"%dw",
             "n, c, h, w, b, y, x",
             "ppppprr",
             middle,
             "diffuse.anchor",
             {"n, c, h * " + stride + " + y, w * " + stride + " + x, b",
              "c, y, x, b", id},
             {"%x", "%w"},
             {x, w},
             kMultiplyAdd.str()},
            0, "%f0") +
      printEmpty("%e1", middle) +
      print({"%act",
             id,
             "ppppp",
             middle,
             "diffuse.epilogue, diffuse.root",
             {id, id},
             {"%dw"},
             {middle},
             kRelu.str()},
            0, "%e1") +
      printEmpty("%e2", result) + printFill("%f2", "%zero", 1, "%e2", result) +
      print({"%pw",
             "h, w, n, f, b, c, d",
             "ppppprr",
             result,
             "diffuse.anchor",
             {"0, c, h, w, d", "f, c, d, b", "n, f, h, w, b"},
             {"%act", "%v"},
             {middle, v},
             kMultiplyAdd.str()},
            1, "%f2") +
      print({"%last",
             id,
             "ppppp",
             result,
             "diffuse.epilogue, diffuse.root",
             {id, id},
             {"%pw"},
             {result},
             kRelu.str()},
            1, "%d");
  return printFunction("%x: " + x + ", %w: " + w + ", %v: " + v, body, "%last",
                       result);
}

std::string test::printGated(const GatedShape &shape) {
  std::string x = tensor({shape.rows, shape.inner});
  std::string w = tensor({shape.inner, shape.cols});
  std::string h = tensor({shape.rows, shape.cols});
  std::string v = tensor({shape.cols, shape.outer});
  std::string y = tensor({shape.rows, shape.outer});
  std::vector<std::string> maps = {"m, k", "k, n", "m, n"};
  std::string body =
      printEmpty("%e0", h) + printFill("%f0", "%zero", 0, "%e0", h) +
      print({"%g",
             "m, n, k",
             "ppr",
             h,
             "diffuse.anchor",
             maps,
             {"%x", "%w"},
             {x, w},
             kMultiplyAdd.str()},
            0, "%f0") +
      printEmpty("%e1", h) +
      print({"%act",
             "m, n",
             "pp",
             h,
             "diffuse.epilogue, diffuse.root",
             {"m, n", "m, n"},
             {"%g"},
             {h},
             kRelu.str()},
            0, "%e1") +
      printEmpty("%e2", h) + printFill("%f2", "%zero", 1, "%e2", h) +
      print({"%u",
             "m, n, k",
             "ppr",
             h,
             "diffuse.anchor",
             maps,
             {"%x", "%u0"},
             {x, w},
             kMultiplyAdd.str()},
            1, "%f2") +
      printEmpty("%e3", h) +
      print({"%both",
             "m, n",
             "pp",
             h,
             "diffuse.epilogue, diffuse.root",
             {"m, n", "m, n", "m, n"},
             {"%u", "%act"},
             {h, h},
             "    %m = arith.mulf %x0, %x1 : f32\n    linalg.yield %m : f32"},
            1, "%e3") +
      printFill("%f4", "%zero", 2, "%d", y) +
      print({"%down",
             "m, n, k",
             "ppr",
             y,
             "diffuse.anchor, diffuse.root",
             maps,
             {"%both", "%v"},
             {h, v},
             kMultiplyAdd.str()},
            2, "%f4");
  return printFunction("%x: " + x + ", %w: " + w + ", %u0: " + w + ", %v: " + v,
                       body, "%down", y);
}
