// Calls of which nothing is known, anywhere in random programs: every target makes those that the
// interpreter makes, thread by thread, and sees what they leave in memory.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ir/visitor.h"
#include "passes/pipeline.h"
#include "unit/analysis/random_program.h"
#include "unit/codegen/array_compare.h"
#include "unit/codegen/host_run.h"
#include "unit/codegen/nvptx_assembled.h"
#include "unit/codegen/nvptx_on_cpu.h"

namespace cuda_device::codegen::test {
namespace {

using analysis::testing::RandomOptions;
using analysis::testing::RandomProgram;
using Calls = ir::OpaqueTrace::Calls;

uint64_t number_of(const char* variable, uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

uint64_t programs() { return number_of("CUDA_DEVICE_FUZZ_SEEDS", 10); }

TestArguments arguments_of(const RandomProgram& p) {
  std::vector<int32_t> input;
  for (int64_t i = 0; i < RandomProgram::kInput; ++i)
    input.push_back(static_cast<int32_t>(i * 7 - 100));
  int64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) threads *= p.grid.grid[axis] * p.grid.block[axis];
  return {TestArray::of(ScalarKind::I32, input),
          TestArray::of_bytes(ScalarKind::I64, {threads, RandomProgram::kResults}), int64_t{5}};
}

// Changes an element of the thread's row.
ir::OpaqueTrace trace_of(TestArguments& arguments) {
  auto* results = reinterpret_cast<int64_t*>(arguments[1].array.data());
  return ir::OpaqueTrace([results](int64_t thread, int64_t number) {
    results[thread * RandomProgram::kResults + number % 4] += number;
  });
}

struct Made {
  TestArguments arguments;
  Calls calls;
};

template <class Execute>
Made made_by(const RandomProgram& p, Execute&& execute) {
  Made made{arguments_of(p), {}};
  ir::OpaqueTrace trace = trace_of(made.arguments);
  execute(made.arguments, trace);
  made.calls = trace.calls();
  return made;
}

void expect_same(const Made& made, const Made& expected) {
  EXPECT_EQ(made.calls, expected.calls);
  const auto difference = first_difference(made.arguments[1].array, expected.arguments[1].array);
  EXPECT_FALSE(difference) << *difference;
}

Made interpreted(const RandomProgram& p) {
  return made_by(p, [&](TestArguments& arguments, ir::OpaqueTrace& trace) {
    interpret(*p.function, arguments, p.grid, &trace);
  });
}

// A long run takes the two forms that matter; others all. Passes have asked the analysis which
// control around barriers is the block's, so code for it needs one.
std::vector<Way> ways(bool many, bool barriers) {
  std::vector<Way> all = all_ways();
  if (barriers) std::erase_if(all, [](const Way& way) { return !way.analysed; });
  if (many)
    std::erase_if(all, [](const Way& way) {
      return way.form == MaskForm::Sse4 || !way.analysed || way.width != 32 ||
             std::string_view(way.tune) != Way::kTune;
    });
  return all;
}

// Each program through the passes of these options, then compiled in each of the ways.
void expect_same_in(const std::vector<Way>& ways, RandomOptions what,
                    const passes::PipelineOptions& options) {
  const uint64_t first = number_of("CUDA_DEVICE_FUZZ_FIRST", 0), count = programs();
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram p = analysis::testing::random_program(seed, what);
    const Made expected = interpreted(p);
    passes::run_pipeline(*p.function, options);
    for (const Way& way : ways) {
      SCOPED_TRACE(way.name());
      expect_same(
          made_by(p,
                  [&](TestArguments& arguments, ir::OpaqueTrace& trace) {
                    LoadedImage(compile_way(*p.function, way)).run(arguments, p.grid, &trace);
                  }),
          expected);
    }
    if (testing::Test::HasFailure()) {
      std::fputs(ir::print(*p.function).c_str(), stderr);
      break;
    }
  }
}

void expect_host_same(RandomOptions what) {
  passes::PipelineOptions options;
  options.lanes = passes::Lanes();
  options.own_math = true;
  expect_same_in(ways(programs() > 100, what.barriers), what, options);
}

void expect_threads_same(RandomOptions what) {
  passes::PipelineOptions options;
  options.own_math = true;
  expect_same_in({{.threads = true}}, what, options);
}

TEST(OpaqueCalls, HostMakesThoseOfTheInterpreter) { expect_host_same({.opaque = true}); }
TEST(OpaqueCalls, HostMakesThoseOfTheInterpreterBetweenBarriers) {
  expect_host_same({.opaque = true, .barriers = true});
}
TEST(OpaqueCalls, ThreadsOfTheHostMakeThoseOfTheInterpreter) {
  expect_threads_same({.opaque = true});
}
TEST(OpaqueCalls, ThreadsOfTheHostMakeThoseOfTheInterpreterBetweenBarriers) {
  expect_threads_same({.opaque = true, .barriers = true});
}

TEST(OpaqueCalls, ScalarCodeMakesThoseOfTheInterpreter) {
  for (uint64_t seed = 0; seed < programs(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram p = analysis::testing::random_program(seed, {.opaque = true});
    const Made expected = interpreted(p);
    passes::run_pipeline(*p.function, {});
    for (const bool optimised : {false, true})
      expect_same(made_by(p,
                          [&](TestArguments& arguments, ir::OpaqueTrace& trace) {
                            LoadedImage(compile_scalar_for_cpu(*p.function, optimised))
                                .run(arguments, p.grid, &trace);
                          }),
                  expected);
    if (testing::Test::HasFailure()) return;
  }
}

// An array without stores, so that loads of it might be made once for all.
constexpr char kChangedByCalls[] = R"(kernel "k"
launch block 32 1 1
param @0 "a": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "out": array<int64, 2> unit_inner contiguous element_aligned fits_31 no_alias
{
  %a = param @0 : array<int32, 1>
  %out = param @1 : array<int64, 2>
  %i = tid #0 : int32
  %zero = const 0 : int32
  %one = const 1 : int32
  %before = load %a, %i : int32
  %call = opaque 5, %i : int32
  %after = load %a, %i : int32
  %x = convert %before : int64
  %y = convert %after : int64
  store %out, %i, %zero, %x
  store %out, %i, %one, %y
}
)";

TEST(OpaqueCalls, ChangeArraysThatNobodyStoresTo) {
  const auto f = ir::parse(kChangedByCalls);
  const ir::Grid grid{{1, 1, 1}, {32, 1, 1}};
  const auto run = [&](auto&& execute) {
    TestArguments arguments = {TestArray::of_bytes(ScalarKind::I32, {32}),
                               TestArray::of_bytes(ScalarKind::I64, {32, 2})};
    auto* a = reinterpret_cast<int32_t*>(arguments[0].array.data());
    ir::OpaqueTrace trace([a](int64_t thread, int64_t) { a[thread] = 100 + int32_t(thread); });
    execute(arguments, trace);
    return arguments[1].array.values<int64_t>();
  };
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 32; ++i) expected.insert(expected.end(), {0, 100 + i});
  for (const Way& way : all_ways())
    EXPECT_EQ(run([&](TestArguments& arguments, ir::OpaqueTrace& trace) {
                LoadedImage(compile_way(*f, way)).run(arguments, grid, &trace);
              }),
              expected)
        << way.name();
  EXPECT_EQ(run([&](TestArguments& arguments, ir::OpaqueTrace& trace) {
              LoadedImage(compile_scalar_for_cpu(*f, true)).run(arguments, grid, &trace);
            }),
            expected);
  EXPECT_EQ(ptx_of(*f, 90).find("ld.global.nc"), std::string::npos);
}

size_t calls_in(const ir::Function& f) {
  size_t count = 0;
  ir::for_each_inst(f.body, [&](const ir::Inst& i) { count += i.op == ir::Op::Opaque; });
  return count;
}

size_t calls_in(const std::string& ptx) {
  size_t count = 0;
  for (size_t at = ptx.find("cd_opaque, "); at != std::string::npos;
       at = ptx.find("cd_opaque, ", at + 1))
    ++count;
  return count;
}

// PTX has each that its IR has, once; but for those that LLVM proves unreachable.
TEST(OpaqueCalls, PtxHasEachOnce) {
  size_t in_ir = 0, in_ptx = 0;
  for (uint64_t seed = 0; seed < programs(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomOptions what = {.opaque = true, .barriers = seed % 2 == 1};
    const RandomProgram p = analysis::testing::random_program(seed, what);
    const Made expected = interpreted(p);
    std::map<int64_t, bool> made;
    for (const auto& [thread, calls] : expected.calls)
      for (const ir::OpaqueTrace::Call& call : calls) made[call.identity] = true;
    passes::run_pipeline(*p.function, {});
    const size_t before = calls_in(*p.function), after = calls_in(ptx_of(*p.function, 90));
    EXPECT_LE(after, before);
    EXPECT_GE(after, made.size());
    in_ir += before;
    in_ptx += after;
  }
  EXPECT_GT(in_ptx, in_ir * 3 / 4);
}

}  // namespace
}  // namespace cuda_device::codegen::test
