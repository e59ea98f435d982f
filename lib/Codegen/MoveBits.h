// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of bf16 that are only moved, as their bits.

#ifndef DIFFUSE_LIB_CODEGEN_MOVEBITS_H
#define DIFFUSE_LIB_CODEGEN_MOVEBITS_H

namespace llvm {
class Module;
}

namespace diffuse {

/// Turns loads, stores, selects and phis of bf16, scalars and vectors, into
/// those of i16. For a processor without instructions for bf16, LLVM 22 keeps a
/// value of it that lives across blocks in f32, and goes back by a call of
/// __truncsfbf2, which libgcc has only since GCC 13. To be run after
/// optimization, which prefers the floating-point form.
void moveBits(llvm::Module &module);

} // namespace diffuse

#endif // DIFFUSE_LIB_CODEGEN_MOVEBITS_H
