// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuningParts.h"

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Support/MachineId.h"

using namespace diffuse;

/// Arithmetic that plain loops do in a second, a low guess: large strides miss
/// every cache.
static constexpr double kPlainLoopsPerSecond = 4e8;

double diffuse::plainLoopsMicros(double flops) {
  return flops / kPlainLoopsPerSecond * 1e6;
}

RecordScope diffuse::recordScopeOf(const SearchTask &task,
                                   const TargetDescription &target,
                                   const TunerOptions &options) {
  RecordScope scope;
  scope.exactHash = task.descriptor.exactHash;
  scope.target = target.key;
  scope.threads = options.threads;
  scope.numerics = options.numerics;
  scope.flushDenormals = options.flushDenormals;
  scope.codegen = kCodegenNumber;
  return scope;
}

RecordScope TuningParts::scopeOf(unsigned task) const {
  return recordScopeOf(searchTasks[task], target, options);
}

std::string TuningParts::pathFor(unsigned task, llvm::StringRef suffix) const {
  return options.scratch + "/" + searchTasks[task].descriptor.exactHash +
         suffix.str();
}

std::string TuningParts::machine() const {
  return measurer.isReal() ? machineId() : "";
}

MeasureRequest TuningParts::requestFor(unsigned task,
                                       const CompileOutcome &compiled,
                                       const std::string &library,
                                       uint64_t seed) const {
  MeasureRequest request;
  request.identity.scope = scopeOf(task);
  request.library = library;
  request.symbol = compiled.symbol;
  request.workspaceBytes = compiled.workspaceBytes;
  request.boundary = tasks[task].boundary;
  request.dataSeed = seed;
  request.threads = options.threads;
  request.flushDenormals = options.flushDenormals;
  request.limits.seconds = kRunSeconds;
  llvm::ArrayRef<int64_t> lengths = tasks[task].reductionLengths;
  for (const BoundaryArgument &argument : request.boundary) {
    if (argument.kind != BoundaryArgument::Kind::Destination)
      continue;
    int64_t length = lengths.empty() ? 1 : lengths.front();
    lengths = lengths.drop_front(lengths.empty() ? 0 : 1);
    request.tolerances.push_back(
        toleranceFor(argument.elementType, length, options.numerics));
  }
  return request;
}
