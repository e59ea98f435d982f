// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Printers.h"

#include "Diffuse/Support/Json.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <unistd.h>

using namespace diffuse;

std::string diffuse::formatMicros(double micros) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (micros < 10)
    stream << llvm::format("%.2f us", micros);
  else if (micros < 1e3)
    stream << llvm::format("%.0f us", micros);
  else if (micros < 1e6)
    stream << llvm::format("%.2f ms", micros / 1e3);
  else
    stream << llvm::format("%.2f s", micros / 1e6);
  return text;
}

static std::string formatOptional(std::optional<double> micros) {
  return micros ? formatMicros(*micros) : "-";
}

namespace {
/// Prints nothing but warnings.
class QuietPrinter : public ProgressSink {
public:
  void warned(llvm::StringRef message) override {
    llvm::errs() << "warning: " << message << '\n';
  }
};

/// A line for every measurement that made something better, and now and then
/// one for those that did not.
class PlainPrinter : public QuietPrinter {
public:
  void measured(const TaskProgress &progress) override {
    ++count;
    auto best = bests.find(progress.task);
    bool isBetter =
        progress.bestMicros &&
        (best == bests.end() || *progress.bestMicros < best->second);
    if (isBetter)
      bests[progress.task] = *progress.bestMicros;
    if (!isBetter && progress.secondsElapsed - lastPrinted < 5)
      return;
    lastPrinted = progress.secondsElapsed;
    llvm::errs() << llvm::format("[%6.1f s] %4u  ", progress.secondsElapsed,
                                 count)
                 << progress.function << ": best "
                 << formatOptional(progress.bestMicros) << ", default "
                 << formatOptional(progress.defaultMicros) << "; module about "
                 << formatMicros(progress.moduleMicros) << '\n';
  }

private:
  unsigned count = 0;
  double lastPrinted = 0;
  std::map<unsigned, double> bests;
};

/// One JSON object for each event.
class JsonPrinter : public ProgressSink {
public:
  void measured(const TaskProgress &progress) override {
    auto number = [](std::optional<double> value) {
      return value ? Json(*value) : Json();
    };
    Json event = Json::object();
    event.set("event", "measured")
        .set("subgraph", progress.function)
        .set("cluster", progress.cluster)
        .set("measurements", progress.measurements)
        .set("schedule", progress.schedule)
        .set("from_records", progress.fromRecords)
        .set("dropped", progress.isDropped)
        .set("failure", printFailureKind(progress.failure))
        .set("latest_us", number(progress.latestMicros))
        .set("default_us", number(progress.defaultMicros))
        .set("best_us", number(progress.bestMicros))
        .set("seconds", progress.secondsElapsed)
        .set("seconds_left", number(progress.secondsLeft))
        .set("module_us", progress.moduleMicros);
    llvm::errs() << event.dump() << '\n';
  }
  void warned(llvm::StringRef message) override {
    Json event = Json::object();
    event.set("event", "warning").set("message", message);
    llvm::errs() << event.dump() << '\n';
  }
};

/// A block of lines, one for each cluster, drawn over itself.
class LivePrinter : public QuietPrinter {
public:
  ~LivePrinter() override { draw(); }

  void measured(const TaskProgress &progress) override {
    Cluster &cluster = clusters[progress.cluster];
    Task &task = cluster[progress.task];
    task.measurements = progress.measurements;
    task.defaultMicros = progress.defaultMicros.value_or(0);
    task.bestMicros = progress.bestMicros.value_or(0);
    moduleMicros = progress.moduleMicros;
    secondsLeft = progress.secondsLeft.value_or(0);
    if (progress.secondsElapsed - lastDrawn < 0.2)
      return;
    lastDrawn = progress.secondsElapsed;
    draw();
  }
  void warned(llvm::StringRef message) override {
    erase();
    QuietPrinter::warned(message);
  }

private:
  struct Task {
    unsigned measurements = 0;
    double defaultMicros = 0, bestMicros = 0;
  };
  using Cluster = std::map<unsigned, Task>;

  void erase() {
    for (; drawn > 0; --drawn)
      llvm::errs() << "\x1b[1A\x1b[2K";
  }
  void draw() {
    erase();
    for (const auto &[number, cluster] : clusters) {
      unsigned measurements = 0;
      double defaults = 0, bests = 0;
      for (const auto &[index, task] : cluster) {
        measurements += task.measurements;
        defaults += task.defaultMicros;
        bests += task.bestMicros;
      }
      llvm::errs() << llvm::format(
                          "cluster %-3u %3zu subgraphs %5u measured  best ",
                          number, cluster.size(), measurements)
                   << formatMicros(bests);
      if (bests > 0)
        llvm::errs() << llvm::format("  %.2fx the default's speed",
                                     defaults / bests);
      llvm::errs() << '\n';
      ++drawn;
    }
    llvm::errs() << "module about " << formatMicros(moduleMicros)
                 << llvm::format(", %.0f s left\n", secondsLeft);
    ++drawn;
  }

  std::map<unsigned, Cluster> clusters;
  double moduleMicros = 0, secondsLeft = 0, lastDrawn = 0;
  unsigned drawn = 0;
};
} // namespace

std::unique_ptr<ProgressSink> diffuse::createPrinter(ProgressStyle style) {
  switch (style) {
  case ProgressStyle::None:
    return std::make_unique<QuietPrinter>();
  case ProgressStyle::Json:
    return std::make_unique<JsonPrinter>();
  case ProgressStyle::Plain:
    return std::make_unique<PlainPrinter>();
  case ProgressStyle::Auto:
    break;
  }
  if (isatty(STDERR_FILENO))
    return std::make_unique<LivePrinter>();
  return std::make_unique<PlainPrinter>();
}
