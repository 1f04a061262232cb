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

TEST(Ptx, FastMathIsAsked) {
  const std::string text = unary("div %2, %2 : float32", "float32");
  const std::string fast =
      replaced(text, "kernel \"k\"\n", "kernel \"k\"\noptions fmad fastmath\n");
  EXPECT_THAT(ptx_of(text), Not(HasSubstr("ftz")));
  EXPECT_THAT(ptx_of(fast), HasSubstr("div.approx.ftz.f32"));
}

TEST(Ptx, EveryOperationAssembles) {
  CD_NEED_PTXAS();
  for (ir::Op op : ir::all_ops()) {
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
  if (cuda::find_libdevice().empty()) GTEST_SKIP() << "no libdevice here";
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
