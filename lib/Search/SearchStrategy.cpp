// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of strategies: a new one is a file, a line in `kStrategies` and
// its tests.

#include "Diffuse/Search/SearchStrategy.h"

#include "Diffuse/Search/DiffusionSearch.h"
#include "Diffuse/Search/EvolutionarySearch.h"
#include "Diffuse/Search/ExhaustiveSearch.h"
#include "Diffuse/Search/RandomSearch.h"

#include "llvm/ADT/StringExtras.h"

using namespace diffuse;
using llvm::StringRef;

SearchStrategy::~SearchStrategy() = default;

using Made = llvm::Expected<std::unique_ptr<SearchStrategy>>;
using Maker = Made (*)(llvm::ArrayRef<SearchTask>, const TargetDescription &,
                       uint64_t);

namespace {
struct Entry {
  StringRef name;
  Maker make;
};
} // namespace

static Made makeEvolutionary(llvm::ArrayRef<SearchTask> tasks,
                             const TargetDescription &target, uint64_t seed) {
  llvm::Expected<std::unique_ptr<CostModel>> model = createXGBoostModel(seed);
  if (!model)
    return model.takeError();
  return std::make_unique<EvolutionarySearch>(tasks, target, seed,
                                              std::move(*model));
}

static const Entry kStrategies[] = {
    {"diffusion",
     [](llvm::ArrayRef<SearchTask> tasks, const TargetDescription &target,
        uint64_t seed) -> Made {
       return std::make_unique<DiffusionSearch>(
           tasks, target, seed, DiffusionSearch::Members::Refine);
     }},
    {"copy",
     [](llvm::ArrayRef<SearchTask> tasks, const TargetDescription &target,
        uint64_t seed) -> Made {
       return std::make_unique<DiffusionSearch>(
           tasks, target, seed, DiffusionSearch::Members::CopyOnce);
     }},
    {"evolutionary", makeEvolutionary},
    {"random",
     [](llvm::ArrayRef<SearchTask> tasks, const TargetDescription &target,
        uint64_t seed) -> Made {
       return std::make_unique<RandomSearch>(tasks, target, seed);
     }},
    {"exhaustive",
     [](llvm::ArrayRef<SearchTask> tasks, const TargetDescription &target,
        uint64_t) -> Made {
       return std::make_unique<ExhaustiveSearch>(tasks, target);
     }},
};

llvm::ArrayRef<StringRef> diffuse::strategyNames() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> list;
    for (const Entry &entry : kStrategies)
      if (entry.make != makeEvolutionary || hasXGBoost())
        list.push_back(entry.name);
    return list;
  }();
  return names;
}

llvm::Expected<std::unique_ptr<SearchStrategy>>
diffuse::createStrategy(StringRef name, llvm::ArrayRef<SearchTask> tasks,
                        const TargetDescription &target, uint64_t seed) {
  for (const Entry &entry : kStrategies)
    if (entry.name == name)
      return entry.make(tasks, target, seed);
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "unknown search strategy '" + name.str() +
          "'; known are: " + llvm::join(strategyNames(), ", "));
}
