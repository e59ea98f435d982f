// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All patterns are looked for before anything changes. A group is in one of
// them at most.

#include "NamedPatterns.h"

#include "AttentionPattern.h"
#include "Diffuse/Analysis/DimRoles.h"
#include "Diffuse/Analysis/Work.h"
#include "GroupLinks.h"
#include "OpKinds.h"
#include "TensorTypes.h"
#include "llvm/ADT/DenseMap.h"

using namespace diffuse;
using namespace mlir;

namespace {
/// Numbers of groups, the last of the data flow last.
using Members = llvm::SmallVector<unsigned>;

/// A contraction with the roles of its loops.
struct Contraction {
  linalg::LinalgOp op;
  ContractionRoles roles;

  bool isSummed(AffineExpr expr) const {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    return loop && llvm::is_contained(roles.k, loop.getPosition());
  }
};
} // namespace

static std::optional<Contraction> getContraction(const OpGroup &group) {
  auto op = dyn_cast<linalg::LinalgOp>(group.anchor);
  if (!op)
    return std::nullopt;
  FailureOr<ContractionRoles> roles = inferContractionRoles(op);
  if (failed(roles))
    return std::nullopt;
  return Contraction{op, *roles};
}

/// The only link into `reader` from `producer`, where the reader is the only
/// one.
static std::optional<GroupLink> findOnlyLink(const GroupLinks &links,
                                             unsigned producer) {
  auto readers = links.findReaders(producer);
  if (failed(readers) || readers->size() != 1)
    return std::nullopt;
  std::optional<GroupLink> only;
  for (const GroupLink &link : links.findInto(readers->front())) {
    if (link.producer != producer)
      continue;
    if (only)
      return std::nullopt;
    only = link;
  }
  return only;
}

//===-- depthwise_pointwise -----------------------------------------------===//

/// For each dimension of what group `depthwise` computes, its loop's role.
static llvm::SmallVector<DimInfo> getResultRoles(linalg::LinalgOp op) {
  DimRoles roles = inferDimRoles(op);
  llvm::SmallVector<DimInfo> dims;
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    dims.push_back(roles.dims[cast<AffineDimExpr>(expr).getPosition()]);
  return dims;
}

/// The image is walked by the contraction's rows.
static std::optional<Members> matchDepthwise(const GroupLinks &links,
                                             unsigned first) {
  const OpGroup &depthwise = links.getGroup(first);
  if (inferDimRoles(depthwise.anchor).kind != AnchorKind::DepthwiseConvolution)
    return std::nullopt;
  std::optional<GroupLink> link = findOnlyLink(links, first);
  if (!link)
    return std::nullopt;
  unsigned second = links.getNumber(link->operand->getOwner());
  auto contraction = getContraction(links.getGroup(second));
  if (!contraction || contraction->op != link->operand->getOwner())
    return std::nullopt;
  bool hasRows = false;
  for (auto [dim, expr] :
       llvm::zip_equal(getResultRoles(cast<linalg::LinalgOp>(depthwise.anchor)),
                       link->map.getResults())) {
    bool isRow = dim.role == DimRole::Image && dim.extent > 1;
    if (isRow && contraction->isSummed(expr))
      return std::nullopt;
    hasRows |= isRow;
  }
  return hasRows ? std::optional(Members{first, second}) : std::nullopt;
}

//===-- gated_mlp ---------------------------------------------------------===//

/// The loops of `b` over the rows that both read, where both read the same
/// value in the same way as one factor; none where they do not.
static llvm::SmallVector<unsigned> findSharedRows(Contraction a,
                                                  Contraction b) {
  llvm::SmallVector<unsigned> ofA = getTensorInputs(a.op);
  llvm::SmallVector<unsigned> ofB = getTensorInputs(b.op);
  for (unsigned factor : {0u, 1u}) {
    OpOperand &left = a.op->getOpOperand(ofA[factor]);
    OpOperand &right = b.op->getOpOperand(ofB[factor]);
    if (left.get() == right.get() && a.op.getMatchingIndexingMap(&left) ==
                                         b.op.getMatchingIndexingMap(&right))
      return factor == 0 ? b.roles.m : b.roles.n;
  }
  return {};
}

/// The group of the contraction that alone reads what group `gated` computes,
/// and sums over all its columns, those that `rows` and batches do not walk.
static std::optional<unsigned> findDownProjection(const GroupLinks &links,
                                                  unsigned gated,
                                                  Contraction producer,
                                                  ArrayRef<unsigned> rows) {
  std::optional<GroupLink> link = findOnlyLink(links, gated);
  if (!link)
    return std::nullopt;
  unsigned number = links.getNumber(link->operand->getOwner());
  auto down = getContraction(links.getGroup(number));
  if (!down || down->op != link->operand->getOwner() ||
      !isPlainStage(links.getGroup(number)))
    return std::nullopt;
  AffineMap result =
      producer.op.getMatchingIndexingMap(producer.op.getDpsInitOperand(0));
  ArrayRef<int64_t> shape = getType(link->source).getShape();
  for (auto [written, read, extent] :
       llvm::zip_equal(result.getResults(), link->map.getResults(), shape)) {
    unsigned loop = cast<AffineDimExpr>(written).getPosition();
    bool isColumn = !llvm::is_contained(rows, loop) &&
                    !llvm::is_contained(producer.roles.batch, loop);
    if (extent != 1 && isColumn != down->isSummed(read))
      return std::nullopt;
  }
  return number;
}

/// The epilogue of group `second` reads the columns of another contraction.
static std::optional<Members> matchGated(const GroupLinks &links,
                                         unsigned second) {
  const OpGroup &gated = links.getGroup(second);
  auto later = getContraction(gated);
  if (!later || gated.epilogue.empty() || !isPlainStage(gated))
    return std::nullopt;
  for (const GroupLink &link : links.findInto(second)) {
    const OpGroup &gate = links.getGroup(link.producer);
    auto earlier = getContraction(gate);
    auto only = findOnlyLink(links, link.producer);
    if (!earlier || !only || !isPlainStage(gate) || !link.map.isIdentity() ||
        !llvm::is_contained(gated.epilogue, link.operand->getOwner()) ||
        link.source.getType() != later->op->getResult(0).getType())
      continue;
    llvm::SmallVector<int64_t> extents = later->op.getStaticLoopRanges();
    llvm::SmallVector<unsigned> rows = findSharedRows(*earlier, *later);
    if (llvm::all_of(rows, [&](unsigned row) { return extents[row] == 1; }))
      continue;
    Members members = {link.producer, second};
    if (auto down = findDownProjection(links, second, *later, rows))
      members.push_back(*down);
    return members;
  }
  return std::nullopt;
}

//===-- joining -----------------------------------------------------------===//

namespace {
/// Groups that form a pattern, in the order of the data flow.
struct Match {
  StringRef name;
  Members stages;
  llvm::SmallVector<GroupLink> links;
};

class PatternJoiner {
public:
  PatternJoiner(llvm::SmallVectorImpl<OpGroup> &groups,
                ParameterValues &parameters, double cachedBytes)
      : groups(groups), parameters(parameters), cachedBytes(cachedBytes),
        links(groups), taken(groups.size()) {}
  void run();

private:
  void take(StringRef name, std::optional<Members> members);
  bool mayJoin(const Members &members);
  void visit(unsigned stage, const Members &members, Match &match);
  OpGroup join(const Match &match);

  llvm::SmallVectorImpl<OpGroup> &groups;
  ParameterValues &parameters;
  double cachedBytes;
  GroupLinks links;
  llvm::SmallVector<bool> taken;
  llvm::SmallVector<Match> matches;
};
} // namespace

bool PatternJoiner::mayJoin(const Members &members) {
  return llvm::all_of(members, [&](unsigned number) {
    const OpGroup &group = groups[number];
    return !taken[number] && isPlainStage(group) &&
           !isCheapInit(group.root()) &&
           (number == members.back() || !group.pad) &&
           !parameters.contains(group.root()->getResult(0));
  });
}

/// Those that a stage reads come before it, in the order in which it reads
/// them: not as the block has it, so that equal work gives equal functions.
void PatternJoiner::visit(unsigned stage, const Members &members,
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

void PatternJoiner::take(StringRef name, std::optional<Members> members) {
  if (!members || !mayJoin(*members))
    return;
  Match match{name, {}, {}};
  visit(members->back(), *members, match);
  assert(match.stages.size() == members->size() && "the last reads them all");
  bool isCached = llvm::all_of(match.links, [&](const GroupLink &link) {
    return countBytes(link.source.getType()) <= cachedBytes;
  });
  if (isCached || !canReadThrough(match.links))
    return;
  for (unsigned number : *members)
    taken[number] = true;
  matches.push_back(std::move(match));
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
    take("attention", matchAttention(links, number));
    take("gated_mlp", matchGated(links, number));
    take("depthwise_pointwise", matchDepthwise(links, number));
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
                                double cachedBytes) {
  PatternJoiner(groups, parameters, cachedBytes).run();
}
