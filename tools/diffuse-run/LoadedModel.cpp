// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoadedModel.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/Errors.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace diffuse;
using llvm::StringRef;

/// The part of `diffuse_<model>_create` in the middle.
static llvm::Expected<std::string> findModelName(const std::string &path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file)
    return makeError("'" + path +
                     "' is no library: " + llvm::toString(file.takeError()));
  auto *elf =
      llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return makeError("'" + path + "' is no ELF library");
  for (const llvm::object::ELFSymbolRef &symbol :
       elf->getDynamicSymbolIterators()) {
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    StringRef model = *name;
    if (model.consume_front("diffuse_") && model.consume_back("_create"))
      return model.str();
  }
  return makeError("'" + path +
                   "' holds no model: it defines no "
                   "diffuse_<model>_create");
}

/// The print functions that modules made for MLIR's runner call.
static void loadRunnerLibraries() {
  for (const char *name :
       {"libmlir_c_runner_utils.so", "libmlir_runner_utils.so"}) {
    std::string beside = std::string(DIFFUSE_LLVM_LIBRARY_DIR "/") + name;
    if (!dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL))
      dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  }
}

static llvm::Expected<void *> open(const std::string &path) {
  llvm::SmallString<128> absolute(path);
  if (std::error_code code = llvm::sys::fs::make_absolute(absolute))
    return llvm::errorCodeToError(code);
  void *library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    loadRunnerLibraries();
    library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!library)
    return makeError("cannot load '" + path + "': " + dlerror());
  return library;
}

bool LoadedModel::embedsParameters() const {
  const Json *embeds = json.find("embedded_parameters");
  return embeds && embeds->asBool().value_or(false);
}

llvm::Error LoadedModel::readDescription(StringRef text) {
  llvm::Expected<Json> parsed = Json::parse(text);
  if (!parsed)
    return parsed.takeError();
  json = std::move(*parsed);
  const Json *boundary = json.find("boundary");
  const Json *calls = json.find("calls");
  if (!boundary || !calls || !calls->asArray())
    return makeError("the model's description lacks its boundary or calls");
  for (const Json &call : *calls->asArray()) {
    const Json *name = call.find("subgraph");
    if (!name || !name->asString())
      return makeError("the model's description has a call without a name");
    callNames.push_back(*name->asString());
  }
  return fromJson(*boundary, arguments);
}

/// Calls of a run, and of what is done once for each handle.
static Json::Array allCalls(const Json &description) {
  Json::Array all = *description.find("calls")->asArray();
  const Json *once = description.find("preparations");
  if (once && once->asArray())
    llvm::append_range(all, *once->asArray());
  return all;
}

void LoadedModel::findCode(const std::string &path) {
  Dl_info info;
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file || !dladdr(reinterpret_cast<void *>(create), &info))
    return llvm::consumeError(file.takeError());
  auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
  llvm::StringMap<std::string> names;
  names["diffuse_entry_body"] = names["diffuse_entry"] = "the entry";
  names["diffuse_prepare_body"] = names["diffuse_prepare"] =
      "what prepares the entry";
  for (const Json &call : allCalls(json))
    if (const Json *symbol = call.find("symbol"); symbol && symbol->asString())
      for (const char *suffix : {"", "_body"})
        names[*symbol->asString() + suffix] =
            "subgraph '" + *call.find("subgraph")->asString() + "'";
  for (const llvm::object::ELFSymbolRef symbol : file->getBinary()->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    llvm::Expected<uint64_t> address = symbol.getAddress();
    auto known = name ? names.find(*name) : names.end();
    if (known != names.end() && address)
      ranges.push_back(
          {base + *address, base + *address + symbol.getSize(), known->second});
    llvm::consumeError(name.takeError());
    llvm::consumeError(address.takeError());
  }
}

llvm::Error LoadedModel::checkProvenance(
    llvm::ArrayRef<std::pair<std::string, std::string>> expected) const {
  const Json *provenance = json.find("provenance");
  for (const auto &[key, value] : expected) {
    const Json *found = provenance ? provenance->find(key) : nullptr;
    if (found && found->asString() && *found->asString() != value)
      return makeError("--" + key + "=" + value +
                       " does not go with this library, which was compiled "
                       "with --" +
                       key + "=" + *found->asString());
  }
  return llvm::Error::success();
}

llvm::Expected<LoadedModel> LoadedModel::load(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    return makeError("cannot read '" + path + "': no such file");
  llvm::Expected<std::string> name = findModelName(path);
  if (!name)
    return name.takeError();
  llvm::Expected<void *> library = open(path);
  if (!library)
    return library.takeError();
  LoadedModel model;
  const char *(*describe)() = nullptr;
  bool complete = true;
  auto find = [&](auto &function, const char *suffix) {
    std::string symbol = "diffuse_" + *name + suffix;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(*library, symbol.c_str()));
    complete &= function != nullptr;
  };
  find(model.create, "_create");
  find(model.run, "_run");
  find(model.extents, "_extents");
  find(model.destroy, "_destroy");
  find(model.error, "_error");
  find(describe, "_describe");
  if (!complete)
    return makeError("'" + path + "' lacks a function of the C interface");
  if (llvm::Error error = model.readDescription(describe()))
    return error;
  model.findCode(path);
  return model;
}
