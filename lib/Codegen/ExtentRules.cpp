// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves relations between extents for one extent each, the last in order of
// arguments, so that a message can name it and what it should have been.

#include "Diffuse/Codegen/ExtentRules.h"

#include "ExtentRelations.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace diffuse;
using Relation = ExtentRule::Relation;

namespace {
/// sum of coefficients[k] * slot k, and what is not linear.
struct Sum {
  SmallVector<int64_t> coefficients;
  AffineExpr rest;
};

/// Solves relations one after the other; what is implied by earlier ones goes.
class RuleSolver {
public:
  RuleSolver(MLIRContext *context, ArrayRef<ExtentSlot> slots,
             ArrayRef<BoundaryArgument> boundary)
      : context(context), slots(slots), boundary(boundary) {
    for (unsigned slot = 0; slot < slots.size(); ++slot)
      solved.push_back(getAffineSymbolExpr(slot, context));
  }

  void add(const ExtentRelation &relation);
  std::vector<ExtentRule> rules;

private:
  void split(AffineExpr expr, int64_t factor, Sum &sum) const;
  std::optional<unsigned> choose(const Sum &sum) const;
  void substitute(unsigned slot, AffineExpr value);
  void emit(unsigned slot, int64_t times, Relation relation, AffineExpr wanted);
  bool isOfParameters(AffineExpr wanted, unsigned slot) const;
  std::string print(unsigned slot, bool forPeople) const;
  std::string printSum(AffineBinaryOpExpr sum, bool forPeople) const;
  std::string print(AffineExpr expr, bool forPeople) const;

  MLIRContext *context;
  ArrayRef<ExtentSlot> slots;
  ArrayRef<BoundaryArgument> boundary;
  SmallVector<AffineExpr> solved;
  llvm::DenseSet<AffineExpr> seen;
};
} // namespace

void RuleSolver::split(AffineExpr expr, int64_t factor, Sum &sum) const {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    sum.coefficients[symbol.getPosition()] += factor;
    return;
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (expr.getKind() == AffineExprKind::Add) {
      split(binary.getLHS(), factor, sum);
      split(binary.getRHS(), factor, sum);
      return;
    }
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() == AffineExprKind::Mul && constant) {
      split(binary.getLHS(), factor * constant.getValue(), sum);
      return;
    }
  }
  sum.rest = sum.rest + expr * factor;
}

/// The slot to solve for: the last whose coefficient is a unit and which the
/// rest does not depend on; else the last with a coefficient.
std::optional<unsigned> RuleSolver::choose(const Sum &sum) const {
  std::optional<unsigned> any;
  for (unsigned slot = slots.size(); slot-- > 0;) {
    int64_t coefficient = sum.coefficients[slot];
    if (std::abs(coefficient) == 1 && !sum.rest.isFunctionOfSymbol(slot))
      return slot;
    if (coefficient != 0 && !any)
      any = slot;
  }
  return any;
}

void RuleSolver::substitute(unsigned slot, AffineExpr value) {
  DenseMap<AffineExpr, AffineExpr> replacement = {
      {getAffineSymbolExpr(slot, context), value}};
  for (AffineExpr &expr : solved)
    expr = simplifyAffineExpr(expr.replace(replacement), 0, slots.size());
}

std::string RuleSolver::print(unsigned slot, bool forPeople) const {
  if (!forPeople)
    return "s[" + std::to_string(slot) + "]";
  std::string name = "'" + boundary[slots[slot].argument].name + "'";
  int64_t dim = slots[slot].dim;
  return dim < 0 ? name : "extent " + std::to_string(dim) + " of " + name;
}

/// `a + b`, or `a - b` where b is negative.
std::string RuleSolver::printSum(AffineBinaryOpExpr sum, bool forPeople) const {
  AffineExpr right = sum.getRHS();
  StringRef sign = " + ";
  auto product = dyn_cast<AffineBinaryOpExpr>(right);
  auto factor = dyn_cast<AffineConstantExpr>(
      product && right.getKind() == AffineExprKind::Mul ? product.getRHS()
                                                        : right);
  if (factor && factor.getValue() < 0) {
    sign = " - ";
    right = -right;
  }
  return print(sum.getLHS(), forPeople) + sign.str() + print(right, forPeople);
}

std::string RuleSolver::print(AffineExpr expr, bool forPeople) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return print(symbol.getPosition(), forPeople);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return printSum(binary, forPeople);
  std::string left = print(binary.getLHS(), forPeople);
  std::string right = print(binary.getRHS(), forPeople);
  if (expr.getKind() == AffineExprKind::Mul)
    return isa<AffineBinaryOpExpr>(binary.getLHS())
               ? "(" + left + ") * " + right
               : left + " * " + right;
  StringRef name = expr.getKind() == AffineExprKind::FloorDiv  ? "floor"
                   : expr.getKind() == AffineExprKind::CeilDiv ? "ceil"
                                                               : "mod";
  return (forPeople ? "" : "rt_") +
         (name + "(" + left + ", " + right + ")").str();
}

bool RuleSolver::isOfParameters(AffineExpr wanted, unsigned slot) const {
  for (unsigned other = 0; other < slots.size(); ++other)
    if ((other == slot || wanted.isFunctionOfSymbol(other)) &&
        boundary[slots[other].argument].kind !=
            BoundaryArgument::Kind::Parameter)
      return false;
  return true;
}

void RuleSolver::emit(unsigned slot, int64_t times, Relation relation,
                      AffineExpr wanted) {
  ExtentRule rule;
  rule.relation = relation;
  rule.argument = slots[slot].argument;
  rule.dim = slots[slot].dim;
  rule.slot = slot;
  rule.times = times;
  rule.wanted = print(wanted, /*forPeople=*/false);
  if (!isa<AffineConstantExpr>(wanted))
    rule.reason = print(wanted, /*forPeople=*/true);
  rule.onlyParameters = isOfParameters(wanted, slot);
  rules.push_back(std::move(rule));
}

void RuleSolver::add(const ExtentRelation &relation) {
  AffineExpr difference = simplifyAffineExpr(
      (relation.left - relation.right).replaceSymbols(solved), 0, slots.size());
  if (isa<AffineConstantExpr>(difference) || !seen.insert(difference).second)
    return;
  Sum sum{SmallVector<int64_t>(slots.size(), 0),
          getAffineConstantExpr(0, context)};
  split(difference, 1, sum);
  std::optional<unsigned> slot = choose(sum);
  if (!slot)
    return;
  int64_t coefficient = sum.coefficients[*slot];
  AffineExpr others = sum.rest;
  for (unsigned other = 0; other < slots.size(); ++other)
    if (other != *slot)
      others = others +
               getAffineSymbolExpr(other, context) * sum.coefficients[other];
  // coefficient * slot + others = 0, or >= 0
  AffineExpr wanted =
      simplifyAffineExpr(coefficient > 0 ? -others : others, 0, slots.size());
  int64_t times = std::abs(coefficient);
  emit(*slot, times,
       !relation.atLeast ? Relation::Equal
       : coefficient > 0 ? Relation::AtLeast
                         : Relation::AtMost,
       wanted);
  if (!relation.atLeast && times == 1 && !wanted.isFunctionOfSymbol(*slot))
    substitute(*slot, wanted);
}

std::vector<ExtentRule>
diffuse::findExtentRules(func::FuncOp entry,
                         ArrayRef<BoundaryArgument> boundary) {
  SymbolicExtents extents(entry, /*skipDestinations=*/true);
  if (llvm::none_of(extents.slots(),
                    [](ExtentSlot slot) { return slot.dim >= 0; }))
    return {};
  ExtentRelations relations(extents);
  SmallVector<ExtentRelation> all = relations.collect(entry);
  RuleSolver solver(entry.getContext(), extents.slots(), boundary);
  // Equations first: they make most of the others trivial.
  for (bool atLeast : {false, true})
    for (const ExtentRelation &relation : all)
      if (relation.atLeast == atLeast)
        solver.add(relation);
  llvm::stable_sort(solver.rules,
                    [](const ExtentRule &left, const ExtentRule &right) {
                      return left.slot < right.slot;
                    });
  return std::move(solver.rules);
}
