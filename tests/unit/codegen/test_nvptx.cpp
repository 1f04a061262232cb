// PTX: every operation and form of control assembles for every architecture; spot checks of the
// text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "support/diagnostic.h"
#include "unit/codegen/long_tests.h"
#include "unit/codegen/nvptx_assembled.h"
#include "unit/codegen/op_cases.h"
#include "unit/ir/every_op.h"

namespace cuda_device::codegen::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const char kTriad[] = R"(kernel "triad"
launch block 256 1 1 grid_fits_31
param @0 "a": array<float32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "b": array<float32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @2 "c": array<float32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @3 "s": float32
{
  %0 = tid #0 : int32
  %1 = param @0 : array<float32, 1>
  %2 = extent #0, %1 : int64
  %3 = convert %0 : int64
  %4 = lt %3, %2 : bool
  if %4 {
    %5 = param @1 : array<float32, 1>
    %6 = param @2 : array<float32, 1>
    %7 = param @3 : float32
    %8 = load %5, %3 : float32
    %9 = load %6, %3 : float32
    %10 = fma %7, %9, %8 : float32
    store %1, %3, %10
  }
}
)";

TEST(Ptx, TriadIsWhatOneWouldWrite) {
  const std::string ptx = ptx_of(kTriad);
  EXPECT_THAT(ptx, HasSubstr(".version 9.0"));
  EXPECT_THAT(ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(ptx, HasSubstr(".entry triad("));
  EXPECT_THAT(ptx, HasSubstr(".reqntid 256, 1, 1"));
  EXPECT_THAT(ptx, HasSubstr("ld.global.nc.b32"));
  EXPECT_THAT(ptx, HasSubstr("st.global.b32"));
  EXPECT_THAT(ptx, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("mul.wide")) << "the byte offset comes from 32 bits";
  EXPECT_THAT(ptx, Not(HasSubstr("mul.lo.s64"))) << ptx;
  EXPECT_THAT(ptx, Not(HasSubstr("setp.lt.s64"))) << "extents fit 31 bits";
  CD_NEED_PTXAS();
  const Usage usage = expect_assembles(kTriad);
  EXPECT_LE(usage.registers, 16);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(Ptx, NothingIsAssumedWithoutFacts) {
  std::string text =
      replaced(kTriad, " unit_inner contiguous element_aligned fits_31 no_alias", "");
  text = replaced(text, "launch block 256 1 1 grid_fits_31\n", "");
  const std::string ptx = ptx_of(text);
  EXPECT_THAT(ptx, Not(HasSubstr("ld.global.nc"))) << "arrays may overlap";
  EXPECT_THAT(ptx, HasSubstr("ld.global.b8")) << "elements may lie anywhere";
  EXPECT_THAT(ptx, Not(HasSubstr("reqntid")));
  EXPECT_THAT(ptx, HasSubstr("%ntid.x"));
  CD_NEED_PTXAS();
  expect_assembles(text);
}

TEST(Ptx, WrittenArraysAreNotReadThroughTheConstantPath) {
  const std::string ptx = ptx_of(replaced(kTriad, "param @1 : array", "param @0 : array"));
  EXPECT_THAT(ptx, HasSubstr("ld.global.b32"));
}

TEST(Ptx, ProductsAndSumsAreFusedByOurPassAlone) {
  const std::string text = replaced(kTriad, "%10 = fma %7, %9, %8 : float32",
                                    "%11 = mul %7, %9 : float32\n    %10 = add %11, %8 : float32");
  const std::string ptx = ptx_of(text);
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
}

// Offsets in a contiguous array are never negative, whatever its strides' type.
TEST(Ptx, OffsetsOfContiguousArraysAreMultipliedWide) {
  const std::string facts = " unit_inner contiguous element_aligned fits_31 no_alias";
  const std::string text = R"(kernel "copy"
launch block 32 8 1 grid_fits_31
param @0 "a": array<float32, 2>)" +
                           facts + R"(
param @1 "b": array<float32, 2>)" +
                           facts + R"(
{
  %0 = param @0 : array<float32, 2>
  %1 = param @1 : array<float32, 2>
  %2 = tid #0 : int32
  %3 = tid #1 : int32
  %4 = convert %2 : int64
  %5 = convert %3 : int64
  %6 = load %1, %5, %4 : float32
  store %0, %5, %4, %6
}
)";
  const std::string ptx = ptx_of(text);
  EXPECT_THAT(ptx, HasSubstr("mul.wide.u32"));
  EXPECT_THAT(ptx, Not(HasSubstr(".lo.s64"))) << ptx;
  EXPECT_THAT(ptx_of(replaced(text, " contiguous", "")), HasSubstr(".lo.s64"))
      << "strides may be negative";
}

std::string unary(const std::string& op, const std::string& type) {
  return "kernel \"k\"\nparam @0 \"a\": array<" + type + ", 1> element_aligned\n{\n" +
         "  %0 = param @0 : array<" + type +
         ", 1>\n  %1 = const 0 : int64\n  %2 = load %0, %1 : " + type + "\n  %3 = " + op +
         "\n  store %0, %1, %3\n}\n";
}

TEST(Ptx, RoundsCorrectly) {
  EXPECT_THAT(ptx_of(unary("sqrt %2 : float32", "float32")), HasSubstr("sqrt.rn.f32"));
  EXPECT_THAT(ptx_of(unary("sqrt %2 : float64", "float64")), HasSubstr("sqrt.rn.f64"));
  EXPECT_THAT(ptx_of(unary("div %2, %2 : float32", "float32")), HasSubstr("div.rn.f32"));
  EXPECT_THAT(ptx_of(unary("div %2, %2 : float64", "float64")), HasSubstr("div.rn.f64"));
  EXPECT_THAT(ptx_of(unary("rint %2 : float32", "float32")), HasSubstr("cvt.rni.f32.f32"));
}

// From the first to the second, as elements of arrays.
std::string conversion(const std::string& from, const std::string& to) {
  const auto array = [](const std::string& type) { return "array<" + type + ", 1>"; };
  return "kernel \"k\"\nparam @0 \"a\": " + array(from) +
         " element_aligned\nparam @1 \"b\": " + array(to) +
         " element_aligned\n{\n  %0 = param @0 : " + array(from) +
         "\n  %1 = param @1 : " + array(to) +
         "\n  %2 = const 0 : int64\n  %3 = load %0, %2 : " + from + "\n  %4 = convert %3 : " + to +
         "\n  store %1, %2, %4\n}\n";
}

TEST(Ptx, SmallFloatsAreConvertedByInstructions) {
  const auto ptx = [](const char* from, const char* to, int sm) {
    return ptx_of(conversion(from, to), sm);
  };
  EXPECT_THAT(ptx("float32", "float16", 75), HasSubstr("cvt.rn.f16.f32"));
  EXPECT_THAT(ptx("float64", "float16", 75), HasSubstr("cvt.rn.f16.f64"));
  EXPECT_THAT(ptx("int64", "float16", 75), HasSubstr("cvt.rn.f16.s64"));
  EXPECT_THAT(ptx("float16", "float32", 75), HasSubstr("cvt.f32.f16"));
  EXPECT_THAT(ptx("float32", "bfloat16", 80), HasSubstr("cvt.rn.bf16.f32"));
  EXPECT_THAT(ptx("float32", "float8e4m3", 89), HasSubstr("cvt.rn.satfinite.e4m3x2.f32"));
  EXPECT_THAT(ptx("float32", "float8e5m2", 90), HasSubstr("cvt.rn.satfinite.e5m2x2.f32"));
  EXPECT_THAT(ptx("float8e4m3", "float32", 90), HasSubstr("cvt.rn.f16x2.e4m3x2"));
  EXPECT_THAT(ptx("float32", "bfloat16", 75), Not(HasSubstr("bf16")));
  EXPECT_THAT(ptx("float32", "float8e4m3", 86), Not(HasSubstr("e4m3")));
}

TEST(Ptx, FastMathIsAsked) {
  const auto flushing = [](const std::string& text) {
    return replaced(text, "kernel \"k\"\n", "kernel \"k\"\noptions fmad flush_subnormals\n");
  };
  const std::string exact = unary("div %2, %2 : float32", "float32");
  const std::string estimate = unary("div_estimate %2, %2 : float32", "float32");
  EXPECT_THAT(ptx_of(exact), Not(HasSubstr("ftz")));
  EXPECT_THAT(ptx_of(flushing(exact)), HasSubstr("div.rn.ftz.f32"));
  EXPECT_THAT(ptx_of(estimate), HasSubstr("div.full.f32"));
  EXPECT_THAT(ptx_of(flushing(estimate)), HasSubstr("div.approx.ftz.f32"));
}

// `body` with an array of float32, the thread's index %i, and arrays of the kernel's own.
std::string block_kernel(const std::string& body) {
  return R"(kernel "dynamic_shared"
launch block 64 1 1
param @0 "a": array<float32, 1> unit_inner contiguous element_aligned fits_31 no_alias
array &0 "tile": array<float32, 2, shared> shape 4 16 strides 64 4 align 32
array &1 "own": array<float32, 1, local> shape 8 strides 4 align 4
{
  %a = param @0 : array<float32, 1>
  %tile = array &0 : array<float32, 2, shared>
  %own = array &1 : array<float32, 1, local>
  %dynamic = dynamic_shared : array<uint8, 1, shared>
  %0 = const 0 : int32
  %1 = const 1 : int32
  %3 = const 3 : int32
  %t = thread_idx #0 : uint32
  %i = convert %t : int32
)" + body +
         "}\n";
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Ptx, SharedArraysLieInSharedMemory) {
  const std::string ptx = ptx_of(block_kernel(R"(
  %x = load %a, %i : float32
  store %tile, %3, %0, %x
  %y = load %tile, %3, %1 : float32
  store %a, %i, %y
)"));
  EXPECT_THAT(ptx, HasSubstr(".shared .align 32 .b8 shared$0[256];"));
  EXPECT_THAT(ptx, HasSubstr("st.shared.b32"));
  EXPECT_THAT(ptx, HasSubstr("ld.shared.b32"));
  EXPECT_THAT(ptx, Not(HasSubstr(".local")));
  EXPECT_THAT(ptx, Not(HasSubstr("dynamic$shared[]")));
  EXPECT_EQ(compile_ptx(*ir::parse(block_kernel("")), {}).static_shared, 256u);
}

TEST(Ptx, DynamicSharedMemoryIsExternal) {
  const std::string ptx = ptx_of(block_kernel(R"(
  %l4 = const 4 : int64
  %l16 = const 16 : int64
  %v = view %dynamic, %l16, %l16, %l4 : array<float32, 1, shared>
  %x = load %v, %i : float32
  %n = extent #0, %dynamic : int64
  %f = convert %n : float32
  %s = add %x, %f : float32
  store %a, %i, %s
)"));
  EXPECT_THAT(ptx, HasSubstr(".extern .shared .align 16 .b8 dynamic$shared[];"));
  EXPECT_THAT(ptx, HasSubstr("%dynamic_smem_size"));
  EXPECT_THAT(ptx, HasSubstr("ld.shared.b32"));
}

TEST(Ptx, LocalArraysAreRegistersWhereTheirIndicesAreConstant) {
  const std::string constant = ptx_of(block_kernel(R"(
  %x = load %a, %i : float32
  store %own, %3, %x
  barrier
  %y = load %own, %3 : float32
  store %a, %i, %y
)"));
  EXPECT_THAT(constant, Not(HasSubstr(".local")));
  const std::string computed = ptx_of(block_kernel(R"(
  %x = load %a, %i : float32
  store %own, %3, %x
  %seven = const 7 : int32
  %k = and %i, %seven : int32
  %y = load %own, %k : float32
  store %a, %i, %y
)"));
  EXPECT_THAT(computed, HasSubstr("ld.local.b32"));
}

TEST(Ptx, AddressesOfSharedMemoryHave32Bits) {
  const std::string ptx = ptx_of(block_kernel(R"(
  %x = load %a, %i : float32
  %j = and %i, %3 : int32
  store %tile, %j, %0, %x
  barrier
  %y = load %tile, %0, %j : float32
  store %a, %i, %y
)"));
  EXPECT_THAT(ptx, ContainsRegex("st\\.shared\\.b32[^;]*\\[%r[0-9]"));
  EXPECT_THAT(ptx, ContainsRegex("ld\\.shared\\.b32[^;]*\\[%r[0-9]"));
}

// Counters of 64 bits that hold no more than 32, loops of constant length and of others.
TEST(Ptx, LoopsAreUnrolled) {
  const std::string sum = R"( {
    %k = slot_load $0 : int64
    %x = load %a, %k : float32
    %s = slot_load $1 : float32
    %t2 = fma %s, %x, %x : float32
    slot_store $1, %t2
  }
  %r = slot_load $1 : float32
  store %a, %i, %r
)";
  const std::string begin = "%l0 = const 0 : int64\n%l4 = const 4 : int64\n%l1 = const 1 : int64\n";
  const auto kernel = [&](const std::string& loop) {
    return replaced(block_kernel(begin + loop + sum), "array &0 \"tile\"",
                    "slot $0 \"k\": int64\nslot $1 \"s\": float32\narray &0 \"tile\"");
  };
  const std::string four = ptx_of(kernel("for $0, %l0, %l4, %l1"));
  EXPECT_EQ(count(four, "fma.rn"), 4u);
  EXPECT_THAT(four, Not(HasSubstr("bra")));
  const std::string any = ptx_of(kernel("%n = extent #0, %a : int64\nfor $0, %l0, %n, %l4"));
  EXPECT_GT(count(any, "fma.rn"), 1u);
  EXPECT_THAT(any, Not(ContainsRegex("setp[.a-z]*64"))) << any;
}

TEST(Ptx, NoLoadMovesAcrossABarrier) {
  const std::string twice = "%x = load %a, %0 : float32\n%y = load %tile, %0, %0 : float32\n";
  const std::string again = "%z = load %a, %0 : float32\n%w = load %tile, %0, %0 : float32\n";
  const std::string sum =
      "%p = add %x, %y : float32\n%q = add %z, %w : float32\n"
      "%r = add %p, %q : float32\nstore %a, %i, %r\n";
  const std::string apart = ptx_of(block_kernel(twice + "barrier\n" + again + sum));
  EXPECT_EQ(count(apart, "ld.global"), 2u);
  EXPECT_EQ(count(apart, "ld.shared"), 2u);
  const std::string together = ptx_of(block_kernel(twice + again + sum));
  EXPECT_EQ(count(together, "ld.global"), 1u);
  EXPECT_EQ(count(together, "ld.shared"), 1u);
}

TEST(Ptx, BarriersInLoopsStayWhereTheyAre) {
  const std::string ptx = ptx_of(R"(kernel "k"
param @0 "n": int32
param @1 "end": int32
slot $0 "k": int32
{
  %n = param @0 : int32
  %0 = const 0 : int32
  %1 = const 1 : int32
  %end = param @1 : int32
  for $0, %0, %n, %1 {
    barrier
    %k = slot_load $0 : int32
    %last = eq %k, %end : bool
    if %last {
      break
    }
    barrier
  }
}
)");
  EXPECT_EQ(count(ptx, "bar.sync"), 2u);
}

std::string looks(const std::string& spec) {
  return ptx_of(R"(kernel "k"
param @0 "a": array<int32, 1>
{
  %a = param @0 : array<int32, 1>
  %0 = const 0 : int32
  while {
    %x = atomic_load )" +
                    spec + R"(, %a, %0 : int32
    %same = eq %x, %0 : bool
    yield %same
  } do {
  }
}
)",
                75);
}

TEST(Ptx, WaitsSleepBetweenLooks) {
  const std::string waits = looks("exch.acquire.device.waits");
  EXPECT_THAT(waits, HasSubstr("ld.acquire.gpu"));
  EXPECT_EQ(count(waits, "nanosleep.u32"), 1u) << waits;
  EXPECT_EQ(count(waits, "%globaltimer"), 1u) << waits;
  const std::string spins = looks("exch.acquire.device");
  EXPECT_THAT(spins, HasSubstr("ld.acquire.gpu"));
  EXPECT_THAT(spins, Not(HasSubstr("nanosleep")));
  CD_NEED_PTXAS();
  EXPECT_TRUE(cuda::assemble(waits, 75).ok) << waits;
}

const char kReports[] = R"(kernel "reports"
param @0 "a": array<float32, 1>
array &0 "tile": array<float32, 1, shared> shape 64 strides 4 align 4
failure ~0 "ValueError" "of raise" function 0 line 1
format ~0 "{} {:+08.3f} 5% \x5c{{:x}\x5c} {} {:<6}\x0a" bool float32 int8 float64 uint16
{
  %a = param @0 : array<float32, 1>
  %tile = array &0 : array<float32, 1, shared>
  %i = thread_idx #0 : uint32
  %x = load %a, %i : float32
  store %tile, %i, %x
  barrier
  %y = load %tile, %i : float32
  %fine = lt %x, %y : bool
  check ~0, %fine
  barrier
  %b = convert %x : int8
  %d = convert %x : float64
  %u = convert %x : uint16
  if %fine {
    print ~0, %fine, %x, %b, %d, %u
  }
  store %a, %i, %y
})";

// Its characters as the text of PTX has them.
std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (const char c : text)
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(static_cast<unsigned char>(c));
  return bytes;
}

TEST(Ptx, ReportsAreCudas) {
  const std::string ptx = ptx_of(kReports);
  EXPECT_THAT(ptx, HasSubstr("\ttrap;"));
  EXPECT_THAT(ptx, HasSubstr(bytes_of("%s %+08.3f 5%% {%llx} %.17g %-6llu\n")));
  EXPECT_THAT(ptx, HasSubstr(bytes_of("True")));
  EXPECT_THAT(ptx, HasSubstr("vprintf, "));
  EXPECT_THAT(ptx, Not(HasSubstr("exit;"))) << "who comes to a trap is not cut off from barriers";
  CD_NEED_PTXAS();
  expect_assembles(kReports);
}

TEST(Ptx, EveryOperationAssembles) {
  CD_NEED_PTXAS();
  for (ir::Op op : ir::all_ops()) {
    if (op == ir::Op::Opaque) continue;  // what it calls is not there
    SCOPED_TRACE(std::string(ir::info(op).text));
    const auto f = ir::function_with(op);
    ASSERT_EQ(ir::verify(*f), std::vector<std::string>{});
    const std::string ptx = ptx_of(*f, 75);
    EXPECT_TRUE(cuda::assemble(ptx, 75).ok) << ptx;
  }
}

TEST(Ptx, EveryOperationOnEveryTypeAssemblesEverywhere) {
  CD_NEED_PTXAS();
  for (ScalarKind kind : sampled_kinds()) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const OpCases cases = op_cases_of(kind, [](ir::Op) { return true; });
    const Usage usage = expect_assembles(*kernel_of(cases, OperandShape::Varying));
    std::cout << name_of(kind) << ": " << usage.registers << " registers, " << usage.spilled_bytes
              << " bytes spilled, " << usage.stack_bytes << " bytes of stack\n";
  }
}

TEST(Ptx, FunctionsOfLibdeviceNeedIt) {
  const auto f = ir::parse(unary("sin %2 : float32", "float32"));
  PtxOptions options;
  options.libdevice = "/nonexistent/libdevice.10.bc";
  try {
    compile_ptx(*f, options);
    FAIL() << "no error";
  } catch (const DiagnosticError& e) {
    EXPECT_EQ(
        message_of(e.diagnostics.at(0)),
        "the kernel calls '__nv_sinf' of NVIDIA's libdevice, which was not found (looked for: "
        "/nonexistent/libdevice.10.bc)");
    EXPECT_THAT(hint_of(e.diagnostics.at(0)), HasSubstr("nvidia-nvvm"));
  }
  const auto plain = ir::parse(unary("sqrt %2 : float32", "float32"));
  EXPECT_NO_THROW(compile_ptx(*plain, options));
}

TEST(Ptx, LibdeviceIsInlinedAndAsked) {
  if (cuda::find_libdevice().empty()) GTEST_SKIP() << "waits for libdevice";
  const std::string ptx = ptx_of(unary("exp %2 : float32", "float32"));
  EXPECT_THAT(ptx, HasSubstr("ex2.approx"));
  EXPECT_THAT(ptx, Not(HasSubstr("__nv_")));
  EXPECT_THAT(ptx, Not(HasSubstr("nvvm_reflect")));
  EXPECT_THAT(ptx, Not(HasSubstr(".visible .func")));
}

TEST(Ptx, VersionIsTheLowerOfDriverAndCompiler) {
  const auto f = ir::parse(kTriad);
  PtxOptions options;
  options.sm = 80;
  options.ptx_version = 79;
  std::string text;
  Listing listing;
  listing.assembly = &text;
  compile_ptx(*f, options, listing);
  EXPECT_THAT(text, HasSubstr(".version 7.8"));
  options.ptx_version = 95;
  compile_ptx(*f, options, listing);
  EXPECT_THAT(text, HasSubstr(".version 9.0"));
  options.sm = 120;
  options.ptx_version = 84;
  EXPECT_THROW(compile_ptx(*f, options), DiagnosticError);
}

TEST(Ptx, NamesBecomeSymbols) {
  const auto f = ir::parse("kernel \"9 größe.<locals>\"\n{\n}\n");
  const abi::KernelImage image = compile_ptx(*f, {});
  EXPECT_EQ(image.entry_name, "_9_gr____e__locals_");
  EXPECT_EQ(image.name, "9 größe.<locals>");
  EXPECT_EQ(image.target, "sm_90");
  EXPECT_EQ(image.code.back(), 0);
}

TEST(Ptx, ParametersHaveTheLayoutOfTheAbi) {
  const auto f = ir::parse(
      "kernel \"k\"\nparam @0 \"b\": bool\nparam @1 \"a\": array<int8, 2>\nparam @2 \"x\": "
      "float64\nparam @3 \"z\": array<int8, 0>\n{\n}\n");
  const abi::KernelImage image = compile_ptx(*f, {});
  const std::string ptx(image.code.begin(), image.code.end() - 1);
  EXPECT_THAT(ptx, HasSubstr(".param .u8 k_param_0"));
  EXPECT_THAT(ptx, HasSubstr(".param .align 8 .b8 k_param_1[40]"));
  EXPECT_THAT(ptx, HasSubstr(".param .f64 k_param_2"));
  EXPECT_THAT(ptx, HasSubstr(".param .align 8 .b8 k_param_3[8]"));
  EXPECT_EQ(image.params.slots.at(1).size, 40u);
  EXPECT_EQ(image.params.slots.at(1).offset, 8u);
}

}  // namespace
}  // namespace cuda_device::codegen::test
