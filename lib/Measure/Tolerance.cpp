// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Measure/Measurer.h"
#include "Diffuse/Support/ElementType.h"

#include <algorithm>
#include <cmath>

using namespace diffuse;

/// How many times the statistical error bound eps * sqrt(n) of a sum an answer
/// may be off; docs/measuring.md says why.
static double factorOf(Numerics numerics) {
  switch (numerics) {
  case Numerics::Strict:
    return 4;
  case Numerics::Default:
    return 16;
  case Numerics::Fast:
    return 256;
  }
  llvm_unreachable("unknown numerics mode");
}

Tolerance diffuse::toleranceFor(llvm::StringRef elementType,
                                int64_t reductionLength, Numerics numerics) {
  llvm::Expected<ElementType> type = parseElementType(elementType);
  if (!type) {
    llvm::consumeError(type.takeError());
    return {};
  }
  double length = static_cast<double>(std::max<int64_t>(1, reductionLength));
  return {0, factorOf(numerics) * type->epsilon() * std::sqrt(length)};
}
