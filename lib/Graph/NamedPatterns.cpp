// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All patterns are looked for before anything changes. A group is in one of
// them at most.

#include "NamedPatterns.h"

#include "AttentionPattern.h"
#include "Diffuse/Analysis/Work.h"
#include "GatedPattern.h"
#include "OpKinds.h"
#include "ReadThroughReshapes.h"
#include "SeparablePattern.h"
#include "TensorTypes.h"
#include "llvm/ADT/DenseMap.h"

using namespace diffuse;
using namespace mlir;

static constexpr llvm::StringLiteral kAttention = "attention";

namespace {
/// Groups that form a pattern, in the order of the data flow.
struct Match {
  StringRef name;
  GroupNumbers stages;
  llvm::SmallVector<GroupLink> links;
};

class PatternJoiner {
public:
  PatternJoiner(llvm::SmallVectorImpl<OpGroup> &groups,
                ParameterValues &parameters, PatternJoining joining)
      : groups(groups), parameters(parameters), joining(joining), links(groups),
        taken(groups.size()) {}
  void run();

private:
  bool take(StringRef name, const GroupNumbers &members);
  bool mayJoin(const GroupNumbers &members);
  void visit(unsigned stage, const GroupNumbers &members, Match &match);
  bool pays(const Match &match) const;
  OpGroup join(const Match &match);

  llvm::SmallVectorImpl<OpGroup> &groups;
  ParameterValues &parameters;
  PatternJoining joining;
  GroupLinks links;
  llvm::SmallVector<bool> taken;
  llvm::SmallVector<Match> matches;
};
} // namespace

bool diffuse::mayBeStage(const OpGroup &group, bool isLast,
                         ParameterValues &parameters) {
  return isPlainStage(group) && !isCheapInit(group.root()) &&
         (isLast || !group.pad) &&
         !parameters.contains(group.root()->getResult(0));
}

bool PatternJoiner::mayJoin(const GroupNumbers &members) {
  return llvm::all_of(members, [&](unsigned number) {
    return !taken[number] &&
           mayBeStage(groups[number], number == members.back(), parameters);
  });
}

/// Those that a stage reads come before it, in the order in which it reads
/// them: not as the block has it, so that equal work gives equal functions.
void PatternJoiner::visit(unsigned stage, const GroupNumbers &members,
                          Match &match) {
  for (const GroupLink &link : links.findInto(stage)) {
    if (!llvm::is_contained(members, link.producer))
      continue;
    match.links.push_back(link);
    if (!llvm::is_contained(match.stages, link.producer))
      visit(link.producer, members, match);
  }
  match.stages.push_back(stage);
}

/// All tensors have elements that sketches take. Stages of others keep plain
/// loops, which LLVM makes less of beside others than in a function of their
/// own.
static bool hasSketches(const OpGroup &group) {
  auto isTaken = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return !isa<ShapedType>(type) || element.isF32() || element.isF64();
  };
  return llvm::all_of(group.ops(), [&](Operation *op) {
    return llvm::all_of(op->getOperandTypes(), isTaken);
  });
}

/// Of the patterns only attention was ever faster by it; what it hands on and
/// caches do not hold goes to memory and comes back otherwise.
bool PatternJoiner::pays(const Match &match) const {
  bool isCached = llvm::all_of(match.links, [](const GroupLink &link) {
    return countBytes(link.source.getType()) <= kCachedBytes;
  });
  return match.name == kAttention && !isCached &&
         llvm::all_of(match.stages, [&](unsigned number) {
           return hasSketches(groups[number]);
         });
}

/// Takes `members` for one pattern, unless they cannot or need not be joined.
bool PatternJoiner::take(StringRef name, const GroupNumbers &members) {
  if (!mayJoin(members))
    return false;
  Match match{name, {}, {}};
  visit(members.back(), members, match);
  assert(match.stages.size() == members.size() && "the last reads them all");
  if ((joining == PatternJoining::WherePays && !pays(match)) ||
      !canReadThrough(match.links))
    return false;
  for (unsigned number : members)
    taken[number] = true;
  matches.push_back(std::move(match));
  return true;
}

OpGroup PatternJoiner::join(const Match &match) {
  readThrough(match.links, parameters);
  OpGroup joined = groups[match.stages.back()];
  joined.pattern = match.name;
  for (unsigned number : ArrayRef(match.stages).drop_back())
    joined.before.push_back(groups[number]);
  return joined;
}

void PatternJoiner::run() {
  for (unsigned number = 0, e = groups.size(); number < e; ++number) {
    if (auto members = matchAttention(links, number))
      take(kAttention, *members);
    for (const GroupNumbers &members : matchGated(links, number))
      if (take("gated_mlp", members))
        break;
    if (auto members = matchSeparable(links, number))
      take("depthwise_pointwise", *members);
  }
  llvm::DenseMap<unsigned, OpGroup> joined;
  for (const Match &match : matches)
    joined[match.stages.back()] = join(match);
  llvm::SmallVector<OpGroup> all;
  for (auto [number, group] : llvm::enumerate(groups)) {
    if (auto found = joined.find(number); found != joined.end())
      all.push_back(found->second);
    else if (!taken[number])
      all.push_back(group);
  }
  groups.assign(all.begin(), all.end());
}

void diffuse::joinNamedPatterns(llvm::SmallVectorImpl<OpGroup> &groups,
                                ParameterValues &parameters,
                                PatternJoining joining) {
  PatternJoiner(groups, parameters, joining).run();
}
