// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures on this machine, in a worker process that survives what its
// candidates do and is started again should it die.

#ifndef DIFFUSE_MEASURE_LOCALMEASURER_H
#define DIFFUSE_MEASURE_LOCALMEASURER_H

#include "Diffuse/Measure/Measurer.h"
#include <functional>
#include <memory>

namespace diffuse {

class ChildProcess;

/// Talks to a worker in JSON lines. The worker starts with the first request.
class LocalMeasurer : public Measurer {
public:
  /// `command` is the worker and its arguments, for example
  /// {"ssh", "host", "diffuse-measure"}; empty means the diffuse-measure that
  /// findProgram finds. Once `interrupted` is true, a run is ended at once and
  /// none is begun: such requests are answered Unmeasurable.
  explicit LocalMeasurer(std::vector<std::string> command = {},
                         std::function<bool()> interrupted = {});
  ~LocalMeasurer() override;

  MeasureResult measure(const MeasureRequest &request) override;
  /// Starts the worker, unless the last one did not start; nothing where
  /// `command` may lead to another machine.
  std::optional<int> core() override;

  /// How often a worker was started.
  unsigned starts() const { return startCount; }
  int workerProcessId() const;

private:
  /// Starts a worker that greets as it should, unless there is one.
  llvm::Error ensureWorker();
  llvm::Error startWorker();
  /// Ends the worker, if there is one; `error` with what it wrote last.
  llvm::Error dismiss(llvm::Error error);
  llvm::Expected<MeasureResult> ask(const MeasureRequest &request);

  std::vector<std::string> command;
  std::function<bool()> interrupted;
  std::unique_ptr<ChildProcess> worker;
  std::optional<int> workerCore;
  /// The last worker that was started did not greet as it should.
  bool isStartInVain = false;
  uint64_t nextJob = 1;
  unsigned startCount = 0;
};

} // namespace diffuse

#endif // DIFFUSE_MEASURE_LOCALMEASURER_H
