// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with a handle: what the tool opens, creates and runs.

#ifndef DIFFUSE_TOOLS_DIFFUSE_RUN_INSTANCE_H
#define DIFFUSE_TOOLS_DIFFUSE_RUN_INSTANCE_H

#include "Arguments.h"
#include "Bench.h"
#include "LoadedModel.h"
#include "Options.h"

namespace diffuse {

/// The handle goes with it.
class Instance {
public:
  /// Loads the library `path`, or compiles the module `path` with the schedules
  /// of `choice` and loads that. Fails with an empty message where diagnostics
  /// are printed already.
  static llvm::Expected<Instance> open(const RunOptions &options,
                                       const std::string &path,
                                       ScheduleChoice choice);
  Instance(Instance &&other);
  ~Instance();

  const LoadedModel &model() const { return loaded; }
  /// Inputs and parameters as the options give them.
  llvm::Expected<Arguments> makeArguments() const;
  /// Creates the handle, then the buffers of the results. `profile`, which may
  /// be null, is told of every call of a subgraph.
  llvm::Error create(Arguments &arguments, CallProfile *profile);
  /// One run. Fails with the model's message.
  llvm::Error run(Arguments &arguments);

private:
  Instance(const RunOptions &options, std::string path, LoadedModel loaded);

  const RunOptions &options;
  std::string path;
  LoadedModel loaded;
  diffuse_handle *handle = nullptr;
};

} // namespace diffuse

#endif // DIFFUSE_TOOLS_DIFFUSE_RUN_INSTANCE_H
