// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_TOOLS_DIFFUSE_COMPILE_EMITFOLDER_H
#define DIFFUSE_TOOLS_DIFFUSE_COMPILE_EMITFOLDER_H

#include "Options.h"

namespace diffuse {

/// Fails where `folder` is there and is not one that this tool may write anew:
/// empty, or with nothing in it but what it writes.
llvm::Error checkFolder(llvm::StringRef folder);

/// The files that a folder has then.
std::vector<std::string> filesOfFolder(llvm::StringRef folder);

/// Writes payload.mlir, schedules.mlir and schedules.json into the output
/// folder, all of them or none. Prints what is wrong.
mlir::LogicalResult emitFolder(const CompileOptions &options, ModuleFile &file);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_COMPILE_EMITFOLDER_H
