// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many points a space has, without walking them. Choices that no guard ties
// together multiply; of a choice that decides on others, the counts under each
// of its values add up. So forty alternatives side by side are forty sums of
// two. Cases that leave the same to decide are counted once.

#include "Diffuse/Sketch/Space.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

using namespace diffuse;

/// Sums that are made before the rest is only bounded.
static constexpr unsigned kMaxSums = 1 << 14;

namespace {
/// A knob that may be a choice yet.
struct Pending {
  const Knob *knob;
  /// What is left of its guards: one of them must hold. None: it is open.
  std::vector<Knob::Guard> guards;
};

class SpaceCounter {
public:
  /// Points of knobs that stand behind those that their guards name.
  double count(llvm::ArrayRef<Pending> knobs);

private:
  /// Of knobs that hang together; the first one is open.
  double countTogether(llvm::ArrayRef<Pending> knobs);
  double sum(llvm::ArrayRef<Pending> knobs);

  /// Of the knobs that the key describes.
  llvm::StringMap<double> known;
  unsigned sums = 0;
};
} // namespace

/// What `value` for the first of `knobs` leaves of the others.
static std::vector<Pending> decide(llvm::ArrayRef<Pending> knobs,
                                   int64_t value) {
  const std::string &name = knobs.front().knob->name;
  std::vector<Pending> left;
  llvm::SmallVector<llvm::StringRef> closed;
  for (const Pending &pending : knobs.drop_front()) {
    Pending next{pending.knob, {}};
    bool isOpen = pending.guards.empty();
    for (Knob::Guard guard : pending.guards) {
      if (llvm::any_of(guard, [&](const auto &term) {
            return term.first == name ? term.second != value
                                      : llvm::is_contained(closed, term.first);
          }))
        continue;
      guard.erase(name);
      isOpen |= guard.empty();
      next.guards.push_back(std::move(guard));
    }
    if (isOpen)
      next.guards.clear();
    if (isOpen || !next.guards.empty())
      left.push_back(std::move(next));
    else
      closed.push_back(pending.knob->name);
  }
  return left;
}

static std::string describe(llvm::ArrayRef<Pending> knobs) {
  std::string key;
  for (const Pending &pending : knobs) {
    key += pending.knob->name + ";";
    for (const Knob::Guard &guard : pending.guards) {
      for (const auto &[name, value] : guard)
        key += name + "=" + std::to_string(value) + ",";
      key += "|";
    }
    key += "\n";
  }
  return key;
}

/// At least the number of points: as if all were open.
static double countAll(llvm::ArrayRef<Pending> knobs) {
  double product = 1;
  for (const Pending &pending : knobs)
    product *= double(pending.knob->domain.size());
  return product;
}

double SpaceCounter::count(llvm::ArrayRef<Pending> knobs) {
  llvm::EquivalenceClasses<llvm::StringRef> ties;
  for (const Pending &pending : knobs) {
    ties.insert(pending.knob->name);
    for (const Knob::Guard &guard : pending.guards)
      for (const auto &term : guard)
        ties.unionSets(pending.knob->name, term.first);
  }
  std::map<llvm::StringRef, std::vector<Pending>> groups;
  for (const Pending &pending : knobs)
    groups[ties.getLeaderValue(pending.knob->name)].push_back(pending);
  double product = 1;
  for (const auto &group : groups)
    product *= countTogether(group.second);
  return product;
}

double SpaceCounter::countTogether(llvm::ArrayRef<Pending> knobs) {
  if (knobs.size() == 1)
    return countAll(knobs);
  std::string key = describe(knobs);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  if (sums == kMaxSums)
    return countAll(knobs);
  ++sums;
  return known[key] = sum(knobs);
}

double SpaceCounter::sum(llvm::ArrayRef<Pending> knobs) {
  const Knob &first = *knobs.front().knob;
  std::set<int64_t> named;
  for (const Pending &pending : knobs)
    for (const Knob::Guard &guard : pending.guards)
      if (auto term = guard.find(first.name); term != guard.end())
        named.insert(term->second);
  double total = 0;
  std::optional<double> ofOthers;
  for (int64_t value : first.domain) {
    if (named.count(value)) {
      total += count(decide(knobs, value));
      continue;
    }
    // Values that no guard names leave the same.
    if (!ofOthers)
      ofOthers = count(decide(knobs, value));
    total += *ofOthers;
  }
  return total;
}

double BoundSketch::spaceSize() const {
  std::vector<Pending> all;
  for (const Knob &knob : knobs())
    all.push_back({&knob, knob.guards});
  return SpaceCounter().count(all);
}
