// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Pipelines/CompileFile.h"

#include "ChooseSchedule.h"

#include "Diffuse/Analysis/CheckConstants.h"
#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/LowerModule.h"
#include "Diffuse/Graph/ClusterSubgraphs.h"
#include "Diffuse/Graph/InlineHelpers.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/Graph/PackLayouts.h"
#include "Diffuse/IR/ModuleLocation.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Version.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace diffuse;
using llvm::StringRef;

static DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  registerGraphDialects(registry);
  return registry;
}

ModuleFile::ModuleFile()
    : context(createRegistry(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
}

ModuleFile::~ModuleFile() = default;

LogicalResult ModuleFile::parse(StringRef path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text) {
    llvm::errs() << "error: " << llvm::toString(text.takeError()) << "\n";
    return failure();
  }
  // The parser shows the line that it fails at: nothing for a terminal where
  // that is a library or weights.
  bool isText = llvm::none_of(*text, [](char c) {
    return (c >= 0 && c < ' ' && !llvm::isSpace(c)) || c == '\x7f';
  });
  if (!isText && !isBytecode(llvm::MemoryBufferRef(*text, path))) {
    llvm::errs() << "error: '" << path
                 << "' is a binary file, where a module is wanted\n";
    return failure();
  }
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(*text, path),
                             llvm::SMLoc());
  diagnostics = std::make_unique<SourceMgrDiagnosticHandler>(sources, &context);
  owned = parseSourceFile<ModuleOp>(sources, &context);
  if (owned)
    (*owned)->setLoc(moduleLocation(*owned));
  return success(owned && succeeded(checkConstants(*owned)));
}

LogicalResult ModuleFile::outline(StringRef entry,
                                  const LayoutOptions &layouts) {
  context.loadAllAvailableDialects();
  FailureOr<func::FuncOp> found = findEntry(*owned, entry);
  if (failed(found))
    return failure();
  std::string name = found->getSymName().str();
  // Whoever else calls it, it is what runs start at.
  found->setPublic();
  // All pass over what is outlined already.
  if (failed(inlineHelpers(*owned)) || failed(packLayouts(*owned, layouts)))
    return failure();
  bool mayWritePads =
      layouts.layouts != Layouts::Plain && !layouts.target.isGpu();
  OutlineOptions options;
  options.pads = mayWritePads ? PadPlacement::Producer : PadPlacement::Consumer;
  if (failed(outlineSubgraphs(*owned, options)) ||
      failed(hashSubgraphs(*owned)))
    return failure();
  entryFunction = owned->lookupSymbol<func::FuncOp>(name);
  return checkEntry(*owned, entryFunction);
}

FailureOr<std::unique_ptr<ModuleFile>>
ModuleFile::load(StringRef path, StringRef entry,
                 const LayoutOptions &layouts) {
  std::unique_ptr<ModuleFile> file(new ModuleFile());
  if (failed(file->parse(path)) || failed(file->outline(entry, layouts)))
    return failure();
  return file;
}

bool ModuleFile::hasSubgraphs() { return !collectSubgraphs(*owned).empty(); }

/// Whether running the functions outside subgraphs changes anything but their
/// results: stores, prints, calls of functions that are defined elsewhere.
static bool hasEffects(ModuleOp module) {
  bool found = false;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      auto callee =
          call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
      // The ops inside a loop or a branch are met by themselves.
      bool isAsked = isa<MemoryEffectOpInterface>(op) ||
                     !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      found |= callee ? callee.isExternal()
                      : op != function && isAsked && !isMemoryEffectFree(op) &&
                            !op->hasTrait<OpTrait::IsTerminator>();
    });
  return found;
}

LogicalResult ModuleFile::requireWork(StringRef verb) {
  if (hasSubgraphs() || (verb == "run" && hasEffects(*owned)))
    return success();
  return emitError(owned->getLoc())
         << "nothing to " << verb
         << ": the module has no op on tensors that is free of side effects";
}

FailureOr<CompiledModule>
diffuse::compileFile(ModuleFile &file, const CompileFileOptions &options) {
  ScheduleChooser chooser(file.module().getContext(), options);
  return compileModule(
      file.module(), file.entry(),
      [&](func::FuncOp subgraph) { return chooser(subgraph); },
      options.codegen);
}

FailureOr<std::string>
diffuse::printFileAsLLVM(ModuleFile &file, const CompileFileOptions &options) {
  ScheduleChooser chooser(file.module().getContext(), options);
  auto choose = [&](func::FuncOp subgraph) { return chooser(subgraph); };
  if (failed(lowerModule(file.module(), file.entry(), choose, options.codegen)))
    return failure();
  return printLLVM(file.module(), options.codegen);
}

/// A subgraph without schedule has no code for a GPU: say why.
static LogicalResult reportUnscheduled(func::FuncOp subgraph,
                                       const CompileFileOptions &options) {
  const std::string &target = options.codegen.target.key;
  if (options.schedules == ScheduleChoice::None)
    return subgraph.emitError("--schedules=none means plain loops, which ")
           << target << " does not run";
  return reportNoDefault(subgraph, options.codegen.target);
}

FailureOr<CompiledKernels>
diffuse::compileFileToKernels(ModuleFile &file,
                              const CompileFileOptions &options,
                              StringRef libdevice, std::string *llvmText) {
  ScheduleChooser chooser(file.module().getContext(), options);
  std::vector<KernelSource> sources;
  bool hasAll = true;
  for (func::FuncOp subgraph : collectSubgraphs(file.module())) {
    FailureOr<SubgraphSchedule> schedule = chooser(subgraph);
    if (failed(schedule))
      return failure();
    if (!schedule->module)
      hasAll &= succeeded(reportUnscheduled(subgraph, options));
    sources.push_back({subgraph, schedule->module, schedule->tensorSequence,
                       subgraphSymbol(subgraph)});
  }
  if (!hasAll)
    return failure();
  return compileGpuKernels(sources, options.codegen, libdevice, llvmText);
}

/// An attribute of the provenance dictionary as JSON.
static Json attributeToJson(Attribute attribute) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    return Json(text.getValue());
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return Json(number.getInt());
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return Json(text);
}

Json diffuse::describeProvenance(ModuleFile &file,
                                 const CompileFileOptions &options) {
  Json provenance = Json::object();
  auto recorded = file.module()->getAttrOfType<DictionaryAttr>(kProvenanceAttr);
  if (recorded)
    for (NamedAttribute attribute : recorded)
      provenance.set(attribute.getName(),
                     attributeToJson(attribute.getValue()));
  provenance.set("tool", ("diffuse " + toolVersion()).str());
  provenance.set("codegen", kCodegenNumber);
  provenance.set("llvm", llvmVersion());
  provenance.set("target", options.codegen.target.key);
  provenance.set("threads", 1);
  provenance.set("numerics", printNumerics(options.codegen.numerics));
  provenance.set("denormals", options.codegen.ftz ? "flush" : "preserve");
  return provenance;
}
