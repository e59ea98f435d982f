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

#include <memory>
#include <string>
#include <vector>

namespace diffuse {

/// Reads requests as JSON lines from descriptor `input` and answers each on
/// `output`, until the input ends. Returns an exit status.
///
///   {"options": {"target": "host", "numerics": "default"}}
///   {"subgraph": HASH, "text": MODULE, "function": NAME}
///   {"compile": HASH, "schedule": MODULE, "sequence": NAME, "library": PATH,
///    "seconds": 10, "memory": BYTES}
///
/// Each is answered by one line: {} or {"error": MESSAGE} for the first two,
/// a CompileOutcome for the third. The first line it writes is
/// {"server": "diffuse-compile-server"}.
int runCompileServer(int input, int output);

/// The client: starts the server with the first subgraph, and again should it
/// die.
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
  };

  explicit ServerCompiler(Options options);
  ~ServerCompiler() override;

  llvm::Error addSubgraph(llvm::StringRef hash, llvm::StringRef moduleText,
                          llvm::StringRef function) override;
  CompileOutcome compile(const CompileRequest &request) override;

private:
  struct Subgraph {
    std::string hash, text, function;
  };

  /// Starts the server and hands it everything it must know.
  llvm::Error ensureServer();
  /// Sends one request and reads its answer.
  llvm::Expected<Json> ask(const Json &request, double seconds);
  llvm::Error introduce(const Subgraph &subgraph);

  Options options;
  std::vector<Subgraph> subgraphs;
  std::unique_ptr<ChildProcess> server;
};

} // namespace diffuse

#endif // DIFFUSE_TUNING_COMPILESERVER_H
