#include "frontend/policy.h"

#include <algorithm>

#include "frontend/language_names.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

using enum TypeCode;
using Common = std::optional<TypeCode>;

// --- the device guide: Array API promotion, weak builtin numbers ---

constexpr Common xx = std::nullopt;
constexpr Common kDeviceTable[kNumericCount][kFixedCount] = {
#define DEVICE_COMMON(row, ...) {__VA_ARGS__},
#include "frontend/promotion.def"
};

// A row for each type, in their order, with a column for each fixed one: what is left out would not
// promote.
constexpr TypeCode kRows[] = {
#define DEVICE_COMMON(row, ...) row,
#include "frontend/promotion.def"
};
constexpr size_t kColumns[] = {
#define DEVICE_COMMON(row, ...) std::initializer_list<Common>{__VA_ARGS__}.size(),
#include "frontend/promotion.def"
};
consteval bool is_complete() {
  if (std::size(kRows) != kNumericCount) return false;
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i] != static_cast<TypeCode>(i) || kColumns[i] != kFixedCount) return false;
  return true;
}
static_assert(is_complete(), "promotion.def has no square table");

Common device_common(TypeCode a, TypeCode b) {
  if (!is_weak(b)) return kDeviceTable[static_cast<int>(a)][static_cast<int>(b)];
  if (!is_weak(a)) return kDeviceTable[static_cast<int>(b)][static_cast<int>(a)];
  return std::max(a, b);  // listed as int, float, complex
}

bool is_64_bit_int(TypeCode c) { return is_int(c) && !is_weak(c) && bits_of(c) == 64; }

// Weak numbers yield, however many bits they have.
TypeCode device_true_divide(TypeCode a, TypeCode b, TypeCode promoted) {
  if (is_float(promoted) || is_complex(promoted)) return promoted;
  if (is_weak(promoted)) return promoted == wide_int ? wide_float : weak_float;
  return is_64_bit_int(a) || is_64_bit_int(b) ? f8 : f4;
}

TypeCode same(TypeCode promoted) { return promoted; }

template <TypeCode weak>
TypeCode device_math_argument(TypeCode c) {
  if (is_bool(c) || (is_weak(c) && is_int(c))) return weak;
  if (is_int(c)) return is_64_bit_int(c) ? f8 : f4;
  return c;
}

template <TypeCode weak>
TypeCode device_int_literal(__int128) {
  return weak;
}

TypeCode widened(TypeCode c) {
  if (c == weak_int) return wide_int;
  if (c == weak_float) return wide_float;
  return c == weak_complex ? wide_complex : c;
}

std::string_view no_own_name(std::string_view) { return {}; }

constexpr LanguageNames kGuideNames = {
    .module = "cuda.device",
    .decorator = "@cuda.device.kernel",
    .own_prefix = "device.",
    .other_prefix = "numbapro.",
};

constexpr Policy kDevice = {
    .names = &kGuideNames,
    .int_literal = device_int_literal<weak_int>,
    .float_literal = weak_float,
    .complex_literal = weak_complex,
    .literals_must_fit = true,
    .unify = device_common,
    .chosen_elements_keep_values = true,
    .operator_type = device_common,
    .true_divide = device_true_divide,
    .floor_divide = same,
    .has_fractional_powers = true,
    .compares_exactly = true,
    .constants_prune = true,
    .bool_arithmetic = weak_int,
    .lone_bools_are_ints = false,
    .math_argument = device_math_argument<weak_float>,
    .constructed = same,
    .weakest_complex = weak_complex,
    .array_ndim = weak_int,
    .range_minimum = weak_int,
    .thread_index = u4,
    .loop_rule = LoopRule::Join,
    .can_fail = true,
    .has_objects = true,
    .has_views = true,
    .has_sequences = true,
    .has_complex_operators = true,
    .keeps_real_operands = true,
    .own_name = no_own_name,
};

// The same with builtin numbers of 64 bits.
constexpr Policy device_of_64_bits() {
  Policy policy = kDevice;
  policy.int_literal = device_int_literal<wide_int>;
  policy.float_literal = wide_float;
  policy.complex_literal = policy.weakest_complex = wide_complex;
  policy.bool_arithmetic = policy.range_minimum = policy.array_ndim = wide_int;
  policy.math_argument = device_math_argument<wide_float>;
  policy.constructed = widened;
  return policy;
}
constexpr Policy kDevice64 = device_of_64_bits();

// --- NumbaPro 2014: the more general of the two types, literals of fixed format ---

int rank(TypeCode c) {
  switch (info(c).kind) {
    case Kind::Bool:
      return 0;
    case Kind::Int:
    case Kind::Uint:
      return 1;
    case Kind::Float:
      return 2;
    case Kind::Complex:
      return 3;
  }
  CD_UNREACHABLE("unknown kind of number");
}

TypeCode complex_of_width(int bits) { return bits > 32 ? c16 : c8; }

// That dialect has no small floats.
bool numbapro_has(TypeCode c) { return !is_float(c) || bits_of(c) >= 32; }

Common numbapro_common(TypeCode a, TypeCode b) {
  a = fixed(a);
  b = fixed(b);
  if (!numbapro_has(a) || !numbapro_has(b)) return std::nullopt;
  if (rank(a) < rank(b)) std::swap(a, b);
  if (rank(a) == 3 && is_float(b)) return complex_of_width(std::max(bits_of(a), bits_of(b)));
  if (rank(a) != rank(b) || bits_of(a) > bits_of(b)) return a;
  if (bits_of(a) < bits_of(b)) return b;
  return is_unsigned(a) ? a : b;
}

// Only integers and floats turn into each other by themselves.
Common numbapro_unify(TypeCode a, TypeCode b) {
  if (a == b) return fixed(a);
  if (is_complex(a) || is_complex(b)) return std::nullopt;
  return numbapro_common(a, b);
}

TypeCode int_of_width(int bits, bool is_unsigned) {
  if (bits > 32) return is_unsigned ? u8 : i8;
  return is_unsigned ? u4 : i4;
}

TypeCode numbapro_true_divide(TypeCode a, TypeCode b, TypeCode) {
  return std::max(bits_of(a), bits_of(b)) > 32 ? f8 : f4;
}

TypeCode numbapro_floor_divide(TypeCode promoted) {
  return int_of_width(bits_of(promoted), is_unsigned(promoted));
}

TypeCode numbapro_int_literal(__int128 value) {
  if (value > INT64_MAX) return u8;
  return value >= INT32_MIN && value <= INT32_MAX ? i4 : i8;
}

// Builtin numbers are as wide as Python's own that are given to a launch.
TypeCode numbapro_constructed(TypeCode type) { return fixed(widened(type)); }

// Names of Python 2, and one that Python's math never had.
std::string_view numbapro_own_name(std::string_view name) {
  if (name == "xrange") return "builtins.range";
  if (name == "math.arctan") return "math.atan";
  return {};
}

TypeCode numbapro_math_argument(TypeCode c) { return is_float(c) || is_complex(c) ? c : f8; }

constexpr RefusedSyntax kNumbaProRefusedSyntax[] = {
#define SYNTAX(ast_class, name, hint) {ast_class, name, hint},
#include "frontend/numbapro.def"
};
constexpr RefusedName kNumbaProRefusedNames[] = {
#define NAME(entity, hint) {entity, hint},
#include "frontend/numbapro.def"
};
constexpr OwnHint kNumbaProHints[] = {
#define HINT(code, hint) {DiagCode::code, hint},
#include "frontend/numbapro.def"
};
constexpr OwnWords kNumbaProWords[] = {
#define WORDS(of_guide, own) {of_guide, own},
#include "frontend/numbapro.def"
};
constexpr DiagCode kNumbaProAbsent[] = {
#define ABSENT(code) DiagCode::code,
#include "frontend/numbapro.def"
};
constexpr LanguageNames kNumbaProNames = {
    .module = "cuda.device.numbapro",
    .decorator = "@cuda.jit",
    .own_prefix = "numbapro.",
    .other_prefix = "device.",
    .refused_syntax = kNumbaProRefusedSyntax,
    .refused_names = kNumbaProRefusedNames,
    .hints = kNumbaProHints,
    .words = kNumbaProWords,
    .absent = kNumbaProAbsent,
};

constexpr Policy kNumbaPro = {
    .names = &kNumbaProNames,
    .int_literal = numbapro_int_literal,
    .float_literal = f8,
    .complex_literal = c16,
    .literals_must_fit = false,
    .unify = numbapro_unify,
    .chosen_elements_keep_values = false,
    .operator_type = numbapro_common,
    .true_divide = numbapro_true_divide,
    .floor_divide = numbapro_floor_divide,
    .has_fractional_powers = false,
    .compares_exactly = false,
    .constants_prune = false,
    .bool_arithmetic = i4,
    .lone_bools_are_ints = true,
    .math_argument = numbapro_math_argument,
    .constructed = numbapro_constructed,
    .weakest_complex = weak_complex,
    .array_ndim = i8,
    .range_minimum = i4,
    .thread_index = i4,
    .loop_rule = LoopRule::BeforeLoop,
    .can_fail = false,
    .has_objects = false,
    .has_views = false,
    .has_sequences = false,
    .has_complex_operators = false,
    .keeps_real_operands = false,
    .own_name = numbapro_own_name,
};

}  // namespace

const Policy& policy_of(DialectName name) {
  switch (name) {
    case DialectName::Device:
      return kDevice;
    case DialectName::Device64:
      return kDevice64;
    case DialectName::NumbaPro:
      return kNumbaPro;
  }
  CD_UNREACHABLE("unknown dialect");
}

}  // namespace cuda_device::frontend
