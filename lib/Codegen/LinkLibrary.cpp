// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/LinkLibrary.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/FindProgram.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/ScratchFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <optional>

using namespace diffuse;
using llvm::StringRef;

/// Runs a program of the system and turns what it says into an error. Its
/// temporary files lie beside `object`; it is given up where a signal is held.
static llvm::Error runTool(llvm::ArrayRef<StringRef> names,
                           std::vector<std::string> arguments,
                           StringRef object) {
  llvm::Expected<std::string> program = findProgram(names);
  if (!program)
    return program.takeError();
  ChildCommand command;
  command.program = *program;
  command.arguments = std::move(arguments);
  // Whoever stops this process with its group stops the linker too.
  command.ownGroup = false;
  command.interrupted = HeldSignals::isAnyPending;
  StringRef folder = llvm::sys::path::parent_path(object);
  command.temporaryFolder = folder.empty() ? "." : folder.str();
  llvm::Expected<ChildOutcome> outcome = runChild(command);
  if (!outcome)
    return outcome.takeError();
  if (!outcome->succeeded())
    return makeError("'" + *program + "' failed with " + outcome->describe() +
                     ": " + StringRef(outcome->errorTail).trim());
  return llvm::Error::success();
}

/// A file beside `path` that becomes `path` when it is complete; for standard
/// output (`-`), one that is copied there. No tool takes it for an option.
static std::string partialPath(StringRef path) {
  llvm::SmallString<128> unique;
  llvm::sys::fs::createUniquePath(path == "-" ? "diffuse-%%%%%%.tmp"
                                              : path + ".%%%%%%.tmp",
                                  unique, /*MakeAbsolute=*/path == "-");
  (void)llvm::sys::fs::make_absolute(unique);
  return unique.str().str();
}

static llvm::Error finish(StringRef partial, StringRef path) {
  llvm::sys::fs::file_status status;
  if (path != "-")
    (void)llvm::sys::fs::status(path, status, /*follow=*/false);
  if (path == "-" || (llvm::sys::fs::exists(status) &&
                      !llvm::sys::fs::is_regular_file(status))) {
    // A link is followed, a device is written to: a rename would replace them.
    llvm::Expected<std::string> bytes = readFile(partial);
    return bytes ? writeFileAtomically(path, *bytes) : bytes.takeError();
  }
  if (std::error_code code = llvm::sys::fs::rename(partial, path))
    return makeError("cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}

/// A version script that keeps the named symbols.
static std::string printVersionScript(llvm::ArrayRef<std::string> exports) {
  return "{ global: " + llvm::join(exports, "; ") + "; local: *; };\n";
}

llvm::Error diffuse::linkSharedLibrary(llvm::ArrayRef<std::string> objectPaths,
                                       StringRef outputPath,
                                       llvm::ArrayRef<std::string> exports,
                                       UndefinedSymbols undefined) {
  std::string partial = partialPath(outputPath);
  llvm::FileRemover removePartial(partial);
  // No build id and no compiler's version: the same objects give the same
  // library anywhere.
  std::vector<std::string> arguments = {
      "-shared", "-o", partial, "-Wl,--build-id=none", "-Wl,-z,noexecstack"};
  arguments.insert(arguments.end(), objectPaths.begin(), objectPaths.end());
  arguments.push_back("-lm");
  if (undefined == UndefinedSymbols::Refuse)
    arguments.push_back("-Wl,-z,defs");
  std::optional<ScratchFolder> folder;
  if (!exports.empty()) {
    llvm::Expected<ScratchFolder> created = ScratchFolder::create();
    if (!created)
      return created.takeError();
    folder.emplace(std::move(*created));
    std::string script = folder->file("exports.map");
    if (llvm::Error error =
            writeScratchFile(script, printVersionScript(exports)))
      return error;
    arguments.push_back("-Wl,--version-script=" + script);
  }
  if (llvm::Error error =
          runTool({"cc", "gcc", "clang"}, arguments, objectPaths.front()))
    return error;
  return finish(partial, outputPath);
}

llvm::Error diffuse::linkRelocatable(llvm::ArrayRef<std::string> objectPaths,
                                     StringRef outputPath,
                                     llvm::ArrayRef<std::string> exports) {
  std::string partial = partialPath(outputPath);
  llvm::FileRemover removePartial(partial);
  std::vector<std::string> link = {"-r", "-o", partial};
  link.insert(link.end(), objectPaths.begin(), objectPaths.end());
  if (llvm::Error error = runTool({"ld", "ld.lld"}, link, objectPaths.front()))
    return error;
  std::vector<std::string> localize;
  for (const std::string &symbol : exports)
    localize.push_back("--keep-global-symbol=" + symbol);
  localize.push_back(partial);
  if (llvm::Error error = runTool({"objcopy", "llvm-objcopy-22"}, localize,
                                  objectPaths.front()))
    return error;
  return finish(partial, outputPath);
}

llvm::Error diffuse::compileC(StringRef sourcePath, StringRef objectPath) {
  std::vector<std::string> arguments = {
      "-std=gnu11",          "-O2",        "-g0", "-w", "-fPIC",
      "-fvisibility=hidden", "-fno-ident", "-c",  "-o", objectPath.str()};
  // Some compilers' default is more: the code that says what a machine lacks
  // must run on all of them.
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch() ==
      llvm::Triple::x86_64)
    arguments.push_back("-march=x86-64");
  arguments.push_back(sourcePath.str());
  return runTool({"cc", "gcc", "clang"}, std::move(arguments), objectPath);
}
