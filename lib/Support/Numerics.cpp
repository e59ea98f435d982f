// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words stand in record files: never change one.

#include "Diffuse/Support/Numerics.h"

#include "Diffuse/Support/Errors.h"
#include "llvm/Support/ErrorHandling.h"

using namespace diffuse;

llvm::StringRef diffuse::printNumerics(Numerics numerics) {
  switch (numerics) {
  case Numerics::Strict:
    return "strict";
  case Numerics::Default:
    return "default";
  case Numerics::Fast:
    return "fast";
  }
  llvm_unreachable("unknown numerics mode");
}

llvm::Expected<Numerics> diffuse::parseNumerics(llvm::StringRef word) {
  for (Numerics numerics :
       {Numerics::Strict, Numerics::Default, Numerics::Fast})
    if (word == printNumerics(numerics))
      return numerics;
  return makeError("unknown numerics mode '" + word +
                   "'; expected strict, default or fast");
}
