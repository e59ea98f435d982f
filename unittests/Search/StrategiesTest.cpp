// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ToyTasks.h"

#include "Diffuse/Search/Ledger.h"
#include "Diffuse/Search/Moves.h"
#include "Diffuse/Search/SearchStrategy.h"
#include "Diffuse/Sketch/Legality.h"

#include <set>

using namespace diffuse;

namespace {
/// Every strategy, by name.
struct Strategies : ToyTasks {
  std::unique_ptr<SearchStrategy> make(llvm::StringRef name,
                                       uint64_t seed = 1) {
    return llvm::cantFail(createStrategy(name, tasks, target, seed));
  }

  /// Drives a strategy for `limit` rigged measurements.
  std::vector<Suggestion> drive(SearchStrategy &strategy, unsigned limit) {
    std::vector<Suggestion> made;
    while (made.size() < limit) {
      std::vector<Suggestion> next = strategy.suggest(1);
      if (next.empty())
        break;
      const Suggestion &suggestion = next.front();
      strategy.observe({suggestion.task, suggestion.candidate,
                        rigged(suggestion.candidate)});
      made.push_back(suggestion);
    }
    return made;
  }
};
} // namespace

static std::string textOf(const Suggestion &suggestion) {
  return std::to_string(suggestion.task) + ":" +
         candidateText(suggestion.candidate);
}

TEST_F(Strategies, EveryPointOfTheToySpaceIsLegal) {
  for (const SearchTask &task : tasks)
    for (int64_t a : task.sketches[0].knobs()[0].domain)
      EXPECT_EQ(checkCandidate(task.descriptor, target, task.sketches[0],
                               {{"a", a}, {"b", 1}}),
                std::nullopt);
}

TEST_F(Strategies, SuggestOnlyWhatIsLegalAndNew) {
  for (llvm::StringRef name : strategyNames()) {
    std::unique_ptr<SearchStrategy> strategy = make(name);
    std::set<std::string> seen;
    for (const Suggestion &suggestion : drive(*strategy, 1000)) {
      EXPECT_TRUE(isLegal(tasks[suggestion.task], target, suggestion.candidate))
          << name.str();
      EXPECT_TRUE(seen.insert(textOf(suggestion)).second)
          << name.str() << " repeats " << textOf(suggestion);
    }
    EXPECT_FALSE(seen.empty()) << name.str();
    EXPECT_TRUE(strategy->suggest(1).empty()) << name.str() << " never ends";
  }
}

TEST_F(Strategies, AreDeterministic) {
  for (llvm::StringRef name : strategyNames()) {
    std::unique_ptr<SearchStrategy> one = make(name), other = make(name);
    std::vector<Suggestion> first = drive(*one, 40), second = drive(*other, 40);
    ASSERT_EQ(first.size(), second.size());
    for (size_t index = 0; index < first.size(); ++index)
      EXPECT_EQ(textOf(first[index]), textOf(second[index])) << name.str();
  }
}

TEST_F(Strategies, SkipWhatWasObservedElsewhere) {
  Candidate known{"toy", {{"a", 8}, {"b", 4}}};
  for (llvm::StringRef name : strategyNames()) {
    std::unique_ptr<SearchStrategy> strategy = make(name);
    strategy->observe({1, known, 100.0});
    for (const Suggestion &suggestion : drive(*strategy, 1000))
      EXPECT_FALSE(suggestion.task == 1 && suggestion.candidate == known)
          << name.str();
  }
}

TEST_F(Strategies, ExhaustiveMeetsEveryPoint) {
  std::unique_ptr<SearchStrategy> strategy = make("exhaustive");
  EXPECT_EQ(drive(*strategy, 1000).size(), tasks.size() * kToyPoints);
}

TEST_F(Strategies, DiffusionSearchesTheRepresentativeFirst) {
  std::unique_ptr<SearchStrategy> strategy = make("diffusion");
  std::vector<Suggestion> made = drive(*strategy, 1000);
  for (size_t index = 0; index < 12; ++index)
    EXPECT_EQ(made[index].task, 1u);
}

TEST_F(Strategies, DiffusionHandsTheBestOnToMembers) {
  std::unique_ptr<SearchStrategy> strategy = make("diffusion");
  std::optional<Suggestion> firstOfMember;
  Candidate best;
  double bestMicros = INFINITY;
  for (const Suggestion &suggestion : drive(*strategy, 1000)) {
    if (suggestion.task != 1) {
      firstOfMember = suggestion;
      break;
    }
    if (rigged(suggestion.candidate) < bestMicros) {
      bestMicros = rigged(suggestion.candidate);
      best = suggestion.candidate;
    }
  }
  ASSERT_TRUE(firstOfMember);
  EXPECT_EQ(firstOfMember->candidate, best);
}

TEST_F(Strategies, CopyGivesEachMemberOneMeasurement) {
  std::unique_ptr<SearchStrategy> strategy = make("copy");
  unsigned ofMembers = 0;
  for (const Suggestion &suggestion : drive(*strategy, 1000))
    ofMembers += suggestion.task != 1;
  EXPECT_EQ(ofMembers, 2u);
}

TEST_F(Strategies, ClosedTasksAreLeftAlone) {
  for (llvm::StringRef name : strategyNames()) {
    std::unique_ptr<SearchStrategy> strategy = make(name);
    std::vector<Suggestion> made = drive(*strategy, 5);
    ASSERT_FALSE(made.empty()) << name.str();
    unsigned closed = made.back().task;
    strategy->close(closed);
    unsigned others = 0;
    for (const Suggestion &suggestion : drive(*strategy, 1000)) {
      EXPECT_NE(suggestion.task, closed) << name.str();
      ++others;
    }
    EXPECT_GT(others, 0u) << name.str();
    for (unsigned task = 0; task < tasks.size(); ++task)
      strategy->close(task);
    EXPECT_TRUE(strategy->suggest(1).empty()) << name.str();
  }
}

TEST_F(Strategies, FailuresDoNotStopTheSearch) {
  for (llvm::StringRef name : strategyNames()) {
    std::unique_ptr<SearchStrategy> strategy = make(name);
    unsigned suggested = 0;
    while (suggested < 20) {
      std::vector<Suggestion> next = strategy->suggest(1);
      ASSERT_FALSE(next.empty()) << name.str();
      strategy->observe({next[0].task, next[0].candidate, std::nullopt});
      ++suggested;
    }
  }
}

TEST_F(Strategies, UnknownNameListsTheKnownOnes) {
  llvm::Expected<std::unique_ptr<SearchStrategy>> strategy =
      createStrategy("annealing", tasks, target, 0);
  ASSERT_FALSE(bool(strategy));
  std::string message = llvm::toString(strategy.takeError());
  EXPECT_NE(message.find("'annealing'"), std::string::npos);
  EXPECT_NE(message.find("diffusion"), std::string::npos);
}

using Moves = ToyTasks;

TEST_F(Moves, NeighboursDifferInOneKnobByOneStep) {
  Candidate center{"toy", {{"a", 1}, {"b", 4}}};
  std::vector<Candidate> around = neighboursOf(tasks[0], target, center);
  ASSERT_EQ(around.size(), 3u);
  EXPECT_EQ(candidateText(around[0]), "toy;a=2;b=4");
  EXPECT_EQ(candidateText(around[1]), "toy;a=1;b=2");
  EXPECT_EQ(candidateText(around[2]), "toy;a=1;b=8");
}

TEST_F(Moves, ProjectionTakesTheNearestValue) {
  Candidate foreign{"toy", {{"a", 12}, {"b", 100}}};
  std::optional<Candidate> copy = projectCopy(tasks[0], target, foreign);
  ASSERT_TRUE(copy);
  EXPECT_EQ(candidateText(*copy), "toy;a=16;b=16");
  EXPECT_FALSE(projectCopy(tasks[0], target, {"other", {}}));
  EXPECT_FALSE(projectCopy(tasks[0], target, {"toy", {{"a", 1}}}));
}

TEST(TaskLedger, RanksAndCountsStaleObservations) {
  TaskLedger ledger;
  Candidate slow{"s", {{"k", 1}}}, fast{"s", {{"k", 2}}}, broken{"s", {}};
  EXPECT_TRUE(ledger.claim(slow));
  EXPECT_FALSE(ledger.claim(slow));
  ledger.observe(slow, 20.0);
  ledger.observe(fast, 10.0);
  EXPECT_EQ(ledger.stale(), 0u);
  ledger.observe(broken, std::nullopt);
  ledger.observe({"s", {{"k", 3}}}, 9.95);
  EXPECT_EQ(ledger.observations(), 4u);
  EXPECT_EQ(ledger.stale(), 2u);
  EXPECT_EQ(ledger.incumbent()->micros, 9.95);
  EXPECT_EQ(ledger.ranking().back().candidate, slow);
}

TEST(TaskLedger, TheLatestMeasurementOfACandidateCounts) {
  TaskLedger ledger;
  Candidate one{"s", {{"k", 1}}}, other{"s", {{"k", 2}}};
  ledger.observe(one, 10.0);
  ledger.observe(other, 15.0);
  ledger.observe(one, 20.0);
  EXPECT_EQ(ledger.incumbent()->candidate, other);
  EXPECT_EQ(ledger.ranking().size(), 2u);
  ledger.observe(other, std::nullopt);
  EXPECT_EQ(ledger.incumbent()->candidate, one);
  EXPECT_TRUE(ledger.isRanked(one));
  EXPECT_FALSE(ledger.isRanked(other));
}
