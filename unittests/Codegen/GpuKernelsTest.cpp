// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are run without a GPU: the LLVM IR that the PTX is made of is
// compiled for the host, with the numbers of block and thread read from
// variables, and a loop over the grid stands for the launch. That is faithful
// for kernels whose threads do not wait for one another, and shows what no look
// at PTX does: that every result is written once, and right, where blocks do
// not divide extents.

#include "Diffuse/Codegen/CompileGpuKernels.h"

#include "Diffuse/Analysis/DescribeSubgraph.h"
#include "Diffuse/Codegen/CompileSubgraph.h"
#include "Diffuse/Graph/OutlineSubgraphs.h"
#include "Diffuse/IR/Names.h"
#include "Diffuse/IR/SubgraphFunction.h"
#include "Diffuse/Sketch/DefaultCandidate.h"
#include "Diffuse/Sketch/Instantiate.h"
#include "Diffuse/Sketch/Legality.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace diffuse;
using namespace mlir;

static constexpr llvm::StringLiteral kRegisters[] = {
    "ctaid.x", "ctaid.y", "ctaid.z", "tid.x", "tid.y", "tid.z"};

/// Reads of special registers become reads of global variables.
static void emulateRegisters(llvm::Module &module) {
  for (llvm::StringRef name : kRegisters) {
    llvm::Type *type = llvm::Type::getInt32Ty(module.getContext());
    auto *variable = new llvm::GlobalVariable(
        module, type, false, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantInt::get(type, 0), name);
    llvm::Function *intrinsic =
        module.getFunction(("llvm.nvvm.read.ptx.sreg." + name).str());
    if (!intrinsic)
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(intrinsic->users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> builder(call);
      call->replaceAllUsesWith(builder.CreateLoad(type, variable));
      call->eraseFromParent();
    }
    intrinsic->eraseFromParent();
  }
}

namespace {
/// The kernels of a text of LLVM IR, compiled for the host.
class Emulator {
public:
  explicit Emulator(llvm::StringRef text) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseIR(
        llvm::MemoryBufferRef(text, "kernels"), problem, *context);
    EXPECT_TRUE(module) << problem.getMessage().str();
    jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    module->setTargetTriple(jit->getTargetTriple());
    module->setDataLayout(jit->getDataLayout());
    for (llvm::Function &function : *module) {
      function.setCallingConv(llvm::CallingConv::C);
      function.removeFnAttr("target-cpu");
      function.removeFnAttr("target-features");
    }
    emulateRegisters(*module);
    llvm::cantFail(jit->addIRModule({std::move(module), std::move(context)}));
  }

  void launch(const KernelLaunch &launch, float *a, float *b, float *c,
              float *d) {
    auto kernel = llvm::cantFail(jit->lookup(launch.kernel))
                      .toPtr<void (*)(float *, float *, float *, float *)>();
    auto &[gx, gy, gz] = launch.grid;
    auto &[bx, by, bz] = launch.block;
    int64_t extents[] = {gx, gy, gz, bx, by, bz};
    int32_t *numbers[6];
    for (unsigned i = 0; i < 6; ++i)
      numbers[i] =
          llvm::cantFail(jit->lookup(kRegisters[i])).toPtr<int32_t *>();
    int64_t total = gx * gy * gz * bx * by * bz;
    for (int64_t thread = 0; thread < total; ++thread) {
      int64_t rest = thread;
      for (unsigned i = 0; i < 6; ++i) {
        *numbers[i] = static_cast<int32_t>(rest % extents[i]);
        rest /= extents[i];
      }
      kernel(a, b, c, d);
    }
  }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

class GpuKernels : public testing::TestWithParam<std::array<int64_t, 3>> {
protected:
  GpuKernels() : context(registry()) { context.loadAllAvailableDialects(); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    registerGraphDialects(registry);
    return registry;
  }

  /// max(0, A B + bias) as one outlined subgraph.
  func::FuncOp makeSubgraph(int64_t m, int64_t n, int64_t k);
  CompiledKernels compile(func::FuncOp function, const BoundSketch &sketch,
                          const Choices &choices, std::string &text);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

func::FuncOp GpuKernels::makeSubgraph(int64_t m, int64_t n, int64_t k) {
  std::string text = llvm::formatv(
      R"(func.func @main(%a: tensor<{0}x{2}xf32>, %b: tensor<{2}x{1}xf32>,
                        %bias: tensor<{1}xf32>) -> tensor<{0}x{1}xf32> {{
        %z = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<{0}x{1}xf32>
        %f = linalg.fill ins(%z : f32) outs(%e : tensor<{0}x{1}xf32>)
            -> tensor<{0}x{1}xf32>
        %p = linalg.matmul
            ins(%a, %b : tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32>)
            outs(%f : tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32>
        %r = linalg.generic {{
            indexing_maps = [affine_map<(i, j) -> (i, j)>,
                             affine_map<(i, j) -> (j)>,
                             affine_map<(i, j) -> (i, j)>],
            iterator_types = ["parallel", "parallel"]}
            ins(%p, %bias : tensor<{0}x{1}xf32>, tensor<{1}xf32>)
            outs(%e : tensor<{0}x{1}xf32>) {{
        ^bb0(%x: f32, %y: f32, %o: f32):
          %s = arith.addf %x, %y : f32
          %t = arith.maximumf %s, %z : f32
          linalg.yield %t : f32
        } -> tensor<{0}x{1}xf32>
        return %r : tensor<{0}x{1}xf32>
      })",
      m, n, k);
  module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module && succeeded(outlineSubgraphs(*module)));
  return collectSubgraphs(*module).front();
}

CompiledKernels GpuKernels::compile(func::FuncOp function,
                                    const BoundSketch &sketch,
                                    const Choices &choices, std::string &text) {
  auto schedule = instantiate(sketch, choices, function.getSymName());
  EXPECT_TRUE(succeeded(schedule));
  CodegenOptions options;
  options.target = sketch.target();
  KernelSource source{function, **schedule,
                      (function.getSymName() + kTensorSuffix).str(), "kernel"};
  auto kernels = compileGpuKernels(source, options, "", &text);
  EXPECT_TRUE(succeeded(kernels));
  return std::move(*kernels);
}

static std::vector<float> makeData(size_t size, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> data(size);
  for (float &element : data)
    element = uniform(engine);
  return data;
}

/// Legal choices spread over the space, the default first.
static std::vector<Choices> sample(const BoundSketch &sketch, unsigned count) {
  const SubgraphDescriptor &descriptor = sketch.descriptor();
  const TargetDescription &target = sketch.target();
  std::vector<Choices> samples{
      defaultCandidate(descriptor, target, sketch).choices};
  std::mt19937 engine(7);
  for (unsigned tries = 0; samples.size() < count && tries < 1000; ++tries) {
    Choices choices;
    for (const Knob &knob : sketch.knobs())
      choices[knob.name] = knob.domain[engine() % knob.domain.size()];
    if (!checkCandidate(descriptor, target, sketch, choices))
      samples.push_back(choices);
  }
  return samples;
}

TEST_P(GpuKernels, ComputesMatmulBiasRelu) {
  auto [m, n, k] = GetParam();
  func::FuncOp function = makeSubgraph(m, n, k);
  auto library = SketchLibrary::builtin(&context);
  auto descriptor = describeSubgraph(function);
  ASSERT_TRUE(succeeded(library) && succeeded(descriptor));
  TargetDescription target = llvm::cantFail(parseTarget("nvidia:sm_80"));
  auto sketches = library->bind(*descriptor, target);
  ASSERT_EQ(sketches.size(), 1u);

  std::vector<float> a = makeData(m * k, 1), b = makeData(k * n, 2),
                     bias = makeData(n, 3);
  for (const Choices &choices : sample(sketches[0], 6)) {
    SCOPED_TRACE(toString({sketches[0].name().str(), choices}));
    std::string text;
    CompiledKernels kernels = compile(function, sketches[0], choices, text);
    ASSERT_EQ(kernels.subgraphs.size(), 1u);
    std::vector<float> result(m * n, std::nanf(""));
    Emulator emulator(text);
    for (const KernelLaunch &launch : kernels.subgraphs[0].launches)
      emulator.launch(launch, a.data(), b.data(), bias.data(), result.data());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += double(a[i * k + l]) * double(b[l * n + j]);
        double expected = std::max(0.0, sum + double(bias[j]));
        ASSERT_NEAR(result[i * n + j], expected, 1e-5 * double(k))
            << "at " << i << ", " << j;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Extents, GpuKernels,
                         testing::Values(std::array<int64_t, 3>{64, 96, 32},
                                         std::array<int64_t, 3>{126, 100, 33},
                                         std::array<int64_t, 3>{37, 41, 7},
                                         std::array<int64_t, 3>{1, 130, 16},
                                         std::array<int64_t, 3>{1, 1, 5},
                                         // A grid is too short along y.
                                         std::array<int64_t, 3>{200003, 2, 2}));
