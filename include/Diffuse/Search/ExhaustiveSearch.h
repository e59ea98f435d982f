// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_SEARCH_EXHAUSTIVESEARCH_H
#define DIFFUSE_SEARCH_EXHAUSTIVESEARCH_H

#include "Diffuse/Search/SearchStrategy.h"

namespace diffuse {

/// Every legal candidate, task by task and sketch by sketch, the last knob
/// running fastest.
class ExhaustiveSearch : public SearchStrategy {
public:
  ExhaustiveSearch(llvm::ArrayRef<SearchTask> tasks,
                   const TargetDescription &target);

  std::vector<Suggestion> suggest(unsigned limit) override;

private:
  /// Moves to the next point of all spaces; false at the end.
  bool advance();

  llvm::ArrayRef<SearchTask> tasks;
  const TargetDescription &target;
  unsigned task = 0, sketch = 0;
  /// The point that was looked at last.
  std::optional<Choices> position;
  bool started = false;
};

} // namespace diffuse

#endif // DIFFUSE_SEARCH_EXHAUSTIVESEARCH_H
