// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Sketch/Space.h"

#include "llvm/ADT/STLExtras.h"

using namespace diffuse;

bool diffuse::isOpen(const Knob &knob, const Choices &choices) {
  auto holds = [&](const Knob::Guard &guard) {
    return llvm::all_of(guard, [&](const auto &term) {
      auto choice = choices.find(term.first);
      return choice != choices.end() && choice->second == term.second;
    });
  };
  return knob.guards.empty() || llvm::any_of(knob.guards, holds);
}

Choices diffuse::makeChoices(const BoundSketch &sketch,
                             llvm::function_ref<int64_t(const Knob &)> pick) {
  Choices choices;
  for (const Knob &knob : sketch.knobs())
    if (isOpen(knob, choices))
      choices[knob.name] = pick(knob);
  return choices;
}

Choices diffuse::completeChoices(const BoundSketch &sketch,
                                 const Choices &choices) {
  return makeChoices(sketch, [&](const Knob &knob) {
    auto given = choices.find(knob.name);
    return given == choices.end() ? knob.domain.front() : given->second;
  });
}

std::optional<Choices> diffuse::nextChoices(const BoundSketch &sketch,
                                            const Choices &choices) {
  for (const Knob &knob : llvm::reverse(sketch.knobs())) {
    auto here = choices.find(knob.name);
    if (here == choices.end())
      continue;
    const auto *next = llvm::upper_bound(knob.domain, here->second);
    if (next == knob.domain.end())
      continue;
    // What comes after it starts anew, and may be open now.
    Choices kept;
    for (const Knob &before : sketch.knobs()) {
      if (before.name == knob.name)
        break;
      if (auto choice = choices.find(before.name); choice != choices.end())
        kept.insert(*choice);
    }
    kept[knob.name] = *next;
    return completeChoices(sketch, kept);
  }
  return std::nullopt;
}
