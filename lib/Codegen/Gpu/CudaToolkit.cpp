// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Codegen/CudaToolkit.h"

#include "Diffuse/Support/AtomicFile.h"
#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Interrupt.h"
#include "Diffuse/Support/ScratchFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace diffuse;
using llvm::StringRef;

namespace path = llvm::sys::path;

/// Where the toolkit lies when nobody says so.
static constexpr llvm::StringLiteral kUsualFolder = "/usr/local/cuda";

static std::string join(StringRef folder, llvm::ArrayRef<StringRef> parts) {
  llvm::SmallString<256> joined(folder);
  for (StringRef part : parts)
    path::append(joined, part);
  return joined.str().str();
}

/// The toolkit that the ptxas on PATH belongs to, or an empty string.
static std::string folderOnPath() {
  auto found = llvm::sys::findProgramByName("ptxas");
  llvm::SmallString<256> real;
  if (!found || llvm::sys::fs::real_path(*found, real))
    return "";
  return path::parent_path(path::parent_path(real)).str();
}

CudaToolkit diffuse::findCudaToolkit(StringRef cudaHome) {
  CudaToolkit toolkit;
  llvm::SmallVector<std::string> folders{cudaHome.str()};
  toolkit.searched = "'" + cudaHome.str() + "', where CUDA_HOME points";
  if (cudaHome.empty()) {
    folders = {folderOnPath(), kUsualFolder.str()};
    toolkit.searched = "PATH and " + kUsualFolder.str();
  }
  for (StringRef folder : folders) {
    std::string ptxas = join(folder, {"bin", "ptxas"});
    std::string library =
        join(folder, {"nvvm", "libdevice", "libdevice.10.bc"});
    if (toolkit.ptxas.empty() && llvm::sys::fs::can_execute(ptxas))
      toolkit.ptxas = ptxas;
    if (toolkit.libdevice.empty() && llvm::sys::fs::exists(library))
      toolkit.libdevice = library;
  }
  return toolkit;
}

llvm::Expected<Cubin> diffuse::assembleCubin(StringRef ptx,
                                             const TargetDescription &target,
                                             const CudaToolkit &toolkit) {
  if (toolkit.ptxas.empty())
    return makeError("cannot find bin/ptxas of a CUDA Toolkit in " +
                     toolkit.searched +
                     "; set CUDA_HOME to one, or ask for PTX, which needs "
                     "none");
  HeldSignals held;
  llvm::Expected<ScratchFolder> folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  std::string input = folder->file("kernels.ptx");
  std::string output = folder->file("kernels.cubin");
  if (llvm::Error error = writeScratchFile(input, ptx))
    return error;
  ChildCommand command;
  command.program = toolkit.ptxas;
  command.ownGroup = false;
  command.interrupted = HeldSignals::isAnyPending;
  command.temporaryFolder = folder->path().str();
  command.arguments = {"-v", "-arch=" + target.processor, input, "-o", output};
  llvm::Expected<ChildOutcome> outcome = runChild(command);
  if (!outcome)
    return outcome.takeError();
  if (!outcome->succeeded())
    return makeError("'" + toolkit.ptxas + "' failed (" + outcome->describe() +
                     "): " + outcome->errorTail + outcome->output);
  llvm::Expected<std::string> bytes = readFile(output);
  if (!bytes)
    return bytes.takeError();
  return Cubin{std::move(*bytes), outcome->errorTail + outcome->output};
}
