#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "every_op.h"
#include "ir/evaluate.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

using testing::HasSubstr;

// The body of a kernel with a parameter of most types and a slot; exactly one rule is broken.
struct Rule {
  const char* name;
  const char* error;  // all of it
  const char* body;
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

constexpr const char* kHead = R"(kernel "k"
param @0 "a": array<float32, 2>
param @1 "b": bool
param @2 "i": int32
param @3 "l": int64
param @4 "x": float32
param @5 "d": float64
slot $0 "i": int32
slot $1 "x": float32
array &0 "tile": array<float32, 1, shared> shape 8 strides 4 align 4
failure ~0 "ValueError" "x" function 0 line 1
format ~0 "{} {}" int32 float32
{
  %a = param @0 : array<float32, 2>
  %b = param @1 : bool
  %i = param @2 : int32
  %l = param @3 : int64
  %x = param @4 : float32
  %d = param @5 : float64
)";

const Rule kRules[] = {
    {"operand_count", "%6 = add %2 : int32: 1 operands, expected 2", "%r = add %i : int32"},
    {"too_many_operands", "slot_store $0, %2, %2: 2 operands, expected 1", "slot_store $0, %i, %i"},
    {"slot_index", "%6 = slot_load $2 : int32: there is no slot 2", "%r = slot_load $2 : int32"},
    {"slot_index_negative", "%6 = slot_load $-1 : int32: there is no slot -1",
     "%r = slot_load $-1 : int32"},
    {"failure_index", "check ~1, %1: there is no failure 1", "check ~1, %b"},
    {"waiting_store", "atomic_store exch.relaxed.device.waits, %0, %2, %2, %4: only loads wait",
     "atomic_store exch.relaxed.device.waits, %a, %i, %i, %x"},
    {"check_type", "check ~0, %2: operand 0 is int32, expected bool", "check ~0, %i"},
    {"check_values", "check ~0, %1, %1: 2 operands, expected 1", "check ~0, %b, %b"},
    {"format_index", "print ~1: there is no format 1", "print ~1"},
    {"print_count", "print ~0, %2: 1 operands, expected 2", "print ~0, %i"},
    {"print_type", "print ~0, %2, %5: operand 1 is float64, expected float32", "print ~0, %i, %d"},
    {"param_index", "%6 = param @6 : int32: there is no parameter 6", "%r = param @6 : int32"},
    {"param_type", "%6 = param @2 : int64: result is int64, expected int32",
     "%r = param @2 : int64"},
    {"axis", "%6 = tid #3 : int32: there is no axis 3", "%r = tid #3 : int32"},
    {"array_axis", "%6 = extent #2, %0 : int64: there is no axis 2", "%r = extent #2, %a : int64"},
    {"extent_of_scalar", "%6 = stride #0, %2 : int64: operand 0 is int32, expected an array",
     "%r = stride #0, %i : int64"},
    {"same_type", "%6 = add %2, %3 : int32: operand 1 is int64, expected int32",
     "%r = add %i, %l : int32"},
    {"same_result", "%6 = add %2, %2 : int64: operand 0 is int32, expected int64",
     "%r = add %i, %i : int64"},
    {"number_only", "%6 = add %1, %1 : bool: result is bool, expected an integer or float",
     "%r = add %b, %b : bool"},
    {"integer_only", "%6 = floordiv %4, %4 : float32: result is float32, expected an integer",
     "%r = floordiv %x, %x : float32"},
    {"float_only", "%6 = div %2, %2 : int32: result is int32, expected a float",
     "%r = div %i, %i : int32"},
    {"bits_only", "%6 = and %4, %4 : float32: result is float32, expected an integer or bool",
     "%r = and %x, %x : float32"},
    {"no_array_arithmetic",
     "%6 = add %0, %0 : array<float32, 2>: result is array<float32, 2>, expected an integer or "
     "float",
     "%r = add %a, %a : array<float32, 2>"},
    {"compare_result", "%6 = lt %2, %2 : int32: result is int32, expected bool",
     "%r = lt %i, %i : int32"},
    {"compare_operands", "%6 = lt %2, %3 : bool: operand 1 is int64, expected int32",
     "%r = lt %i, %l : bool"},
    {"compare_scalars", "%6 = eq %0, %0 : bool: operand 0 is array<float32, 2>, expected a scalar",
     "%r = eq %a, %a : bool"},
    {"isnan_of_integer", "%6 = isnan %2 : bool: operand 0 is int32, expected a float",
     "%r = isnan %i : bool"},
    {"popc_of_float", "%6 = popc %4 : int32: operand 0 is float32, expected an integer",
     "%r = popc %x : int32"},
    {"popc_result", "%6 = popc %3 : int64: result is int64, expected int32",
     "%r = popc %l : int64"},
    {"frexp_exponent_of_integer",
     "%6 = frexp_exponent %2 : int32: operand 0 is int32, expected a float",
     "%r = frexp_exponent %i : int32"},
    {"position_result", "%6 = thread_idx #0 : int32: result is int32, expected uint32",
     "%r = thread_idx #0 : int32"},
    {"select_condition", "%6 = select %2, %2, %2 : int32: operand 0 is int32, expected bool",
     "%r = select %i, %i, %i : int32"},
    {"select_arms", "%6 = select %1, %2, %3 : int32: operand 2 is int64, expected int32",
     "%r = select %b, %i, %l : int32"},
    {"select_result", "%6 = select %1, %2, %2 : int64: operand 1 is int32, expected int64",
     "%r = select %b, %i, %i : int64"},
    {"select_arrays",
     "%6 = select %1, %0, %0 : array<float32, 2>: operand 1 is array<float32, 2>, expected a "
     "scalar",
     "%r = select %b, %a, %a : array<float32, 2>"},
    {"convert_array", "%6 = convert %0 : int32: operand 0 is array<float32, 2>, expected a scalar",
     "%r = convert %a : int32"},
    {"convert_to_array",
     "%6 = convert %2 : array<int32, 1>: result is array<int32, 1>, expected a scalar",
     "%r = convert %i : array<int32, 1>"},
    {"bitcast_size", "%6 = bitcast %3 : float32: the sizes of operand and result differ",
     "%r = bitcast %l : float32"},
    {"bitcast_bool", "%6 = bitcast %1 : int8: operand 0 is bool, expected an integer or float",
     "%r = bitcast %b : int8"},
    {"bitcast_to_bool", "%7 = bitcast %6 : bool: result is bool, expected an integer or float",
     "%e = const 1 : int8 %r = bitcast %e : bool"},
    {"ldexp_exponent", "%6 = ldexp %4, %3 : float32: operand 1 is int64, expected int32",
     "%r = ldexp %x, %l : float32"},
    {"ldexp_result", "%6 = ldexp %4, %2 : float64: operand 0 is float32, expected float64",
     "%r = ldexp %x, %i : float64"},
    {"ldexp_of_integer", "%6 = ldexp %2, %2 : int32: operand 0 is int32, expected a float",
     "%r = ldexp %i, %i : int32"},
    {"wrap_extent", "%6 = wrap %2, %2 : int64: operand 1 is int32, expected int64",
     "%r = wrap %i, %i : int64"},
    {"wrap_index", "%6 = wrap %4, %3 : int64: operand 0 is float32, expected an integer",
     "%r = wrap %x, %l : int64"},
    {"wrap_result", "%6 = wrap %2, %3 : int32: result is int32, expected int64",
     "%r = wrap %i, %l : int32"},
    {"load_nothing", "%6 = load : float32: no operands, expected an array", "%r = load : float32"},
    {"load_from_scalar", "%6 = load %2, %2 : float32: operand 0 is int32, expected an array",
     "%r = load %i, %i : float32"},
    {"load_index_count", "%6 = load %0, %2 : float32: 2 operands, expected 3",
     "%r = load %a, %i : float32"},
    {"load_index_type",
     "%6 = load %0, %2, %4 : float32: operand 2 is float32, expected an integer index",
     "%r = load %a, %i, %x : float32"},
    {"load_result", "%6 = load %0, %2, %2 : float64: result is float64, expected float32",
     "%r = load %a, %i, %i : float64"},
    {"store_index_count", "store %0, %2, %4: 3 operands, expected 4", "store %a, %i, %x"},
    {"store_value", "store %0, %2, %2, %5: operand 3 is float64, expected float32",
     "store %a, %i, %i, %d"},
    {"slot_load_type", "%6 = slot_load $1 : int32: result is int32, expected float32",
     "%r = slot_load $1 : int32"},
    {"slot_store_type", "slot_store $1, %2: operand 0 is int32, expected float32",
     "slot_store $1, %i"},
    {"store_has_no_result", "%6 = store %0, %2, %2, %4 : int32: result is int32, expected none",
     "%r = store %a, %i, %i, %x : int32"},
    {"const_fits_integer", "%6 = const 300 : int8: the constant does not fit int8",
     "%r = const 300 : int8"},
    {"const_fits_unsigned", "%6 = const -1 : uint32: the constant does not fit uint32",
     "%r = const -1 : uint32"},
    {"const_fits_bool", "%6 = const 2 : bool: the constant does not fit bool",
     "%r = const 2 : bool"},
    {"const_fits_float",
     "%6 = const bits(0x1ffffffff) : float32: the constant does not fit float32",
     "%r = const bits(0x1ffffffff) : float32"},
    {"if_condition", "if %2: operand 0 is int32, expected bool", "if %i { }"},
    {"for_types", "for $0, %2, %2, %3: operand 2 is int64, expected int32",
     "for $0, %i, %i, %l { }"},
    {"own_array_index", "%6 = array &1 : array<float32, 1, shared>: there is no array 1",
     "%r = array &1 : array<float32, 1, shared>"},
    {"own_array_type",
     "%6 = array &0 : array<float32, 1, local>: result is array<float32, 1, local>, expected "
     "array<float32, 1, shared>",
     "%r = array &0 : array<float32, 1, local>"},
    {"dynamic_shared_type",
     "%6 = dynamic_shared : array<int8, 1, shared>: result is array<int8, 1, shared>, expected "
     "array<uint8, 1, shared>",
     "%r = dynamic_shared : array<int8, 1, shared>"},
    {"view_operands", "%6 = view %0, %3, %3 : array<float32, 1>: 3 operands, expected 4",
     "%r = view %a, %l, %l : array<float32, 1>"},
    {"view_space",
     "%6 = view %0, %3, %3, %3 : array<float32, 1, shared>: the address spaces differ",
     "%r = view %a, %l, %l, %l : array<float32, 1, shared>"},
    {"view_of_scalar",
     "%6 = view %3, %3, %3, %3 : array<float32, 1>: operand 0 is int64, expected an array",
     "%r = view %l, %l, %l, %l : array<float32, 1>"},
    {"view_number",
     "%6 = view %0, %3, %2, %3 : array<float32, 1>: operand 2 is int32, expected int64",
     "%r = view %a, %l, %i, %l : array<float32, 1>"},
    {"barrier_operand", "barrier %1: 1 operands, expected 0", "barrier %b"},
    {"barrier_count_operand", "%6 = barrier_count %2 : int32: operand 0 is int32, expected bool",
     "%r = barrier_count %i : int32"},
    {"barrier_or_operand", "%6 = barrier_or %2 : bool: operand 0 is int32, expected bool",
     "%r = barrier_or %i : bool"},
    {"barrier_and_result", "%6 = barrier_and %1 : int32: result is int32, expected bool",
     "%r = barrier_and %b : int32"},
    {"for_slot", "for $1, %4, %4, %4: the slot is float32, expected an integer",
     "for $1, %x, %x, %x { }"},
    {"yield_type", "yield %2: operand 0 is int32, expected bool", "while { yield %i } do { }"},
    {"yield_missing", "a condition region does not end in yield", "while { } do { }"},
    {"yield_elsewhere", "yield %1: outside of a condition region", "if %b { yield %b }"},
    {"yield_nested", "yield %1: outside of a condition region",
     "while { if %b { yield %b } yield %b } do { }"},
    {"break_outside", "break: outside of a loop", "if %b { break }"},
    {"break_in_else_of_loop", "break: outside of a loop", "for $0, %i, %i, %i { } else { break }"},
    {"continue_outside", "continue: outside of a loop", "scope { continue }"},
    {"continue_in_condition", "continue: outside of a loop",
     "while { if %b { continue } yield %b } do { }"},
    {"outer_break_in_condition", "break: outside of a loop",
     "for $0, %i, %i, %i { while { if %b { break } yield %b } do { } }"},
    {"return_in_condition", "return: inside a condition region",
     "while { if %b { return } yield %b } do { }"},
    {"leave_depth", "leave 1: there is no such enclosing scope", "scope { leave 1 }"},
    {"leave_negative", "leave -1: there is no such enclosing scope", "scope { leave -1 }"},
    {"leave_from_condition", "leave 0: there is no such enclosing scope",
     "scope { while { if %b { leave 0 } yield %b } do { } }"},
    {"after_break", "break: an instruction follows it",
     "for $0, %i, %i, %i { break slot_store $0, %i }"},
    {"after_return", "return: an instruction follows it", "return slot_store $0, %i"},
    {"after_leave", "leave 0: an instruction follows it", "scope { leave 0 slot_store $0, %i }"},
    {"out_of_region", "slot_store $0, %6: operand 0 is not defined before it in an enclosing block",
     "if %b { %r = neg %i : int32 } slot_store $0, %r"},
    {"out_of_condition", "if %6: operand 0 is not defined before it in an enclosing block",
     "while { %r = not %b : bool yield %r } do { if %r { } }"},
    {"out_of_then", "slot_store $0, %6: operand 0 is not defined before it in an enclosing block",
     "if %b { %r = neg %i : int32 } else { slot_store $0, %r }"},
};

class VerifierRule : public testing::TestWithParam<Rule> {};

TEST_P(VerifierRule, IsChecked) {
  const auto f = parse(std::string(kHead) + GetParam().body + "\n}\n");
  EXPECT_THAT(verify(*f), testing::ElementsAre(GetParam().error)) << print(*f);
}

INSTANTIATE_TEST_SUITE_P(Verifier, VerifierRule, testing::ValuesIn(kRules),
                         [](const auto& rule) { return std::string(rule.param.name); });

// Allowed neighbours of what is refused above.
TEST(Verifier, Accepts) {
  for (const char* body : {
           "for $0, %i, %i, %i { for $0, %i, %i, %i { } else { break } }",
           "while { scope { leave 0 } yield %b } do { scope { break } }",
           "while { while { yield %b } do { if %b { break } } yield %b } do { continue }",
           "scope { scope { leave 1 } if %b { leave 0 } }",
           "if %b { return } else { return }",
           "%r = load %a, %i, %l : float32",
           "if %b { barrier } while { %r = barrier_or %b : bool yield %r } do { }",
           "%t = array &0 : array<float32, 1, shared> %v = view %t, %l, %l, %l, %l, %l : "
           "array<int8, 2, shared>",
       }) {
    const auto f = parse(std::string(kHead) + body + "\n}\n");
    EXPECT_THAT(verify(*f), testing::IsEmpty()) << body;
  }
}

// What text cannot say.

TEST(Verifier, UseBeforeDefinition) {
  Function f;
  Builder b(f, f.body);
  Inst* x = b.const_int(kI32, 1);
  b.op(Op::Neg, {x});
  std::swap(f.body.insts[0], f.body.insts[1]);
  EXPECT_THAT(verify(f), testing::ElementsAre("%0 = neg %1 : int32: operand 0 is not defined "
                                              "before it in an enclosing block"));
}

TEST(Verifier, SameInstructionTwice) {
  Function f;
  Builder b(f, f.body);
  f.body.insts.push_back(b.const_int(kI32, 1));
  EXPECT_THAT(verify(f), testing::ElementsAre(HasSubstr("stands in the function twice")));
}

TEST(Verifier, InstructionOfAnotherFunction) {
  Function f, other;
  f.body.insts.push_back(Builder(other, other.body).const_int(kI32, 1));
  EXPECT_THAT(verify(f), testing::ElementsAre(HasSubstr("not of this function")));
  f.body.insts[0] = nullptr;
  EXPECT_THAT(verify(f), testing::ElementsAre(HasSubstr("not of this function")));
}

TEST(Verifier, MissingOperand) {
  Function f;
  Builder(f, f.body).typed(Op::Neg, kI32, {nullptr});
  EXPECT_THAT(verify(f), testing::ElementsAre("%0 = neg %? : int32: operand 0 is missing"));
}

TEST(Verifier, OperandWithoutValue) {
  Function f;
  Builder b(f, f.body);
  Inst* nothing = b.op(Op::Scope, {});
  b.typed(Op::Neg, kI32, {nothing});
  EXPECT_THAT(verify(f), testing::ElementsAre("%0 = neg %? : int32: operand 0 has no value"));
}

TEST(Verifier, RegionCount) {
  Function f;
  Builder b(f, f.body);
  Inst* condition = b.const_int(kBool, 1);
  b.control(Op::If, {condition}, 1);
  EXPECT_THAT(verify(f), testing::ElementsAre("if %0: 1 regions, expected 2"));
}

TEST(Verifier, ArraysOfTheKernel) {
  const auto wrong = [](const Allocation& array) {
    Function f;
    f.arrays.push_back(array);
    return verify(f);
  };
  const Type shared = Type::array(ScalarKind::F32, 1, AddressSpace::Shared);
  EXPECT_THAT(wrong({"t", shared, {8}, {4}, 4, {}}), testing::IsEmpty());
  EXPECT_THAT(wrong({"t", shared, {0}, {4}, 128, {}}), testing::IsEmpty());
  EXPECT_THAT(wrong({"t", kF32, {}, {}, 4, {}}), testing::ElementsAre("array \"t\" is no array"));
  EXPECT_THAT(wrong({"t", Type::array(ScalarKind::F32, 1), {8}, {4}, 4, {}}),
              testing::ElementsAre("array \"t\" is neither shared nor local nor constant"));
  const Type constant = Type::array(ScalarKind::F32, 1);
  EXPECT_THAT(wrong({"t", constant, {0}, {4}, 4, {}}), testing::IsEmpty());
  EXPECT_THAT(wrong({"t", constant, {2}, {4}, 4, {}, "8 bytes."}), testing::IsEmpty());
  EXPECT_THAT(wrong({"t", constant, {2}, {4}, 4, {}, "7 bytes"}),
              testing::ElementsAre("array \"t\" does not hold all its bytes"));
  EXPECT_THAT(wrong({"t", shared, {2}, {4}, 4, {}, "8 bytes."}),
              testing::ElementsAre("array \"t\" is constant, but not in global memory"));
  EXPECT_THAT(wrong({"t", shared, {8, 8}, {4}, 4, {}}),
              testing::ElementsAre("array \"t\" has not one extent and one stride for each axis"));
  EXPECT_THAT(wrong({"t", shared, {-1}, {4}, 4, {}}),
              testing::ElementsAre("array \"t\" has a negative extent or stride"));
  EXPECT_THAT(wrong({"t", shared, {8}, {-4}, 4, {}}),
              testing::ElementsAre("array \"t\" has a negative extent or stride"));
  for (const uint32_t align : {0u, 2u, 12u}) {
    EXPECT_THAT(wrong({"t", shared, {8}, {4}, align, {}}),
                testing::ElementsAre("array \"t\" has no alignment for its elements"));
  }
}

TEST(Verifier, Header) {
  Function f;
  f.slots.push_back({"s", kTestArray});
  f.params.push_back({"p", Type::none(), {}, {}});
  EXPECT_THAT(verify(f),
              testing::ElementsAre("slot \"s\" is no scalar", "parameter \"p\" has no type"));
}

TEST(Verifier, ThrowsNamingThePass) {
  Function f;
  Builder(f, f.body).op(Op::Break, {});
  try {
    verify_or_throw(f, "the pass");
    ADD_FAILURE();
  } catch (const InternalError& e) {
    EXPECT_THAT(e.what(), HasSubstr("invalid IR after the pass"));
    EXPECT_THAT(e.what(), HasSubstr("break: outside of a loop"));
    EXPECT_THAT(e.what(), HasSubstr("kernel \"\""));
  }
}

bool is_computed(Op op) { return info(op).kind == OpKind::Scalar; }

bool accepts(Op op, ScalarKind operand, ScalarKind result) {
  Sample s;
  Builder b(*s.function, s.function->body);
  const Type type = Type::of(operand);
  std::vector<Inst*> operands(static_cast<size_t>(info(op).operands), s.value(b, type));
  if (op == Op::Select) operands[0] = s.value(b, kBool);
  if (op == Op::Ldexp) operands[1] = s.value(b, kI32);
  if (op == Op::Wrap) operands[1] = s.value(b, kI64);
  b.typed(op, Type::of(result), operands);
  return verify(*s.function).empty();
}

// The verifier lets through exactly what the evaluator can compute.
TEST(Verifier, AgreesWithTheEvaluator) {
  for (Op op : all_ops()) {
    for (int i = 0; is_computed(op) && i < kScalarCount; ++i) {
      const auto operand = static_cast<ScalarKind>(i);
      bool accepted = false, evaluated = false;
      for (int j = 0; j < kScalarCount; ++j) {
        const auto result = static_cast<ScalarKind>(j);
        accepted |= accepts(op, operand, result);
        evaluated |= evaluator(op, operand, result) != nullptr;
        if (op == Op::Convert || op == Op::Bitcast) {
          EXPECT_EQ(accepts(op, operand, result), evaluator(op, operand, result) != nullptr);
        }
      }
      EXPECT_EQ(accepted, evaluated) << info(op).text << " " << name_of(operand);
    }
  }
}

}  // namespace
}  // namespace cuda_device::ir
