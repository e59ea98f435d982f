// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "References.h"

#include "CutSubgraph.h"
#include "Diffuse/Support/StableHash.h"
#include "Diffuse/Tuning/SampleTiles.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

using namespace diffuse;

/// Share of the budget that one reference may take, and its bounds in seconds.
static constexpr double kReferenceShare = 1.0 / 6;
static constexpr double kReferenceLeast = 2, kReferenceMost = 60;
/// Plain loops that take less than this are run whole.
static constexpr double kWholeSeconds = 0.3;
/// A sample that takes more than this share of the whole saves little.
static constexpr double kSampleShare = 0.5;
/// A dozen loop nests with little to do: they run in less time than it takes to
/// optimize them.
static constexpr unsigned kSampleOptLevel = 0;
/// Elements of a task that are looked at because two schedules differ there.
static constexpr size_t kAskedElements = 4;
/// Of the tolerances, between two answers that may each be off by them.
static constexpr double kBetweenSchedules = 2;

double References::mostSeconds() const {
  if (!parts.options.budget.seconds)
    return kReferenceMost;
  return std::clamp(*parts.options.budget.seconds * kReferenceShare,
                    kReferenceLeast, kReferenceMost);
}

const std::string &References::hashOf(unsigned task) const {
  return parts.searchTasks[task].descriptor.exactHash;
}

double References::plainLoopsSeconds(unsigned task) const {
  return plainLoopsMicros(parts.searchTasks[task].descriptor.flops) * 1e-6;
}

double References::secondsOfWholeRun(unsigned task) {
  const Reference &reference = get(task, kDataSeed);
  return reference.isSampled() ? plainLoopsSeconds(task) : reference.seconds;
}

static CompileRequest plainLoops(const std::string &hash,
                                 const std::string &library) {
  CompileRequest request;
  request.subgraph = hash;
  request.libraryPath = library;
  return request;
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

Reference References::runPlainLoops(unsigned task, uint64_t seed,
                                    const std::string &hash,
                                    std::vector<BoundaryArgument> boundary,
                                    unsigned optLevel) {
  std::string library = parts.pathFor(task, ".unscheduled.so");
  CompileRequest compile = plainLoops(hash, library);
  compile.strict = true;
  compile.optLevel = optLevel;
  CompileOutcome compiled = parts.compiler.compile(compile);
  if (compiled.failure != FailureKind::None)
    return missing("its unscheduled lowering failed: " + compiled.message,
                   !isFault(compiled.failure));
  MeasureRequest request = parts.requestFor(task, compiled, library, seed);
  request.boundary = std::move(boundary);
  request.checkOnly = true;
  // Samples that replace others must not overwrite them yet.
  request.writeOutputs = parts.pathFor(
      task, ".reference" + std::to_string(seed) + "." + stableHash(hash).str());
  request.limits.seconds = mostSeconds() + kRunSeconds;
  MeasureResult result = parts.measurer.measure(request);
  unlink(library.c_str());
  if (!result.succeeded())
    return missing("its unscheduled lowering could not be run: " +
                       result.message,
                   !isFault(result.failure));
  Reference reference;
  reference.exact.path = request.writeOutputs;
  reference.seconds = compiled.seconds + result.seconds;
  if (parts.measurer.isReal())
    spent += reference.seconds;
  return reference;
}

std::optional<Reference> References::makeSample(unsigned task, uint64_t seed) {
  const TuningTask &tuningTask = parts.tasks[task];
  std::vector<OutputTile> tiles = sampleTiles(tuningTask.boundary, seed);
  llvm::append_range(tiles, asked[task]);
  std::optional<CutSubgraph> cut = cutSubgraph(tuningTask, tiles);
  if (!cut ||
      cut->flops > kSampleShare * parts.searchTasks[task].descriptor.flops ||
      plainLoopsMicros(cut->flops) * 1e-6 > mostSeconds())
    return std::nullopt;
  // The compiler keeps what it was told by a name, and tiles differ.
  std::string hash = hashOf(task) + ".sample." + stableHash(cut->text).str();
  if (llvm::Error error =
          parts.compiler.addSubgraph(hash, cut->text, tuningTask.function))
    return missing(llvm::toString(std::move(error)), /*isFinal=*/false);
  Reference reference = runPlainLoops(
      task, seed, hash, std::move(cut->boundary), kSampleOptLevel);
  if (!reference.isKnown() && reference.isFinal)
    return std::nullopt;
  if (reference.isKnown())
    reference.exact.tiles = std::move(tiles);
  return reference;
}

static std::string tooSlow(double seconds, double most) {
  return "its plain loops, which answers are checked against, would take "
         "about " +
         std::to_string(static_cast<int64_t>(std::ceil(seconds))) +
         " s of at most " + std::to_string(static_cast<int64_t>(most)) + " s";
}

Reference References::make(unsigned task, uint64_t seed) {
  const TuningTask &tuningTask = parts.tasks[task];
  if (llvm::any_of(tuningTask.boundary, [](const BoundaryArgument &argument) {
        return argument.isDynamic();
      }))
    return missing("its extents are known only at run time", true);
  if (llvm::Error error = parts.compiler.addSubgraph(
          hashOf(task), tuningTask.text, tuningTask.function))
    return missing(llvm::toString(std::move(error)), false);
  double expected = plainLoopsSeconds(task);
  bool isReal = parts.measurer.isReal();
  if (isReal && expected > kWholeSeconds)
    if (std::optional<Reference> sample = makeSample(task, seed))
      return *sample;
  if (isReal && expected > mostSeconds())
    return missing(tooSlow(expected, mostSeconds()), true);
  return runPlainLoops(task, seed, hashOf(task), tuningTask.boundary,
                       CompileRequest().optLevel);
}

const Reference &References::get(unsigned task, uint64_t seed) {
  Reference &reference = references[{task, seed}];
  if (!reference.isKnown() && !reference.isFinal)
    reference = make(task, seed);
  return reference;
}

//===-- whole answers of schedules ----------------------------------------===//

std::vector<ExpectedOutputs> References::expected(unsigned task,
                                                  uint64_t seed) {
  const Reference &reference = get(task, seed);
  if (!reference.isKnown())
    return {};
  std::vector<ExpectedOutputs> all = {reference.exact};
  if (reference.isSampled() && adopted.count(task))
    all.push_back(
        {answerPath(task, seed, adopted[task]), {}, kBetweenSchedules});
  return all;
}

bool References::lacksWholeAnswers(unsigned task) {
  return get(task, kDataSeed).isSampled() && !adopted.count(task);
}

std::string References::answerPath(unsigned task, uint64_t seed,
                                   size_t round) const {
  return parts.pathFor(task, ".answer" + std::to_string(seed) + "." +
                                 std::to_string(round));
}

std::string References::wholePath(unsigned task, uint64_t seed) {
  return answerPath(task, seed, rounds[task]);
}

void References::adoptWholeAnswers(unsigned task) {
  adopted[task] = rounds[task];
}

References::WholeAnswers References::dropWholeAnswers(unsigned task) {
  auto found = adopted.find(task);
  if (found == adopted.end())
    return std::nullopt;
  size_t round = found->second;
  adopted.erase(found);
  // They may be restored.
  rounds[task] = round + 1;
  return round;
}

void References::restoreWholeAnswers(unsigned task, WholeAnswers answers) {
  if (answers)
    adopted[task] = *answers;
}

bool References::sampleAlso(unsigned task, const AnswerElement &element) {
  OutputTile tile;
  tile.result = element.result;
  tile.offsets = element.position;
  tile.sizes.assign(element.position.size(), 1);
  std::vector<OutputTile> &tiles = asked[task];
  if (llvm::is_contained(tiles, tile))
    return true;
  if (tries[task] >= kAskedElements || !get(task, kDataSeed).isSampled())
    return false;
  ++tries[task];
  auto before = references;
  tiles.push_back(std::move(tile));
  for (uint64_t seed : {kDataSeed, kSecondSeed}) {
    references.erase({task, seed});
    if (get(task, seed).isSampled())
      continue;
    tiles.pop_back();
    references = std::move(before);
    return false;
  }
  return true;
}

std::optional<double> References::timePlainLoops(unsigned task) {
  if (!get(task, kDataSeed).isKnown())
    return std::nullopt;
  std::string library = parts.pathFor(task, ".unscheduled.so");
  CompileOutcome compiled =
      parts.compiler.compile(plainLoops(hashOf(task), library));
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
