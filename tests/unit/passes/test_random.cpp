// Passes keep what kernels do: random kernels, run by the interpreter before and after.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ir/visitor.h"
#include "passes/memory/sink_stores.h"
#include "passes/pipeline.h"
#include "passes/simplify/contract_fma.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "random_kernel.h"

namespace cuda_device::passes {
namespace {

uint64_t kernels() {
  const char* wanted = std::getenv("CUDA_DEVICE_RANDOM_KERNELS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 300;
}

TEST(RandomKernels, AreValidAndSurviveTheTextForm) {
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto f = random_kernel(seed);
    ASSERT_EQ(ir::verify(*f), std::vector<std::string>()) << ir::print(*f);
    const auto again = ir::parse(ir::print(*f));
    ASSERT_EQ(ir::print(*again), ir::print(*f));
    ASSERT_EQ(run_kernel(*again, seed), run_kernel(*f, seed)) << ir::print(*f);
  }
}

TEST(RandomKernels, EveryPassKeepsEveryBit) {
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto f = random_kernel(seed);
    f->options.fmad = false;
    const Outcome expected = run_kernel(*f, seed);
    const std::string before = ir::print(*f);
    PipelineOptions options;
    options.verify = true;
    options.dump = [&](std::string_view pass, const ir::Function& after) {
      ASSERT_EQ(run_kernel(after, seed), expected) << "seed " << seed << ", after " << pass << "\n"
                                                   << before << "\n"
                                                   << ir::print(after);
    };
    run_pipeline(*f, options);
    if (HasFatalFailure()) return;
  }
}

size_t stores(const ir::Block& block) {
  size_t count = 0;
  ir::for_each_inst(block, [&](const ir::Inst& i) { count += i.op == ir::Op::Store; });
  return count;
}

// Its own cases: the pipeline of threads that are no lanes has none of it.
TEST(RandomKernels, StoresAfterIfsKeepEveryBit) {
  size_t fewer = 0;
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto f = random_kernel(seed);
    dce(*f);
    const Outcome expected = run_kernel(*f, seed);
    const size_t before = stores(f->body);
    const std::string text = ir::print(*f);
    sink_stores(*f);
    fewer += before - stores(f->body);
    cse(*f);
    dce(*f);
    ASSERT_EQ(ir::verify(*f), std::vector<std::string>()) << text;
    ASSERT_EQ(run_kernel(*f, seed), expected) << seed << "\n" << text << "\n" << ir::print(*f);
  }
  EXPECT_GT(fewer, kernels() / 20);
}

// What is contracted is decided by contract_fma alone: from there on no bit changes.
TEST(RandomKernels, NothingAfterContractionChangesABit) {
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto f = random_kernel(seed);
    Outcome expected;
    bool contracted = false;
    PipelineOptions options;
    options.dump = [&](std::string_view pass, const ir::Function& after) {
      if (contracted) {
        ASSERT_EQ(run_kernel(after, seed), expected) << seed << " " << pass;
      } else if (pass == "contract_fma") {
        contracted = true;
        expected = run_kernel(after, seed);
      }
    };
    run_pipeline(*f, options);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace cuda_device::passes
