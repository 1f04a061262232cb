#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "every_op.h"
#include "ir/visitor.h"

namespace cuda_device::ir {
namespace {

using testing::HasSubstr;

void expect_round_trip(const Function& f) {
  const std::string text = print(f);
  EXPECT_EQ(print(*parse(text)), text);
}

TEST(Text, EveryOpRoundTrips) {
  for (Op op : all_ops()) {
    const auto f = function_with(op);
    EXPECT_THAT(verify(*f), testing::IsEmpty()) << print(*f);
    EXPECT_THAT(print(*f), HasSubstr(std::string(info(op).text)));
    expect_round_trip(*f);
    EXPECT_EQ(verify(*parse(print(*f))), std::vector<std::string>()) << print(*f);
  }
}

constexpr const char* kWhole = R"(kernel "whole"
launch block 32 8 1 grid_fits_31
options flush_subnormals reassociate
bounds max_registers 64 min_blocks 2
param @0 "a": array<float32, 2> unit_inner contiguous aligned element_aligned read_only fits_31 no_alias
param @1 "s": array<int8, 1, shared> fits_31
param @2 "n": int64
slot $0 "i": int32
slot $1 "x": float32
array &0 "tile": array<int8, 2, shared> shape 4 6 strides 8 1 align 16
array &1 "": array<float64, 0, local> shape strides align 8
{
  %0 = const 0 : int32
  %1 = const 10 : int32
  %2 = const 1 : int32
  for $0, %0, %1, %2 {
    %3 = slot_load $0 : int32
    %4 = lt %3, %1 : bool
    if %4 {
      continue
    } else {
      break
    }
  } else {
    return
  }
  while {
    %5 = const true : bool
    yield %5
  } do {
    scope {
      scope {
        leave 1
      }
    }
  } else {
    %6 = param @0 : array<float32, 2>
    %7 = extent #1, %6 : int64
    %8 = load %6, %0, %7 : float32
    store %6, %7, %0, %8
    %9 = array &1 : array<float64, 0, local>
    barrier
  }
}
)";

TEST(Text, PrintsWhatItReads) { EXPECT_EQ(print(*parse(kWhole)), kWhole); }

TEST(Text, LoadsThatWaitSaySo) {
  const std::string text = R"(kernel "waits"
param @0 "a": array<int32, 1>
{
  %0 = param @0 : array<int32, 1>
  %1 = const 0 : int32
  while {
    %2 = atomic_load exch.acquire.device.waits, %0, %1 : int32
    %3 = eq %2, %1 : bool
    yield %3
  } do {
  }
}
)";
  const auto f = parse(text);
  EXPECT_THAT(verify(*f), testing::IsEmpty());
  EXPECT_EQ(print(*f), text);
  expect_round_trip(*f);
}

TEST(Text, FormIsFree) {
  const auto f = parse(
      "kernel \"k\"\nslot $0 \"i\": int32 // a comment\n"
      "{ %a.b = const 3:int32 slot_store $0,%a.b }// end");
  EXPECT_EQ(print(*f),
            "kernel \"k\"\nslot $0 \"i\": int32\n"
            "{\n  %0 = const 3 : int32\n  slot_store $0, %0\n}\n");
}

TEST(Text, TemporariesAreNumberedByOrder) {
  const auto f = parse(
      "kernel \"k\" { %9 = const 1 : int32 %3 = const 2 : int32 "
      "%x = add %3, %9 : int32 }");
  EXPECT_THAT(print(*f), HasSubstr("%2 = add %1, %0 : int32"));
}

TEST(Text, DefaultOptionsAreNotPrinted) {
  Function f;
  EXPECT_EQ(print(f), "kernel \"\"\n{\n}\n");
  f.options.fmad = false;
  EXPECT_EQ(print(f), "kernel \"\"\noptions\n{\n}\n");
  EXPECT_FALSE(parse(print(f))->options.fmad);
  EXPECT_TRUE(parse("kernel \"\" { }")->options.fmad);
}

// Every fact by itself survives: none is printed under another's name.
TEST(Text, EveryFactSurvives) {
  for (size_t i = 0; i < sizeof(ArrayFacts); ++i) {
    Function f;
    f.params.push_back({"a", kTestArray, {}, {}});
    reinterpret_cast<bool*>(&f.params[0].facts)[i] = true;
    EXPECT_EQ(parse(print(f))->params[0].facts, f.params[0].facts) << print(f);
  }
  Function f;
  f.launch = {{1024, 1, 7}, true};
  EXPECT_EQ(parse(print(f))->launch, f.launch);
}

TEST(Text, ContentsOfConstantArraysSurvive) {
  for (const std::string& contents : {std::string(), std::string("\0\xff*a", 4)}) {
    Function f;
    const auto extent = static_cast<int64_t>(contents.size());
    f.arrays.push_back({"t", Type::array(ScalarKind::U8, 1), {extent}, {1}, 16, {}, contents});
    const auto again = parse(print(f));
    EXPECT_TRUE(again->arrays[0].is_constant());
    EXPECT_EQ(again->arrays[0].contents, contents) << print(f);
  }
}

TEST(Text, NamesSurvive) {
  for (const char* name : {"", "größe", "a\"b\\c", "line\nend\t", "λ"}) {
    Function f;
    f.name = name;
    f.slots.push_back({name, kF32});
    f.params.push_back({name, kF32, {}, {}});
    const auto again = parse(print(f));
    EXPECT_EQ(again->name, name);
    EXPECT_EQ(again->slots[0].name, name);
    EXPECT_EQ(again->params[0].name, name);
  }
}

int64_t constant_through_text(Type type, int64_t imm) {
  Function f;
  Builder(f, f.body).typed(Op::Const, type, {}, imm);
  return parse(print(f))->body.insts[0]->imm;
}

TEST(Text, FloatConstantsAreExact) {
  using L = std::numeric_limits<double>;
  for (double x : {0.0, -0.0, 1.0, 0.1, -1.0 / 3, 1e300, 1e-300, L::min(), L::denorm_min(),
                   L::max(), L::infinity(), -L::infinity(), 123456789012345678.0}) {
    for (Type type : {kF32, kF64}) {
      const int64_t bits = float_bits(type.scalar(), x);
      EXPECT_EQ(constant_through_text(type, bits), bits) << x;
    }
  }
}

TEST(Text, NansKeepTheirBits) {
  for (uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0x7fffffffu}) {
    EXPECT_EQ(constant_through_text(kF32, bits), bits);
  }
  for (uint64_t bits : {0x7ff8000000000000u, 0xfff8000000000001u, 0x7ff0000000000001u}) {
    EXPECT_EQ(constant_through_text(kF64, static_cast<int64_t>(bits)), static_cast<int64_t>(bits));
  }
}

TEST(Text, IntegerConstantsAreExact) {
  for (int i = 0; i < kScalarCount; ++i) {
    const auto kind = static_cast<ScalarKind>(i);
    if (is_float(kind)) continue;
    for (int64_t value :
         {int64_t{0}, int64_t{1}, int64_t{-1}, INT64_MIN, INT64_MAX, INT64_MIN >> 31}) {
      const int64_t imm = canonical(kind, value);
      EXPECT_EQ(constant_through_text(Type::of(kind), imm), imm) << name_of(kind);
    }
  }
}

// A malformed constant stays visible (and malformed).
TEST(Text, ConstantsBeyondTheirTypeSurvive) {
  EXPECT_EQ(constant_through_text(Type::of(ScalarKind::I8), 300), 300);
  EXPECT_EQ(constant_through_text(kBool, 2), 2);
  EXPECT_EQ(constant_through_text(kF32, 0x1ffffffff), 0x1ffffffff);
}

TEST(Text, SpansOnRequest) {
  auto f = parse(kWhole);
  const Span span{1, 20, 3, 21, 9};
  f->params[0].span = span;
  for_each_inst(f->body, [&](const Inst& i) { const_cast<Inst&>(i).span = span; });
  EXPECT_EQ(print(*f), kWhole);
  PrintOptions with_spans;
  with_spans.spans = true;
  const std::string text = print(*f, with_spans);
  EXPECT_THAT(text, HasSubstr("%0 = const 0 : int32 !1:20:3-21:9\n"));
  EXPECT_THAT(text, HasSubstr("for $0, %0, %1, %2 !1:20:3-21:9 {\n"));
  const auto again = parse(text);
  EXPECT_EQ(print(*again, with_spans), text);
  EXPECT_EQ(again->params[0].span, span);
  EXPECT_EQ(again->body.insts[0]->span, span);
}

TEST(Text, NotesAreComments) {
  PrintOptions options;
  options.note = [](const Inst& inst) { return std::string(info(inst.op).text) + "!"; };
  const auto f = parse(kWhole);
  const std::string text = print(*f, options);
  EXPECT_THAT(text, HasSubstr("%0 = const 0 : int32  // const!\n"));
  EXPECT_THAT(text, HasSubstr("while {  // while!\n"));
  EXPECT_EQ(print(*parse(text)), kWhole);
}

TEST(Text, InvalidFunctionsCanBePrinted) {
  Function f, other;
  Builder b(f, f.body), elsewhere(other, other.body);
  for (int i = 0; i < 9; ++i) elsewhere.const_int(kI32, i);
  b.typed(Op::Neg, kI32, {other.body.insts[8]});
  b.typed(Op::Neg, kI32, {nullptr});
  EXPECT_THAT(print(f), HasSubstr("%0 = neg %? : int32\n  %1 = neg %? : int32"));
}

struct Bad {
  int line;
  const char* message;
  const char* text;
};

TEST(Text, ErrorsNameTheLine) {
  const Bad bads[] = {
      {1, "expected 'kernel'", "function"},
      {2, "expected '\"'", "kernel\nk"},
      {1, "unfinished name", "kernel \"k\n\" {}"},
      {1, "unknown escape", "kernel \"\\n\" {}"},
      {1, "hexadecimal", "kernel \"\\xg0\" {}"},
      {2, "expected launch, options", "kernel \"k\"\nfoo {}"},
      {2, "unknown fact", "kernel \"k\"\nlaunch fast\n{}"},
      {2, "number too large", "kernel \"k\"\nlaunch block 4294967296 1 1\n{}"},
      {2, "expected a number", "kernel \"k\"\nlaunch block 1x 1 1\n{}"},
      {2, "expected @0", "kernel \"k\"\nparam @1 \"a\": int32\n{}"},
      {2, "expected $0", "kernel \"k\"\nslot $1 \"a\": int32\n{}"},
      {2, "unknown type 'int33'", "kernel \"k\"\nslot $0 \"a\": int33\n{}"},
      {2, "element is a scalar", "kernel \"k\"\nparam @0 \"a\": array<array<int8, 1>, 1>\n{}"},
      {2, "too many dimensions", "kernel \"k\"\nparam @0 \"a\": array<int8, 256>\n{}"},
      {2, "unknown address space", "kernel \"k\"\nparam @0 \"a\": array<int8, 1, far>\n{}"},
      {3, "unknown operation 'plus'", "kernel \"k\"\n{\n%0 = plus : int32 }"},
      {3, "%7 is not defined", "kernel \"k\"\n{\n%0 = neg %7 : int32 }"},
      {4, "%0 is defined twice", "kernel \"k\"\n{%0 = tid #0 : int32\n\n%0 = tid #0 : int32 }"},
      {3, "no constant of type int32", "kernel \"k\"\n{\n%0 = const 1.5 : int32 }"},
      {3, "no constant of type bool", "kernel \"k\"\n{\n%0 = const yes : bool }"},
      {3, "no constant of type float32", "kernel \"k\"\n{\n%0 = const 1e50 : float32 }"},
      {3, "no constant of type array", "kernel \"k\"\n{\n%0 = const 1 : array<int8, 1> }"},
      {3, "is no kind, order and scope",
       "kernel \"k\"\n{\nfence exch.acq_rel.device.waits.waits }"},
      {3, "expected ':'", "kernel \"k\"\n{\n%0 = tid #0 }"},
      {3, "expected '#'", "kernel \"k\"\n{\n%0 = tid 0 : int32 }"},
      {3, "expected 'do'", "kernel \"k\"\n{ while { }\n else { } }"},
      {2, "expected '{'", "kernel \"k\"\n{ scope }"},
      {2, "text after the end", "kernel \"k\" {}\n}"},
      {3, "expected a name", "kernel \"k\" {\n\n"},
  };
  for (const Bad& bad : bads) {
    try {
      parse(bad.text);
      ADD_FAILURE() << "accepted: " << bad.text;
    } catch (const ParseError& e) {
      EXPECT_EQ(e.line, bad.line) << bad.text << "\n" << e.what();
      EXPECT_THAT(e.what(), HasSubstr(bad.message)) << bad.text;
    }
  }
}

TEST(Text, NestingIsBounded) {
  std::string text = "kernel \"k\" ";
  for (int i = 0; i < 100000; ++i) text += "{ scope ";
  EXPECT_THROW(parse(text), ParseError);
}

}  // namespace
}  // namespace cuda_device::ir
