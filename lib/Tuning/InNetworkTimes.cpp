// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diffuse/Tuning/InNetworkTimes.h"

#include "Diffuse/Support/Errors.h"
#include "Diffuse/Support/Json.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace diffuse;

llvm::Expected<std::vector<CallTime>>
diffuse::parseProfile(llvm::StringRef text) {
  llvm::Expected<Json> profile = Json::parse(text);
  if (!profile)
    return profile.takeError();
  const Json::Array *calls = profile->asArray();
  if (!calls)
    return makeError("the profile is no list of calls");
  std::vector<CallTime> times;
  for (const Json &call : *calls) {
    const Json *subgraph = call.find("subgraph");
    const Json *micros = call.find("min_us");
    if (!subgraph || !subgraph->asString() || !micros || !micros->asNumber())
      return makeError("a call of the profile lacks 'subgraph' or 'min_us'");
    times.push_back({*subgraph->asString(), *micros->asNumber()});
  }
  return times;
}

void diffuse::takeLesser(std::vector<CallTime> &times,
                         llvm::ArrayRef<CallTime> round) {
  if (times.empty()) {
    times.assign(round.begin(), round.end());
    return;
  }
  for (auto [time, other] : llvm::zip(times, round))
    time.micros = std::min(time.micros, other.micros);
}

double diffuse::sumOfCalls(llvm::ArrayRef<CallTime> calls,
                           llvm::StringRef subgraph) {
  double sum = 0;
  for (const CallTime &call : calls)
    if (call.subgraph == subgraph)
      sum += call.micros;
  return sum;
}

/// The time of all calls of each subgraph.
static std::map<std::string, double> sumCalls(llvm::ArrayRef<CallTime> calls) {
  std::map<std::string, double> sums;
  for (const CallTime &call : calls)
    sums[call.subgraph] += call.micros;
  return sums;
}

std::vector<std::string> diffuse::findSlower(llvm::ArrayRef<CallTime> byDefault,
                                             llvm::ArrayRef<CallTime> tuned,
                                             double noise) {
  std::map<std::string, double> defaults = sumCalls(byDefault);
  std::map<std::string, double> others = sumCalls(tuned);
  std::vector<std::string> names;
  for (const CallTime &call : tuned) {
    auto found = defaults.find(call.subgraph);
    if (found != defaults.end() && !llvm::is_contained(names, call.subgraph) &&
        others[call.subgraph] > found->second * (1 + noise))
      names.push_back(call.subgraph);
  }
  return names;
}
