// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling candidates in another process. Schedules can hang, crash or eat
// memory inside the compiler, so a server registers MLIR once, stays
// single-threaded, and forks a child under limits for each candidate.

#ifndef DIFFUSE_TUNING_COMPILESERVER_H
#define DIFFUSE_TUNING_COMPILESERVER_H

#include "Diffuse/Codegen/CodegenOptions.h"
#include "Diffuse/Support/ChildProcess.h"
#include "Diffuse/Support/Json.h"
#include "Diffuse/Tuning/CandidateCompiler.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace diffuse {

/// Links the object of a candidate into a shared library.
using CandidateLinker = llvm::Error (*)(llvm::StringRef object,
                                        llvm::StringRef library);

/// The linker of the system, by way of its C compiler.
llvm::Error linkCandidate(llvm::StringRef object, llvm::StringRef library);

/// Reads requests as JSON lines from descriptor `input` and answers each on
/// `output`, until the input ends. Returns an exit status.
///
///   {"request": 1, "options": {"target": "host", "numerics": "default"}}
///   {"request": 2, "subgraph": HASH, "text": MODULE, "function": NAME}
///   {"request": 3, "compile": HASH, "schedule": MODULE, "sequence": NAME,
///    "library": PATH, "wall_seconds": 10, "cpu_seconds": 10,
///    "memory_bytes": BYTES}
///
/// Without a library (an empty path) code is made in haste and thrown away.
/// Each is answered by one line with the number of the request: beside it
/// nothing or {"error": MESSAGE} for the first two, a CompileOutcome for the
/// third. The first line it writes is {"server": "diffuse-compile-server"}.
int runCompileServer(int input, int output,
                     CandidateLinker link = linkCandidate);

/// The client: starts the server with the first subgraph, and again should it
/// die. A fault of the server, of the linker or of the disk is Unmeasurable,
/// after a second try with a new server; it says nothing of the candidate.
class ServerCompiler : public CandidateCompiler {
public:
  struct Options {
    /// As on the command line: the server describes the target itself.
    std::string target = "host";
    Numerics numerics = Numerics::Default;
    bool flushDenormals = false;
    /// Limits of one compilation.
    ChildLimits limits{/*wallSeconds=*/20, /*cpuSeconds=*/20,
                       /*memoryBytes=*/uint64_t(4) << 30};
    /// Once it is true a compilation is ended at once, and none is begun.
    std::function<bool()> interrupted;
    /// Finds the logical cores that the server may use now; asked before a
    /// library is made, as others begin and end to measure. Any where there are
    /// none, and nothing is compiled ahead then.
    std::function<std::vector<int>()> findCores;
    /// The program to start; found beside this one or on PATH by default.
    std::string program = "diffuse-compile-server";
  };

  explicit ServerCompiler(Options options);
  ~ServerCompiler() override;

  llvm::Error addSubgraph(llvm::StringRef hash, llvm::StringRef moduleText,
                          llvm::StringRef function) override;
  CompileOutcome compile(const CompileRequest &request) override;
  bool compilesAhead() const override { return !cores.empty(); }
  void compileAhead(const CompileRequest &request) override;
  /// A compilation that does not end by itself soon is cut off: with its
  /// server, and the next one starts another.
  void dropAhead() override;

private:
  struct Subgraph {
    std::string hash, text, function;
  };

  bool isInterrupted() const {
    return options.interrupted && options.interrupted();
  }
  /// Starts the server and hands it everything it must know, unless there is
  /// one that knows it.
  llvm::Error ensureServer();
  llvm::Error startServer();
  /// Sends one request and reads its answer. Where there is none in time, or
  /// not to this request, the server goes: nothing it says can be trusted.
  llvm::Expected<Json> ask(Json request, double seconds);
  llvm::Error introduce(const Subgraph &subgraph);
  llvm::Expected<CompileOutcome> tryCompile(const CompileRequest &request);
  llvm::Error writeRequest(Json request, double seconds);
  llvm::Expected<Json> readAnswer(double seconds);
  /// Moves the server to the cores that are free now.
  void keepToFreeCores();
  /// Waits for what was begun ahead; the server takes one request at a time.
  void finishAhead();
  /// What was begun ahead, where that was `request` and it went well.
  std::optional<CompileOutcome> takeAhead(const CompileRequest &request);

  Options options;
  std::vector<Subgraph> subgraphs;
  std::unique_ptr<ChildProcess> server;
  /// What the server keeps to; any where there are none.
  std::vector<int> cores;
  /// Of the last request that was written.
  uint64_t requestNumber = 0;
  struct Ahead {
    CompileRequest request;
    std::optional<CompileOutcome> outcome;
  };
  /// Begun ahead; while there is no outcome its answer was not read.
  std::optional<Ahead> ahead;
};

} // namespace diffuse

#endif // DIFFUSE_TUNING_COMPILESERVER_H
