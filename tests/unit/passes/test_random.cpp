// Passes keep what kernels do: random kernels, run by the interpreter before and after.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/memory/sink_stores.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "passes/simplify/contract_fma.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "random_kernel.h"
#include "unit/analysis/random_program.h"

namespace cuda_device::passes {
namespace {

using analysis::testing::RandomOptions;
using analysis::testing::RandomProgram;

uint64_t kernels() {
  const char* wanted = std::getenv("CUDA_DEVICE_FUZZ_SEEDS");
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

// Passes for lanes too. expand_math rounds in its own way (docs/math.md): passes after it keep the
// bits that it gives.
TEST(RandomKernels, EveryPassButExpandMathKeepsEveryBit) {
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto f = random_kernel(seed);
    f->options.fmad = false;
    Outcome expected = run_kernel(*f, seed);
    const std::string before = ir::print(*f);
    PipelineOptions options;
    options.verify = true;
    options.lanes = Lanes();
    options.own_math = true;
    options.dump = [&](std::string_view pass, const ir::Function& after) {
      if (pass == "expand_math") expected = run_kernel(after, seed);
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

// sink_stores alone, so that it is known to have found stores.
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
    EXPECT_TRUE(contracted) << "no pass contract_fma";
  }
}

// ---- assertions ----

// Makes x * x + x of some floats x, and puts assertions that hold of the products: p < p, or not.
class AssertedProducts {
 public:
  AssertedProducts(ir::Function& f, uint64_t seed) : f_(f), random_(seed) {
    f.failures = {{.raises = "AssertionError", .message = {}, .assertion = true}};
    block(f.body);
  }
  size_t made() const { return made_; }

 private:
  void block(ir::Block& b) {
    ir::Block rebuilt;
    ir::Builder build(f_, rebuilt);
    for (ir::Inst* inst : b.insts) {
      sums_.update_operands(*inst);
      for (ir::Block& region : inst->regions) block(region);
      rebuilt.insts.push_back(inst);
      if (inst->type.is_float() && !inst->type.is_stored() && random_() % 2) asserted(build, *inst);
    }
    b.insts = std::move(rebuilt.insts);
  }

  void asserted(ir::Builder& build, ir::Inst& x) {
    ir::Inst* product = build.op(ir::Op::Mul, {&x, &x});
    ir::Inst* less = build.op(ir::Op::Lt, {product, product});
    build.op(ir::Op::Check, {build.op(ir::Op::Or, {less, build.op(ir::Op::Not, {less})})});
    sums_.replace(x, build.op(ir::Op::Add, {product, &x}));
    ++made_;
  }

  ir::Function& f_;
  std::mt19937_64 random_;
  Replacements sums_;
  size_t made_ = 0;
};

// Targets that drop assertions contract the same products and sums as those that make them.
TEST(Assertions, ChangeNoBit) {
  size_t made = 0;
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto with = random_kernel(seed);
    made += AssertedProducts(*with, seed).made();
    const auto without = ir::parse(ir::print(*with));
    PipelineOptions options;
    options.verify = true;
    run_pipeline(*with, options);
    options.drop_assertions = true;
    run_pipeline(*without, options);
    ASSERT_EQ(run_kernel(*with, seed), run_kernel(*without, seed)) << "seed " << seed << "\n"
                                                                   << ir::print(*with) << "\n"
                                                                   << ir::print(*without);
  }
  EXPECT_GT(made, kernels());
}

// ---- calls of which nothing is known ----

TEST(OpaqueCalls, SurviveThePassesOfEveryTarget) {
  size_t made = 0;
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const auto f = random_kernel(seed, Calls::Opaque);
    f->options.fmad = false;
    const Outcome expected = run_kernel(*f, seed);
    for (const auto& [thread, calls] : expected.calls) made += calls.size();
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
  EXPECT_GT(made, 5 * kernels());
}

struct Run {
  std::vector<int64_t> results;
  ir::OpaqueTrace::Calls calls;
  friend bool operator==(const Run&, const Run&) = default;
};

Run run_program(const ir::Function& f, const ir::Grid& grid) {
  Run run;
  size_t threads = 1;
  for (size_t axis = 0; axis < 3; ++axis) threads *= grid.grid[axis] * grid.block[axis];
  std::vector<int32_t> input(RandomProgram::kInput);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<int32_t>(i * 7) - 100;
  run.results.resize(threads * RandomProgram::kResults);
  ir::OpaqueTrace trace([&](int64_t thread, int64_t number) {
    run.results[static_cast<size_t>(thread * RandomProgram::kResults + number % 4)] += number;
  });
  std::vector<ir::Argument> arguments(3);
  arguments[0].array = {reinterpret_cast<char*>(input.data()), {RandomProgram::kInput}, {4}};
  arguments[1].array = {reinterpret_cast<char*>(run.results.data()),
                        {static_cast<int64_t>(threads), RandomProgram::kResults},
                        {8 * RandomProgram::kResults, 8}};
  arguments[2].scalar = 5;
  ir::interpret(f, arguments, grid, 1000000, nullptr,
                [&](int64_t identity, std::span<const int64_t> operands) {
                  return trace.call(identity, operands);
                });
  run.calls = trace.calls();
  return run;
}

// Every pass, those of lanes too, keeps each thread's calls: none is lost, made twice, made under
// another condition or moved past another or past an access to memory. Loops around barriers are
// unrolled.
void expect_kept(RandomOptions what) {
  size_t made = 0;
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const RandomProgram p = analysis::testing::random_program(seed, what);
    const std::string before = ir::print(*p.function);
    ASSERT_EQ(ir::verify(*p.function), std::vector<std::string>()) << before;
    const Run expected = run_program(*p.function, p.grid);
    for (const auto& [thread, calls] : expected.calls) made += calls.size();
    PipelineOptions options;
    options.verify = true;
    options.lanes = Lanes();
    options.own_math = true;
    options.dump = [&](std::string_view pass, const ir::Function& after) {
      ASSERT_EQ(run_program(after, p.grid), expected)
          << "seed " << seed << ", after " << pass << "\n"
          << before << "\n"
          << ir::print(after);
    };
    run_pipeline(*p.function, options);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(made, 20 * kernels());
}

// How often each stands in the kernel.
std::map<int64_t, size_t> convergent_calls(const ir::Function& f) {
  std::map<int64_t, size_t> count;
  ir::for_each_inst(f.body, [&](const ir::Inst& i) {
    if (i.op == ir::Op::Opaque && ir::converges(i)) ++count[i.imm];
  });
  return count;
}

// Threads that execute a call together could come to different copies of it. A loop whose
// iterations are the same for all threads may be unrolled.
TEST(OpaqueCalls, ThatConvergeAreNotCopied) {
  size_t calls = 0;
  for (uint64_t seed = 0; seed < kernels(); ++seed) {
    const RandomOptions what = {.opaque = true, .barriers = seed % 2 == 1};
    const RandomProgram p = analysis::testing::random_program(seed, what);
    calls += convergent_calls(*p.function).size();
    PipelineOptions options;
    options.lanes = Lanes();
    options.own_math = true;
    options.tuning = parse_tuning("-unroll_local,-unroll_barrier_loops");
    options.dump = [&](std::string_view pass, const ir::Function& after) {
      for (const auto& [identity, count] : convergent_calls(after))
        ASSERT_EQ(count, 1u) << "call " << identity << ", seed " << seed << ", after " << pass;
    };
    run_pipeline(*p.function, options);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(calls, kernels());
}

TEST(OpaqueCalls, SurviveEveryPass) { expect_kept({.opaque = true}); }
TEST(OpaqueCalls, SurviveEveryPassBetweenBarriers) {
  expect_kept({.opaque = true, .barriers = true});
}

}  // namespace
}  // namespace cuda_device::passes
