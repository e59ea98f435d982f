// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of several stages:
//
//   %root = match attributes{diffuse.root, diffuse.stage = 1} in %func
//   %r, %loop = transform.structured.fuse %root tile_sizes [..]  where fused
//   %root0 = match attributes{diffuse.root, diffuse.stage = 0} in %func
//   %r0, %stage0 = transform.structured.fuse %root0 tile_sizes [extent]
//       {use_forall}
//   transform.apply_dce to %func
//   ... the schedule of stage 0, with %stage0 for the function ...
//   ... and so on ...
//
// A parallel loop of one iteration holds the ops of each stage: its schedule
// sees nothing else, and that of the next does not fuse it again. It goes when
// all stages are scheduled.

#include "StagedSketch.h"

#include "Diffuse/IR/Names.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace diffuse;
using namespace mlir;

using transform::NamedSequenceOp;

namespace {
class StagedSchedule {
public:
  StagedSchedule(const BoundSketch &sketch, const Choices &choices,
                 MLIRContext *context)
      : cut(sketch.get().staged->cutOf(choices)), choices(choices),
        builder(context), loc(UnknownLoc::get(context)),
        any(transform::AnyOpType::get(context)) {}
  FailureOr<OwningOpRef<ModuleOp>> write(StringRef name);

private:
  Value matchRoot(unsigned stage);
  void fuseAll();
  /// The loop that holds the stage.
  Value wrap(unsigned stage);
  LogicalResult schedule(unsigned stage, Value wrapper);
  void cleanUp();

  const StageCut &cut;
  const Choices &choices;
  OpBuilder builder;
  Location loc;
  Type any;
  Value function;
};
} // namespace

Value StagedSchedule::matchRoot(unsigned stage) {
  NamedAttrList marks;
  marks.set(kRootAttr, builder.getUnitAttr());
  marks.set(kStageAttr, builder.getI64IntegerAttr(stage));
  return transform::MatchOp::create(
      builder, loc, any, function, /*ops=*/ArrayAttr(),
      /*interface=*/transform::MatchInterfaceEnumAttr(),
      marks.getDictionary(builder.getContext()),
      /*filter_result_type=*/TypeAttr(), /*filter_operand_types=*/ArrayAttr());
}

/// One loop around all stages. Each reader brings a copy of what it reads of
/// another stage; equal ones become one again.
void StagedSchedule::fuseAll() {
  const SubgraphDescriptor &last = cut.stages.back();
  SmallVector<int64_t> sizes;
  for (unsigned loop : last.rootDims) {
    bool isBatch = llvm::is_contained(last.batchLoops, loop);
    bool isBlock = cut.block != 0 && last.blockLoop == loop;
    sizes.push_back(isBatch ? 1 : isBlock ? cut.block : 0);
  }
  SmallVector<Type> results(
      1 + llvm::count_if(sizes, [](int64_t size) { return size != 0; }), any);
  transform::FuseOp::create(builder, loc, results,
                            matchRoot(cut.stages.size() - 1),
                            /*tile_sizes=*/ValueRange(),
                            /*tile_interchange=*/ValueRange(), sizes,
                            /*static_tile_interchange=*/ArrayRef<int64_t>(),
                            /*apply_cleanup=*/false, /*use_forall=*/false);
  transform::ApplyCommonSubexpressionEliminationOp::create(builder, loc,
                                                           function);
  transform::ApplyDeadCodeEliminationOp::create(builder, loc, function);
}

Value StagedSchedule::wrap(unsigned stage) {
  const SubgraphDescriptor &description = cut.stages[stage];
  SmallVector<int64_t> sizes;
  for (unsigned loop : description.rootDims) {
    bool isParallel = !isReduction(description.dims[loop].role);
    sizes.push_back(isParallel ? description.dims[loop].extent : 0);
    if (isParallel)
      break;
  }
  auto fuse = transform::FuseOp::create(
      builder, loc, SmallVector<Type>(2, any), matchRoot(stage),
      /*tile_sizes=*/ValueRange(), /*tile_interchange=*/ValueRange(), sizes,
      /*static_tile_interchange=*/ArrayRef<int64_t>(), /*apply_cleanup=*/false,
      /*use_forall=*/true);
  // The stages before it are copied into the loop too, though nothing in it
  // reads the copies; their marks must not be found there.
  transform::ApplyDeadCodeEliminationOp::create(builder, loc, function);
  return fuse->getResult(1);
}

LogicalResult StagedSchedule::schedule(unsigned stage, Value wrapper) {
  if (!cut.sketches[stage])
    return success();
  auto module = instantiate(*cut.sketches[stage],
                            choicesOfStage(stage, choices), "stage");
  if (failed(module))
    return failure();
  auto sequence = cast<NamedSequenceOp>((*module)->getBody()->front());
  assert(!sequence->getNextNode() && "what comes after bufferization is lost");
  IRMapping mapping;
  Block &body = sequence.getBody().front();
  mapping.map(body.getArgument(0), wrapper);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  return success();
}

void StagedSchedule::cleanUp() {
  transform::ApplyPatternsOp::create(
      builder, loc, function, [](OpBuilder &nested, Location at) {
        transform::ApplyCanonicalizationPatternsOp::create(nested, at);
      });
}

FailureOr<OwningOpRef<ModuleOp>> StagedSchedule::write(StringRef name) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  module.get()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                        builder.getUnitAttr());
  builder.setInsertionPointToEnd(module->getBody());
  auto sequence = NamedSequenceOp::create(
      builder, loc, (name + kTensorSuffix).str(),
      TypeAttr::get(builder.getFunctionType({any}, {})),
      /*sym_visibility=*/nullptr,
      builder.getArrayAttr(builder.getDictionaryAttr(builder.getNamedAttr(
          transform::TransformDialect::kArgReadOnlyAttrName,
          builder.getUnitAttr()))),
      /*res_attrs=*/nullptr);
  Block *body = builder.createBlock(&sequence.getBody(), {}, {any}, {loc});
  function = body->getArgument(0);
  if (cut.isFused)
    fuseAll();
  for (unsigned stage = 0; stage < cut.stages.size(); ++stage)
    if (failed(schedule(stage, wrap(stage))))
      return failure();
  cleanUp();
  transform::YieldOp::create(builder, loc);
  return module;
}

FailureOr<OwningOpRef<ModuleOp>>
diffuse::instantiateStages(const BoundSketch &sketch, const Choices &choices,
                           StringRef name, MLIRContext *context) {
  return StagedSchedule(sketch, choices, context).write(name);
}
