#include "frontend/calls/in_python.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace cuda_device::frontend {
namespace {

using Integer = __int128;
using Integers = std::vector<Integer>;

// The integers among the constants; nothing where one is another value.
bool collect(std::span<const Value> values, Integers& into) {
  return std::ranges::all_of(values, [&](const Value& v) {
    if (v.is_none()) return true;
    if (v.is<Value::Tuple>()) return collect(v.parts(), into);
    if (!v.is_constant() || !is_weak(v.code()) || !is_int(v.code())) return false;
    into.push_back(v.exact()->integer);
    return true;
  });
}

std::optional<Integer> exact_product(std::optional<Integer> a, Integer b) {
  Integer result;
  if (!a || __builtin_mul_overflow(*a, b, &result)) return std::nullopt;
  return result;
}

// n * (n - 1) * ... of k factors
std::optional<Integer> falling(Integer n, Integer k) {
  if (k > n) return 0;
  std::optional<Integer> result = 1;
  for (Integer i = 0; i < k && result; ++i) result = exact_product(result, n - i);
  return result;
}

std::optional<Integer> combinations(Integer n, Integer k) {
  if (k > n) return 0;
  const Integer fewer = std::min(k, n - k);
  std::optional<Integer> result = 1;
  for (Integer i = 0; i < fewer && result; ++i) {
    result = exact_product(result, n - i);
    if (result) *result /= i + 1;
  }
  return result;
}

// The greatest integer whose square is at most n, bit by bit.
std::optional<Integer> square_root(Integer n) {
  if (n >> 126 != 0) return std::nullopt;
  Integer root = 0;
  for (Integer bit = Integer{1} << 62; bit > 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= n) root += bit;
  return root;
}

Integer greatest_divisor(Integer a, Integer b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

std::optional<Integer> least_common_multiple(const Integers& numbers) {
  std::optional<Integer> multiple = 1;
  for (const Integer x : numbers) {
    if (x == 0) return 0;
    const Integer magnitude = x < 0 ? -x : x;
    if (multiple)
      multiple = exact_product(*multiple / greatest_divisor(*multiple, magnitude), magnitude);
  }
  return multiple;
}

std::optional<Integer> computed(std::string_view name, const Integers& n) {
  if (name == "lcm") return least_common_multiple(n);
  if (n.empty() || std::ranges::any_of(n, [](Integer x) { return x < 0; })) return std::nullopt;
  if (name == "factorial") return falling(n[0], n[0]);
  if (name == "isqrt") return square_root(n[0]);
  if (name == "perm") return falling(n[0], n.size() > 1 ? n[1] : n[0]);
  if (name == "comb" && n.size() > 1) return combinations(n[0], n[1]);
  return std::nullopt;
}

}  // namespace

std::optional<Value> exact_integer(const syntax::Function& f, const std::vector<Value>& arguments) {
  if (!f.of_language) return std::nullopt;
  Integers numbers;
  if (!collect(arguments, numbers)) return std::nullopt;
  const std::optional<Integer> result = computed(f.name, numbers);
  return result ? std::optional(Value::constant_int(TypeCode::weak_int, *result)) : std::nullopt;
}

}  // namespace cuda_device::frontend
