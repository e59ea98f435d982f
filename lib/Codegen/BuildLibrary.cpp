// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/BuildLibrary.h"

#include "InterfaceSource.h"

#include "Diffuse/Codegen/LinkLibrary.h"
#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/ScratchFolder.h"

#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using llvm::StringRef;

std::string diffuse::makeModelName(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  return name;
}

static Json describeCalls(llvm::ArrayRef<ModuleCall> calls) {
  Json::Array list;
  for (const ModuleCall &call : calls) {
    Json entry = Json::object();
    entry.set("subgraph", call.subgraph);
    entry.set("symbol", call.symbol);
    list.push_back(std::move(entry));
  }
  return Json(std::move(list));
}

std::string diffuse::describeModel(const CompiledModule &module,
                                   const LibraryOptions &options) {
  Json description = Json::object();
  description.set("model", options.model);
  description.set("boundary", toJson(module.boundary));
  description.set("calls", describeCalls(module.calls));
  description.set("preparations", describeCalls(module.preparations));
  description.set("prepared_bytes", preparedOffsets(module).back());
  description.set("workspace_bytes", module.entry.workspaceBytes);
  description.set("live_bytes", module.entry.liveBytes);
  description.set("ordinary_buffers", module.ordinaryBuffers);
  description.set("embedded_parameters", !options.embeddedParameters.empty());
  description.set("provenance", options.provenance);
  return description.dump();
}

/// Writes every object of the library into `folder`. Files are named by
/// position: names of users do not reach the linker.
static llvm::Expected<std::vector<std::string>>
writeObjects(const ScratchFolder &folder, const CompiledModule &module,
             const LibraryOptions &options, const CodegenOptions &codegen) {
  std::vector<std::string> paths;
  auto add = [&](const llvm::Twine &name, StringRef bytes) -> llvm::Error {
    paths.push_back(folder.file(name));
    return writeScratchFile(paths.back(), bytes);
  };
  llvm::Expected<std::string> source =
      printInterfaceSource(module, options, codegen);
  if (!source)
    return source.takeError();
  std::string sourcePath = folder.file("interface.c");
  if (llvm::Error error = writeScratchFile(sourcePath, *source))
    return error;
  paths.push_back(folder.file("interface.o"));
  if (llvm::Error error = compileC(sourcePath, paths.back()))
    return error;
  if (llvm::Error error = add("entry.o", module.entry.object))
    return error;
  for (auto [index, subgraph] : llvm::enumerate(module.subgraphs))
    if (llvm::Error error =
            add("subgraph" + llvm::Twine(index) + ".o", subgraph.object))
      return error;
  return paths;
}

/// The six functions of the interface.
static std::vector<std::string> exportsOf(const LibraryOptions &options) {
  std::vector<std::string> exports;
  for (StringRef function :
       {"create", "run", "extents", "destroy", "error", "describe"})
    exports.push_back(("diffuse_" + options.model + "_" + function).str());
  return exports;
}

/// Says of a linker's error which function of the module it is about.
static llvm::Error nameExternals(llvm::Error error,
                                 const CompiledModule &module) {
  if (!error)
    return error;
  std::string message = llvm::toString(std::move(error));
  for (const std::string &symbol : module.externals)
    if (llvm::StringRef(message).contains("undefined") &&
        llvm::StringRef(message).contains(symbol))
      return makeError("the module calls '" + symbol +
                       "', which it only declares and neither libc nor libm "
                       "defines: give it a body");
  return makeError(message);
}

/// The objects of a library, in a folder that lives as long as they are needed.
using Link = llvm::function_ref<llvm::Error(llvm::ArrayRef<std::string>)>;

static llvm::Error build(const CompiledModule &module,
                         const LibraryOptions &options,
                         const CodegenOptions &codegen, Link link) {
  HeldSignals held;
  llvm::Expected<ScratchFolder> folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  llvm::Expected<std::vector<std::string>> paths =
      writeObjects(*folder, module, options, codegen);
  if (!paths)
    return paths.takeError();
  return link(*paths);
}

llvm::Error diffuse::buildSharedLibrary(const CompiledModule &module,
                                        const LibraryOptions &options,
                                        const CodegenOptions &codegen,
                                        StringRef outputPath) {
  UndefinedSymbols undefined = options.allowUndefined
                                   ? UndefinedSymbols::Allow
                                   : UndefinedSymbols::Refuse;
  return build(module, options, codegen, [&](auto paths) {
    return nameExternals(
        linkSharedLibrary(paths, outputPath, exportsOf(options), undefined),
        module);
  });
}

llvm::Error diffuse::buildObject(const CompiledModule &module,
                                 const LibraryOptions &options,
                                 const CodegenOptions &codegen,
                                 StringRef outputPath) {
  return build(module, options, codegen, [&](auto paths) {
    return linkRelocatable(paths, outputPath, exportsOf(options));
  });
}
