// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that differ from model to model, around the text that does not.

#include "InterfaceSource.h"

#include "Diffuse/Support/ElementType.h"
#include "Diffuse/Target/CpuChecks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace diffuse;
using llvm::StringRef;

#include "InterfaceText.inc"

/// A C string literal. Long ones are cut in pieces; octal escapes end after
/// three digits whatever follows.
static void printString(llvm::raw_ostream &os, StringRef text) {
  constexpr size_t kPiece = 4000;
  if (text.empty())
    os << "\"\"";
  for (size_t begin = 0; begin < text.size(); begin += kPiece) {
    os << "\n  \"";
    for (unsigned char c : text.substr(begin, kPiece)) {
      if (llvm::isPrint(c) && c != '"' && c != '\\' && c != '?')
        os << c;
      else
        os << '\\' << char('0' + c / 64) << char('0' + c / 8 % 8)
           << char('0' + c % 8);
    }
    os << '"';
  }
}

static StringRef kindName(BoundaryArgument::Kind kind) {
  switch (kind) {
  case BoundaryArgument::Kind::Input:
    return "RT_INPUT";
  case BoundaryArgument::Kind::Parameter:
    return "RT_PARAMETER";
  case BoundaryArgument::Kind::Scalar:
    return "RT_SCALAR";
  case BoundaryArgument::Kind::Destination:
    return "RT_DESTINATION";
  }
  llvm_unreachable("unknown kind");
}

/// Types that Support does not know lie in buffers as one byte.
static ElementType elementOf(const BoundaryArgument &argument) {
  llvm::Expected<ElementType> type = parseElementType(argument.elementType);
  if (type)
    return *type;
  llvm::consumeError(type.takeError());
  return {ElementClass::Integer, 1};
}

static void printArgument(llvm::raw_ostream &os,
                          const BoundaryArgument &argument) {
  ElementType element = elementOf(argument);
  os << "  {" << kindName(argument.kind) << ", ";
  printString(os, argument.name);
  os << ", ";
  printString(os, argument.elementType);
  os << ", " << element.bytes << ", " << element.partBytes() << ", "
     << argument.extents.size() << ", {";
  if (argument.extents.empty())
    os << "0";
  llvm::interleaveComma(argument.extents, os);
  os << "}},\n";
}

static char relationSign(ExtentRule::Relation relation) {
  switch (relation) {
  case ExtentRule::Relation::Equal:
    return '=';
  case ExtentRule::Relation::AtLeast:
    return '>';
  case ExtentRule::Relation::AtMost:
    return '<';
  }
  llvm_unreachable("unknown relation");
}

static void printRules(llvm::raw_ostream &os,
                       llvm::ArrayRef<ExtentRule> rules) {
  os << "#define RT_RULES " << rules.size() << "\n"
     << "static const struct rt_rule rt_rules[RT_RULES + 1] = {\n";
  for (const ExtentRule &rule : rules) {
    os << "  {'" << relationSign(rule.relation) << "', " << rule.argument
       << ", " << rule.dim << ", " << rule.slot << ", " << rule.times << ", "
       << rule.onlyParameters << ", ";
    printString(os, rule.reason);
    os << "},\n";
  }
  os << "  {0, 0, 0, 0, 0, 0, \"\"}};\n"
        "static int64_t rt_wanted(int rule, const int64_t *s) {\n"
        "  switch (rule) {\n";
  for (auto [number, rule] : llvm::enumerate(rules))
    os << "  case " << number << ": return " << rule.wanted << ";\n";
  os << "  }\n  (void)s;\n  return 0;\n}\n";
}

static llvm::Error printFeatures(llvm::raw_ostream &os,
                                 const TargetDescription &target) {
  llvm::Expected<std::vector<CpuCheck>> checks = checksFor(target);
  if (!checks)
    return checks.takeError();
  os << "#define RT_FEATURES " << checks->size() << "\n"
     << "static const struct rt_feature rt_features[RT_FEATURES + 1] = {\n";
  for (const CpuCheck &check : *checks)
    os << "  {\"" << check.feature << "\", " << check.leaf << "u, "
       << check.subleaf << ", " << static_cast<unsigned>(check.reg) << ", "
       << check.shift << ", " << check.mask << "u, " << check.least << "u, "
       << check.state << "ull},\n";
  os << "  {\"\", 0, 0, 0, 0, 0, 0, 0}};\n";
  return llvm::Error::success();
}

/// The assembler reads the file: a compiler would take minutes for the text.
static llvm::Error printEmbedded(llvm::raw_ostream &os, StringRef path) {
  os << "#define RT_EMBEDDED " << !path.empty() << "\n";
  if (path.empty()) {
    os << "static const unsigned char rt_embedded_begin[1], "
          "rt_embedded_end[1];\n";
    return llvm::Error::success();
  }
  if (path.find_first_of("\"\\\n") != StringRef::npos)
    return llvm::createStringError(
        "cannot embed '" + path +
        "': its path holds a quote, a backslash or a line break");
  os << "__asm__(\".section .rodata\\n.balign 64\\n\"\n"
        "  \".local rt_embedded_begin\\n.local rt_embedded_end\\n\"\n"
        "  \"rt_embedded_begin:\\n.incbin \\\""
     << path
     << "\\\"\\n\"\n  \"rt_embedded_end:\\n.balign 64\\n.text\\n\");\n"
        "extern const unsigned char rt_embedded_begin[] "
        "__attribute__((visibility(\"hidden\")));\n"
        "extern const unsigned char rt_embedded_end[] "
        "__attribute__((visibility(\"hidden\")));\n";
  return llvm::Error::success();
}

static void printCounts(llvm::raw_ostream &os, const CompiledModule &module) {
  unsigned parameters = 0, slots = 0, resultExtents = 0;
  for (const BoundaryArgument &argument : module.boundary) {
    unsigned dynamic = llvm::count(argument.extents, kDynamicExtent);
    parameters += argument.kind == BoundaryArgument::Kind::Parameter;
    slots += dynamic + (argument.kind == BoundaryArgument::Kind::Scalar);
    if (argument.kind == BoundaryArgument::Kind::Destination)
      resultExtents += dynamic;
  }
  os << "#define RT_ARGUMENTS " << module.boundary.size() << "\n"
     << "#define RT_PARAMETERS " << parameters << "\n"
     << "#define RT_SLOTS " << slots << "\n"
     << "#define RT_RESULT_EXTENTS " << resultExtents << "\n"
     << "#define RT_WORKSPACE " << module.entry.workspaceBytes << "ull\n";
}

std::vector<uint64_t> diffuse::preparedOffsets(const CompiledModule &module) {
  std::vector<uint64_t> offsets = {0};
  for (uint64_t bytes : module.preparedBytes)
    offsets.push_back(llvm::alignTo(offsets.back() + bytes, kBufferAlignment));
  return offsets;
}

static void printPrepared(llvm::raw_ostream &os, const CompiledModule &module) {
  std::vector<uint64_t> offsets = preparedOffsets(module);
  os << "#define RT_PREPARED " << module.preparedBytes.size() << "\n"
     << "#define RT_PREPARED_BYTES " << offsets.back() << "ull\n"
     << "static const uint64_t rt_prepared[RT_PREPARED + 1] = {";
  for (uint64_t offset : offsets)
    os << offset << "ull, ";
  os << "};\n";
}

llvm::Expected<std::string>
diffuse::printInterfaceSource(const CompiledModule &module,
                              const LibraryOptions &options,
                              const CodegenOptions &codegen) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << diffuse_model_h << types_inc_c;
  os << "#define RT_MODEL " << options.model << "\n"
     << "#define RT_FLUSH " << codegen.ftz << "\n"
     << "static const char RT_TARGET[] =";
  printString(os, codegen.target.key);
  os << ";\n";
  printCounts(os, module);
  printPrepared(os, module);
  os << "static const struct rt_argument rt_arguments[RT_ARGUMENTS + 1] = {\n";
  for (const BoundaryArgument &argument : module.boundary)
    printArgument(os, argument);
  os << "  {0, \"\", \"\", 0, 0, 0, {0}}};\n";
  printRules(os, module.extentRules);
  os << processor_inc_c;
  if (llvm::Error error = printFeatures(os, codegen.target))
    return error;
  if (llvm::Error error = printEmbedded(os, options.embeddedParameters))
    return error;
  os << "static const char rt_description[] =";
  printString(os, describeModel(module, options));
  os << ";\n"
     << handle_inc_c << arguments_inc_c << safetensors_inc_c << parameters_inc_c
     << model_inc_c;
  return text;
}
