// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of compiled code as plain data: what Codegen tells Measure, the
// runner and the C interface.

#ifndef DIFFUSE_SUPPORT_BOUNDARY_H
#define DIFFUSE_SUPPORT_BOUNDARY_H

#include "Diffuse/Support/Json.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace diffuse {

/// Stands in BoundaryArgument::extents for an extent known only at run time.
inline constexpr int64_t kDynamicExtent = -1;

/// One argument of a compiled function. All but scalars are buffers, row-major.
struct BoundaryArgument {
  enum class Kind { Input, Parameter, Scalar, Destination };
  Kind kind = Kind::Input;
  /// In MLIR's spelling: `f32`, `i8`, `i1`, `bf16`, `index`, ...
  std::string elementType;
  /// Empty for scalars and for buffers of rank 0.
  std::vector<int64_t> extents;
  std::string name;
  /// Number of inputs that one output of a parameter sums over; 0 where it is
  /// not known, and then guessed from the extents. Scales test data.
  int64_t fanIn = 0;
  /// Least and greatest value of an integer argument's test data, for indices
  /// and divisors; both 0 where nothing is known.
  int64_t least = 0;
  int64_t greatest = 0;

  bool isBuffer() const { return kind != Kind::Scalar; }
  bool isDynamic() const;
};

/// Number of extents that are known only at run time, over all arguments.
unsigned countDynamicExtents(llvm::ArrayRef<BoundaryArgument> boundary);

/// The boundary with its dynamic extents filled in, in order of arguments and
/// dimensions. Fails where their number differs or one is negative.
llvm::Expected<std::vector<BoundaryArgument>>
fixExtents(llvm::ArrayRef<BoundaryArgument> boundary,
           llvm::ArrayRef<int64_t> dynamicExtents);

/// Bytes of a buffer whose extents are all known. Fails on an unknown element
/// type or extent and where the product does not fit.
llvm::Expected<uint64_t> countBytes(const BoundaryArgument &argument);

Json toJson(const BoundaryArgument &argument);
Json toJson(llvm::ArrayRef<BoundaryArgument> boundary);
llvm::Error fromJson(const Json &value, BoundaryArgument &argument);
llvm::Error fromJson(const Json &value,
                     std::vector<BoundaryArgument> &boundary);

} // namespace diffuse

#endif // DIFFUSE_SUPPORT_BOUNDARY_H
