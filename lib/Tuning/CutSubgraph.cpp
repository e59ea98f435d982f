// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a context of its own: that of the caller may lack the interfaces that
// cutting needs, and diagnostics here are nobody's concern.

#include "CutSubgraph.h"

#include "Diffuse/Analysis/Work.h"
#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Codegen/CutTiles.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace diffuse;

static std::vector<BoundaryArgument>
boundaryOf(const TuningTask &task, llvm::ArrayRef<OutputTile> tiles) {
  std::vector<BoundaryArgument> inputs, destinations;
  for (const BoundaryArgument &argument : task.boundary)
    (argument.kind == BoundaryArgument::Kind::Destination ? destinations
                                                          : inputs)
        .push_back(argument);
  for (const OutputTile &tile : tiles) {
    BoundaryArgument destination = destinations[tile.result];
    destination.extents = tile.sizes;
    inputs.push_back(std::move(destination));
  }
  return inputs;
}

std::optional<CutSubgraph>
diffuse::cutSubgraph(const TuningTask &task, llvm::ArrayRef<OutputTile> tiles) {
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::ScopedDiagnosticHandler silence(
      &context, [](mlir::Diagnostic &) { return llvm::success(); });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(task.text, &context);
  auto function = module
                      ? module->lookupSymbol<mlir::func::FuncOp>(task.function)
                      : mlir::func::FuncOp();
  if (!function)
    return std::nullopt;
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> cut =
      cutTiles(function, tiles);
  if (mlir::failed(cut) || mlir::failed(mlir::verify(**cut)))
    return std::nullopt;
  CutSubgraph result;
  llvm::raw_string_ostream(result.text) << **cut;
  result.boundary = boundaryOf(task, tiles);
  result.flops =
      countFlops((*cut)->lookupSymbol<mlir::func::FuncOp>(task.function));
  return result;
}
