// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module is bufferized as a whole between the tensor and the vector parts:
// a function by itself would keep tensors at its boundary, which nothing after
// it can bufferize.

#include "Diffuse/Pipelines/EmitSchedules.h"

#include "ChooseSchedule.h"

#include "Diffuse/Codegen/DecomposeOps.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/ScheduleLookup.h"
#include "Diffuse/IR/SubgraphFunction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/TransformOps/BufferizationTransformOps.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace diffuse;

namespace {
/// Writes the module of schedules.
class ScheduleWriter {
public:
  explicit ScheduleWriter(Location loc);

  /// Takes copies of the sequences that schedule `subgraph`.
  void add(func::FuncOp subgraph, const SubgraphSchedule &schedule);
  /// Writes the main sequence over what was added.
  void writeMain();

  OwningOpRef<ModuleOp> module;

private:
  struct Entry {
    Attribute hash;
    std::string tensor;
    std::string vector;
  };
  void include(Value root, Attribute hash, StringRef sequence);
  /// Copies a sequence and those that it uses.
  void copy(ModuleOp source, StringRef name);

  Location loc;
  OpBuilder builder;
  Type any;
  SmallVector<Entry> entries;
};
} // namespace

ScheduleWriter::ScheduleWriter(Location loc)
    : module(ModuleOp::create(loc)), loc(loc),
      builder(OpBuilder::atBlockEnd(module->getBody())),
      any(transform::AnyOpType::get(loc.getContext())) {
  module.get()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                        builder.getUnitAttr());
}

void ScheduleWriter::copy(ModuleOp source, StringRef name) {
  Operation *sequence = source.lookupSymbol(name);
  if (!sequence || module->lookupSymbol(name))
    return;
  builder.clone(*sequence);
  sequence->walk([&](Operation *op) {
    if (op == sequence)
      return;
    op->getAttrDictionary().walk(
        [&](SymbolRefAttr symbol) { copy(source, symbol.getLeafReference()); });
  });
}

void ScheduleWriter::add(func::FuncOp subgraph,
                         const SubgraphSchedule &schedule) {
  std::string vector =
      replaceScheduleSuffix(schedule.tensorSequence, kVectorSuffix);
  for (StringRef name : {StringRef(schedule.tensorSequence), StringRef(vector)})
    copy(ModuleOp(schedule.module), name);
  entries.push_back({subgraph->getAttr(kExactHashAttr), schedule.tensorSequence,
                     module->lookupSymbol(vector) ? vector : ""});
}

/// Runs `sequence` on each function of the hash.
void ScheduleWriter::include(Value root, Attribute hash, StringRef sequence) {
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(kExactHashAttr, hash));
  auto match = transform::MatchOp::create(
      builder, loc, any, root, builder.getStrArrayAttr({"func.func"}),
      /*interface=*/transform::MatchInterfaceEnumAttr(), attributes,
      /*filter_result_type=*/TypeAttr(),
      /*filter_operand_types=*/ArrayAttr());
  auto each = transform::ForeachOp::create(builder, loc, TypeRange(),
                                           ValueRange(match.getResult()),
                                           /*with_zip_shortest=*/false);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&each.getBody(), {}, {any}, {loc});
  transform::IncludeOp::create(
      builder, loc, TypeRange(),
      FlatSymbolRefAttr::get(builder.getContext(), sequence),
      transform::FailurePropagationModeAttr::get(
          builder.getContext(), transform::FailurePropagationMode::Propagate),
      ValueRange(body->getArgument(0)), /*arg_attrs=*/ArrayAttr(),
      /*res_attrs=*/ArrayAttr());
  transform::YieldOp::create(builder, loc);
}

void ScheduleWriter::writeMain() {
  auto main = transform::NamedSequenceOp::create(
      builder, loc, "__transform_main",
      TypeAttr::get(builder.getFunctionType({any}, {})),
      /*sym_visibility=*/nullptr,
      builder.getArrayAttr(builder.getDictionaryAttr(builder.getNamedAttr(
          transform::TransformDialect::kArgConsumedAttrName,
          builder.getUnitAttr()))),
      /*res_attrs=*/nullptr);
  Block *body = builder.createBlock(&main.getBody(), {}, {any}, {loc});
  Value root = body->getArgument(0);
  for (const Entry &entry : entries)
    include(root, entry.hash, entry.tensor);
  transform::EliminateEmptyTensorsOp::create(builder, loc, root);
  auto bufferized = transform::OneShotBufferizeOp::create(
      builder, loc, any, root,
      bufferization::LayoutMapOptionAttr::get(
          builder.getContext(),
          bufferization::LayoutMapOption::IdentityLayoutMap),
      /*allow_return_allocs_from_loops=*/true,
      /*allow_unknown_ops=*/false,
      /*bufferize_function_boundaries=*/true,
      /*dump_alias_sets=*/false,
      /*test_analysis_only=*/false,
      /*print_conflicts=*/false,
      /*check_parallel_regions=*/true);
  for (const Entry &entry : entries)
    if (!entry.vector.empty())
      include(bufferized.getTransformed(), entry.hash, entry.vector);
  transform::YieldOp::create(builder, loc);
}

/// A result that is written into its destination by a marker reads, for
/// one-shot-bufferize, what the schedule's loops write: what computes it writes
/// there by itself where it can.
static void dropMarkers(func::FuncOp subgraph) {
  SmallVector<bufferization::MaterializeInDestinationOp> markers;
  subgraph.walk([&](bufferization::MaterializeInDestinationOp marker) {
    if (marker->getNumResults() == 1)
      markers.push_back(marker);
  });
  for (bufferization::MaterializeInDestinationOp marker : markers) {
    marker->getResult(0).replaceAllUsesWith(marker.getSource());
    marker.erase();
  }
}

/// The outlined module alone, without the ops that upstream bufferizes nothing
/// of (packs, concatenations): no sketch takes those.
static FailureOr<OwningOpRef<ModuleOp>> makePayload(ModuleOp module) {
  OwningOpRef<ModuleOp> payload = module.clone();
  if (Operation *schedules = payload->lookupSymbol(kSchedulesModule))
    schedules->erase();
  for (func::FuncOp subgraph : collectSubgraphs(*payload)) {
    subgraph->removeAttr(kScheduleAttr);
    dropMarkers(subgraph);
  }
  if (failed(decomposeOps(*payload)))
    return failure();
  return payload;
}

/// What was chosen for one subgraph, as its schedule says it.
static Json describe(func::FuncOp subgraph, const SubgraphSchedule &schedule) {
  Json entry = Json::object();
  entry.set("name", subgraph.getSymName());
  entry.set("exact_hash",
            subgraph->getAttrOfType<StringAttr>(kExactHashAttr).getValue());
  entry.set("calls", getCalls(subgraph));
  Operation *sequence =
      schedule.module
          ? ModuleOp(schedule.module).lookupSymbol(schedule.tensorSequence)
          : nullptr;
  auto selected = sequence
                      ? sequence->getAttrOfType<DictionaryAttr>(kSelectedAttr)
                      : DictionaryAttr();
  entry.set("scheduled", sequence != nullptr);
  if (!selected)
    return entry;
  Json choices = Json::object();
  for (NamedAttribute attribute : selected) {
    if (auto sketch = dyn_cast<StringAttr>(attribute.getValue()))
      entry.set(attribute.getName().getValue(), sketch.getValue());
    else if (auto value = dyn_cast<IntegerAttr>(attribute.getValue()))
      choices.set(attribute.getName().getValue(), value.getInt());
  }
  entry.set("selected", std::move(choices));
  return entry;
}

static LogicalResult replay(ModuleOp payload, ModuleOp schedules) {
  OwningOpRef<ModuleOp> copy = payload.clone();
  auto main = schedules.lookupSymbol<transform::NamedSequenceOp>(
      transform::TransformDialect::kTransformEntryPointSymbolName);
  if (failed(transform::applyTransformNamedSequence(
          *copy, main, schedules, transform::TransformOptions())) ||
      failed(verify(*copy)))
    return payload.emitError("the schedules of this module cannot be replayed "
                             "by mlir-opt alone");
  return success();
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

FailureOr<ScheduleFiles>
diffuse::emitSchedules(ModuleFile &file, const CompileFileOptions &options) {
  ModuleOp module = file.module();
  ScheduleChooser chooser(module.getContext(), options);
  ScheduleWriter writer(module.getLoc());
  Json::Array list;
  DenseSet<Attribute> seen;
  for (func::FuncOp subgraph : collectSubgraphs(module)) {
    if (!subgraph->hasAttrOfType<StringAttr>(kExactHashAttr))
      return subgraph.emitError()
             << "'" << subgraph.getSymName()
             << "' has no hash to be found by, for its schedule was applied "
                "already; emit schedules before diffuse-apply-schedules";
    FailureOr<SubgraphSchedule> schedule = chooser(subgraph);
    if (failed(schedule))
      return failure();
    list.push_back(describe(subgraph, *schedule));
    if (schedule->module &&
        seen.insert(subgraph->getAttr(kExactHashAttr)).second)
      writer.add(subgraph, *schedule);
  }
  writer.writeMain();
  FailureOr<OwningOpRef<ModuleOp>> payload = makePayload(module);
  if (failed(payload) || failed(verify(*writer.module)) ||
      failed(replay(**payload, *writer.module)))
    return failure();
  Json selected = describeProvenance(file, options);
  selected.set("subgraphs", Json(std::move(list)));
  return ScheduleFiles{print(**payload), print(*writer.module),
                       selected.dump(2) + "\n"};
}
