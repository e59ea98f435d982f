// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files are written whole or not at all: a reader, or a machine that
// loses power, never sees half a file.

#ifndef DIFFUSE_SUPPORT_ATOMICFILE_H
#define DIFFUSE_SUPPORT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace diffuse {

/// Writes `bytes` to a temporary file beside `path`, syncs it and renames it
/// over `path`. An existing file keeps its mode; a symbolic link is followed;
/// a pipe or device (/dev/stdout) is written to directly. `-` is standard
/// output. Fails, leaving what was there, where the target is a directory, is
/// not writable, or the disk is full.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes);

/// Writes a file that only this run reads, such as an object on its way to the
/// linker: not atomic and not synced, which takes milliseconds.
llvm::Error writeScratchFile(llvm::StringRef path, llvm::StringRef bytes);

/// Succeeds where writeFileAtomically would find a writable place, so that a
/// tool can refuse before hours of work.
llvm::Error checkWritable(llvm::StringRef path);

/// The bytes of a file; `-` is standard input.
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_ATOMICFILE_H
