// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers that one run of a model reads and writes.

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_ARGUMENTS_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_ARGUMENTS_H

#include "LoadedModel.h"

#include "Diffuse/Support/Npy.h"

namespace diffuse {

/// A buffer with its extents, aligned to 64 bytes.
class Tensor {
public:
  /// Every extent of `argument` must be known.
  static llvm::Expected<Tensor> allocate(const BoundaryArgument &argument);

  const BoundaryArgument &type() const { return argument; }
  char *data() const { return bytes.get(); }
  uint64_t size() const { return byteCount; }
  diffuse_tensor view() const { return {bytes.get(), argument.extents.data()}; }

private:
  struct Free {
    void operator()(void *pointer) const;
  };
  BoundaryArgument argument;
  std::unique_ptr<char, Free> bytes;
  uint64_t byteCount = 0;
};

/// What to fill arguments with.
struct DataOptions {
  std::vector<std::string> inputFiles;
  std::vector<int64_t> extents;
  uint64_t seed = 0;
};

/// Buffers for inputs and scalars, parameters, and results of one model.
struct Arguments {
  std::vector<Tensor> inputs;
  std::vector<Tensor> parameters;
  std::vector<Tensor> outputs;

  static std::vector<diffuse_tensor> views(llvm::ArrayRef<Tensor> tensors);
};

/// Makes inputs and parameters: the first inputs from files, the others, and
/// the parameters unless `fileParameters`, from the seed. Fails where a file
/// does not fit its argument or a dynamic extent is not given.
llvm::Expected<Arguments> makeArguments(llvm::ArrayRef<BoundaryArgument> types,
                                        const DataOptions &options,
                                        bool fileParameters);

/// Makes the buffers of the results, of extents that the model computes from
/// the inputs where they are dynamic.
llvm::Error makeOutputs(const LoadedModel &model, diffuse_handle *handle,
                        Arguments &arguments);

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_ARGUMENTS_H
