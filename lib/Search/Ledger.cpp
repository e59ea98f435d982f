// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Search/Ledger.h"

#include "Diffuse/Search/Moves.h"
#include "Diffuse/Sketch/LoopNest.h"

#include <algorithm>

using namespace diffuse;

/// A new best counts as a gain when it is faster by this share; less is within
/// what repeated measurements of one candidate differ by.
static constexpr double kGain = 0.01;

std::string diffuse::candidateText(const Candidate &candidate) {
  std::string text = candidate.sketch;
  for (const auto &[knob, value] : candidate.choices)
    text += ";" + knob + "=" + std::to_string(value);
  return text;
}

bool TaskLedger::claim(const Candidate &candidate) {
  return known.insert(candidateText(candidate)).second;
}

void TaskLedger::observe(const Candidate &candidate,
                         std::optional<double> micros) {
  claim(candidate);
  ++count;
  ++sinceGain;
  std::string text = candidateText(candidate);
  if (timed.erase(text))
    llvm::erase_if(ranked, [&](const Measured &measured) {
      return measured.candidate == candidate;
    });
  if (!micros)
    return;
  timed.insert(std::move(text));
  if (ranked.empty() || *micros < ranked.front().micros * (1 - kGain))
    sinceGain = 0;
  auto slower = std::upper_bound(
      ranked.begin(), ranked.end(), *micros,
      [](double time, const Measured &other) { return time < other.micros; });
  ranked.insert(slower, Measured{candidate, *micros});
}

const Measured *TaskLedger::find(const Candidate &candidate) const {
  auto found = llvm::find_if(ranked, [&](const Measured &measured) {
    return measured.candidate == candidate;
  });
  return found == ranked.end() ? nullptr : &*found;
}

const Measured *TaskLedger::incumbent() const {
  return ranked.empty() ? nullptr : &ranked.front();
}

double diffuse::expectedShare(const SearchTask &task, const TaskLedger &ledger,
                              const TargetDescription &target) {
  if (const Measured *best = ledger.incumbent())
    return task.calls() * best->micros;
  std::optional<Candidate> candidate = defaultOf(task, target);
  return task.calls() * (candidate ? estimateMicros(task, target, *candidate)
                                   : unmodelledMicros(task.descriptor, target));
}
