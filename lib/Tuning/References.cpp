// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "References.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

using namespace diffuse;

/// Share of the budget that one reference may take, and its bounds in seconds.
static constexpr double kReferenceShare = 1.0 / 6;
static constexpr double kReferenceLeast = 2, kReferenceMost = 60;

double References::mostSeconds() const {
  if (!parts.options.budget.seconds)
    return kReferenceMost;
  return std::clamp(*parts.options.budget.seconds * kReferenceShare,
                    kReferenceLeast, kReferenceMost);
}

CompileOutcome References::compile(unsigned task, const std::string &library,
                                   bool strict) {
  CompileRequest request;
  request.strict = strict;
  request.subgraph = parts.searchTasks[task].descriptor.exactHash;
  request.libraryPath = library;
  return parts.compiler.compile(request);
}

static Reference missing(std::string problem, bool isFinal) {
  Reference reference;
  reference.problem = std::move(problem);
  reference.isFinal = isFinal;
  return reference;
}

static bool isFault(FailureKind failure) {
  return failure == FailureKind::Unmeasurable;
}

Reference References::make(unsigned task, uint64_t seed) {
  const SubgraphDescriptor &descriptor = parts.searchTasks[task].descriptor;
  const TuningTask &tuningTask = parts.tasks[task];
  if (llvm::any_of(tuningTask.boundary, [](const BoundaryArgument &argument) {
        return argument.isDynamic();
      }))
    return missing("its extents are known only at run time", true);
  double expected = plainLoopsMicros(descriptor.flops) * 1e-6;
  if (parts.measurer.isReal() && expected > mostSeconds())
    return missing(
        "its plain loops, which answers are checked against, would take "
        "about " +
            std::to_string(static_cast<int64_t>(std::ceil(expected))) +
            " s of at most " +
            std::to_string(static_cast<int64_t>(mostSeconds())) + " s",
        true);
  if (llvm::Error error = parts.compiler.addSubgraph(
          descriptor.exactHash, tuningTask.text, tuningTask.function))
    return missing(llvm::toString(std::move(error)), false);
  std::string library = parts.pathFor(task, ".unscheduled.so");
  CompileOutcome compiled = compile(task, library, /*strict=*/true);
  if (compiled.failure != FailureKind::None)
    return missing("its unscheduled lowering failed: " + compiled.message,
                   !isFault(compiled.failure));
  MeasureRequest request = parts.requestFor(task, compiled, library, seed);
  request.checkOnly = true;
  request.writeOutputs =
      parts.pathFor(task, ".reference" + std::to_string(seed));
  request.limits.seconds = mostSeconds() + kRunSeconds;
  MeasureResult result = parts.measurer.measure(request);
  unlink(library.c_str());
  if (!result.succeeded())
    return missing("its unscheduled lowering could not be run: " +
                       result.message,
                   !isFault(result.failure));
  Reference reference;
  reference.path = request.writeOutputs;
  reference.seconds = compiled.seconds + result.seconds;
  return reference;
}

const Reference &References::get(unsigned task, uint64_t seed) {
  Reference &reference = references[{task, seed}];
  if (reference.path.empty() && !reference.isFinal)
    reference = make(task, seed);
  return reference;
}

std::optional<double> References::timePlainLoops(unsigned task) {
  if (get(task, kDataSeed).path.empty())
    return std::nullopt;
  std::string library = parts.pathFor(task, ".unscheduled.so");
  CompileOutcome compiled = compile(task, library, /*strict=*/false);
  if (compiled.failure != FailureKind::None)
    return std::nullopt;
  MeasureRequest request = parts.requestFor(task, compiled, library, kDataSeed);
  request.predictedMicros =
      plainLoopsMicros(parts.searchTasks[task].descriptor.flops);
  // They may be slow, and what they take decides nothing.
  request.repeats.minRepeats = 1;
  request.limits.seconds = kReferenceMost + kRunSeconds;
  MeasureResult result = parts.measurer.measure(request);
  unlink(library.c_str());
  if (!result.succeeded() || result.samplesMicros.empty())
    return std::nullopt;
  return latencyMicros(result.samplesMicros);
}
