// The promotion table against the list of pairs of the contract, and its algebra.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "frontend/policy.h"

namespace cuda_device::frontend {
namespace {

using Pair = std::pair<TypeCode, TypeCode>;

std::optional<TypeCode> code_named(std::string_view text) {
  if (text == "int*") return TypeCode::weak_int;
  if (text == "float*") return TypeCode::weak_float;
  if (text == "complex*") return TypeCode::weak_complex;
  for (int i = 0; i < kNumericCount; ++i)
    if (kNumericInfo[i].code == text) return static_cast<TypeCode>(i);
  return std::nullopt;
}

std::map<Pair, std::optional<TypeCode>> listed_pairs() {
  std::ifstream in(CD_PROMOTION_CSV);
  std::map<Pair, std::optional<TypeCode>> pairs;
  std::string line;
  std::getline(in, line);  // header
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    std::string a, b, result;
    std::getline(fields, a, ',');
    std::getline(fields, b, ',');
    std::getline(fields, result, ',');
    pairs[{code_named(a).value(), code_named(b).value()}] =
        result == "err" ? std::nullopt : std::optional(code_named(result).value());
  }
  return pairs;
}

std::string text(std::optional<TypeCode> c) { return c ? std::string(name_of(*c)) : "none"; }

TEST(Promotion, everyListedPairBothWays) {
  const auto pairs = listed_pairs();
  EXPECT_EQ(pairs.size(), 17u * 18 / 2 + 3 * 17);
  const Policy& device = policy_of(DialectName::Device);
  for (const auto& [pair, result] : pairs) {
    const auto [a, b] = pair;
    for (const auto common : {device.unify, device.operator_type}) {
      EXPECT_EQ(text(common(a, b)), text(result)) << name_of(a) << ", " << name_of(b);
      EXPECT_EQ(text(common(b, a)), text(result)) << name_of(b) << ", " << name_of(a);
    }
  }
}

TEST(Promotion, builtinsAmongEachOther) {
  const Policy& device = policy_of(DialectName::Device);
  using enum TypeCode;
  EXPECT_EQ(device.operator_type(weak_int, weak_float), weak_float);
  EXPECT_EQ(device.operator_type(weak_complex, weak_int), weak_complex);
  EXPECT_EQ(device.operator_type(weak_int, weak_int), weak_int);
}

TEST(Promotion, builtinsOf64BitsAreAsWeak) {
  const Policy& device = policy_of(DialectName::Device64);
  using enum TypeCode;
  constexpr std::pair<TypeCode, TypeCode> kBuiltins[] = {
      {weak_int, wide_int}, {weak_float, wide_float}, {weak_complex, wide_complex}};
  for (const auto& [weak, wide] : kBuiltins) {
    EXPECT_EQ(name_of(weak), name_of(wide));
    EXPECT_EQ(bits_of(wide), 64);
    EXPECT_EQ(device.constructed(weak), wide);
    for (int i = 0; i < kFixedCount; ++i) {
      const auto fixed_code = static_cast<TypeCode>(i);
      std::optional<TypeCode> expected = device.unify(weak, fixed_code);
      // What takes the builtin's own format takes the wide one.
      if (expected == weak) expected = wide;
      if (is_int(fixed_code) && weak == weak_float) expected = f8;
      if (is_int(fixed_code) && weak == weak_complex) expected = c16;
      EXPECT_EQ(device.unify(wide, fixed_code), expected) << name_of(wide) << " " << i;
      EXPECT_EQ(device.unify(fixed_code, wide), expected) << name_of(wide) << " " << i;
    }
  }
  EXPECT_EQ(device.unify(wide_int, wide_float), wide_float);
  EXPECT_EQ(device.true_divide(wide_int, wide_int, wide_int), wide_float);
  EXPECT_EQ(device.true_divide(wide_int, i4, i4), f4);
  EXPECT_EQ(device.math_argument(wide_int), wide_float);
  EXPECT_EQ(device.math_argument(b1), wide_float);
  EXPECT_EQ(device.math_argument(i4), f4);
}

// The order in which the values of a loop are joined must not matter.
TEST(Promotion, isAssociativeWhereItIsDefined) {
  const Policy& device = policy_of(DialectName::Device);
  auto join = [&](std::optional<TypeCode> a, std::optional<TypeCode> b) {
    return a && b ? device.unify(*a, *b) : std::nullopt;
  };
  for (int i = 0; i < kFixedCount; ++i)
    for (int j = 0; j < kFixedCount; ++j)
      for (int k = 0; k < kFixedCount; ++k) {
        const auto a = static_cast<TypeCode>(i), b = static_cast<TypeCode>(j),
                   c = static_cast<TypeCode>(k);
        const auto left = join(join(a, b), c), right = join(a, join(b, c));
        if (left && right) {
          EXPECT_EQ(*left, *right) << i << " " << j << " " << k;
        }
      }
}

// What launches know of a dialect without its policy.
TEST(Promotion, builtinsAreAsWideAsLaunchesGiveThem) {
  for (const DialectName name : {DialectName::Device, DialectName::Device64, DialectName::NumbaPro})
    EXPECT_EQ(has_wide_builtins(name),
              bits_of(policy_of(name).constructed(TypeCode::weak_int)) == 64);
}

TEST(Promotion, ofNumbaPro) {
  const Policy& np = policy_of(DialectName::NumbaPro);
  using enum TypeCode;
  EXPECT_EQ(np.operator_type(i8, f4), f4);
  EXPECT_EQ(np.operator_type(i4, u4), u4);
  EXPECT_EQ(np.operator_type(i8, u4), i8);
  EXPECT_EQ(np.operator_type(b1, i1), i1);
  EXPECT_EQ(np.operator_type(c8, f8), c16);
  EXPECT_EQ(np.operator_type(f8, c8), c16);
  EXPECT_EQ(np.operator_type(f2, i1), std::nullopt);
  EXPECT_EQ(np.true_divide(i1, i1, i1), f4);
  EXPECT_EQ(np.true_divide(f4, i8, f4), f8);
  EXPECT_EQ(np.floor_divide(f8), i8);
  EXPECT_EQ(np.floor_divide(i1), i4);
  EXPECT_EQ(np.floor_divide(u8), u8);
  EXPECT_EQ(np.int_literal(1), i4);
  EXPECT_EQ(np.int_literal(__int128{1} << 40), i8);
  EXPECT_EQ(np.unify(i4, f4), f4);
  EXPECT_EQ(np.unify(i4, c16), std::nullopt);
  EXPECT_EQ(np.unify(c8, c16), std::nullopt);
  EXPECT_EQ(np.constructed(weak_int), i8);
  EXPECT_EQ(np.constructed(f4), f4);
}

}  // namespace
}  // namespace cuda_device::frontend
