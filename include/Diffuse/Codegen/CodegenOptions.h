// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of a subgraph depends on besides its IR and its schedule.

#ifndef DIFFUSE_CODEGEN_CODEGENOPTIONS_H
#define DIFFUSE_CODEGEN_CODEGENOPTIONS_H

#include "Diffuse/Support/Numerics.h"
#include "Diffuse/Target/TargetDescription.h"

#include <cstdint>

namespace diffuse {

/// Raised whenever the same subgraph and schedule may give other code. Records
/// of another number are priors only.
inline constexpr unsigned kCodegenNumber = 5;

/// Bytes to which scratch memory and planned buffers are aligned.
inline constexpr uint64_t kBufferAlignment = 64;

/// Temporaries up to this size live on the stack, larger ones in the
/// workspace.
inline constexpr uint64_t kMaxStackBufferBytes = 4096;

struct CodegenOptions {
  TargetDescription target;
  Numerics numerics = Numerics::Default;
  /// The code may assume that denormals are flushed to zero; who runs it sets
  /// the processor's mode.
  bool ftz = false;
  /// Level of LLVM's optimizer, 0 to 3. Code generation proper always runs at
  /// its default level.
  int optLevel = 2;
};

} // namespace diffuse

#endif // DIFFUSE_CODEGEN_CODEGENOPTIONS_H
