// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bench.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace diffuse;

using Clock = std::chrono::steady_clock;

static double microsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

llvm::Expected<Samples>
diffuse::sampleRuns(llvm::function_ref<llvm::Error()> run, double seconds) {
  if (llvm::Error error = run())
    return error;
  Samples samples;
  Clock::time_point start = Clock::now();
  do {
    Clock::time_point begin = Clock::now();
    llvm::Error error = run();
    samples.push_back(microsSince(begin));
    if (error)
      return error;
  } while (samples.size() < 3 || microsSince(start) < seconds * 1e6);
  return samples;
}

double diffuse::percentile(Samples samples, double share) {
  if (samples.empty())
    return 0;
  size_t index =
      std::min(samples.size() - 1, static_cast<size_t>(share * samples.size()));
  std::nth_element(samples.begin(), samples.begin() + index, samples.end());
  return samples[index];
}

void CallProfile::add(int32_t call, double callMicros) {
  if (call >= 0 && static_cast<size_t>(call) < micros.size())
    micros[call].push_back(callMicros);
}

void CallProfile::clear() {
  for (Samples &samples : micros)
    samples.clear();
}

Json CallProfile::toJson() const {
  Json::Array calls;
  for (size_t i = 0; i < names.size(); ++i) {
    Json call = Json::object();
    call.set("call", static_cast<uint64_t>(i));
    call.set("subgraph", names[i]);
    call.set("median_us", percentile(micros[i], 0.5));
    call.set("min_us", percentile(micros[i], 0));
    call.set("runs", static_cast<uint64_t>(micros[i].size()));
    calls.push_back(std::move(call));
  }
  return Json(std::move(calls));
}

std::string CallProfile::table() const {
  std::vector<double> medians;
  for (const Samples &samples : micros)
    medians.push_back(percentile(samples, 0.5));
  double sum = std::accumulate(medians.begin(), medians.end(), 0.0);
  std::vector<size_t> order(medians.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return medians[a] > medians[b]; });
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "  median us  share  call  subgraph\n";
  for (size_t index : order)
    os << llvm::format("%11.2f %5.1f%% %5zu  ", medians[index],
                       sum > 0 ? 100 * medians[index] / sum : 0.0, index)
       << names[index] << "\n";
  return text;
}
