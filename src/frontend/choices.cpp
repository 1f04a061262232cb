#include "frontend/choices.h"

#include <algorithm>

#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/operators/tuples.h"

namespace cuda_device::frontend {
namespace {

// Each access to an array tests for one after the other; calls are found by halves.
constexpr size_t kMostArrays = 16, kMostCallables = 64;

Value number_of(size_t k) { return Value::constant_int(TypeCode::u4, static_cast<__int128>(k)); }

// Arrays that one number can choose from.
bool are_of_one_type(const Value::Array& a, const Value::Array& b) {
  const auto may_be_chosen = [](const Value::Array& array) {
    return !array.reference && !holds_atomics(array.element);
  };
  return a.element == b.element && a.type.ndim == b.type.ndim && may_be_chosen(a) &&
         may_be_chosen(b);
}

bool may_meet(const Value& a, const Value& b) {
  if (a.is_array() != b.is_array()) return false;
  return !a.is_array() || are_of_one_type(a.array(), b.array());
}

}  // namespace

bool is_callable(const Value& value) {
  if (auto* entity = value.as<Value::Entity>()) {
    const Intrinsic* i = find_intrinsic(entity->name);
    return i && i->role == Intrinsic::Role::Call;
  }
  return value.is_function() || value.is<Value::BoundMethod>();
}

std::vector<Value> alternatives_of(const Value& value) {
  if (auto* choice = value.as<Value::Choice>())
    return {choice->parts.begin() + 1, choice->parts.end()};
  return value.is_array() || is_callable(value) ? std::vector<Value>{value} : std::vector<Value>{};
}

const Value* alternative_like(const Context& ctx, const std::vector<Value>& alternatives,
                              const Value& value) {
  const auto is_like = [&](const Value& one) {
    if (one.is_array() && value.is_array()) return one.array().base == value.array().base;
    return join_as_one(ctx, one, value).has_value();
  };
  const auto found = std::ranges::find_if(alternatives, is_like);
  return found == alternatives.end() ? nullptr : &*found;
}

std::optional<Value> join_choices(const Context& ctx, const Value& a, const Value& b) {
  std::vector<Value> all = alternatives_of(a);
  const std::vector<Value> others = alternatives_of(b);
  if (all.empty() || others.empty()) return std::nullopt;
  for (const Value& other : others) {
    if (!may_meet(all[0], other)) return std::nullopt;
    if (const Value* like = alternative_like(ctx, all, other)) {
      std::optional<Value> joined = join_as_one(ctx, *like, other);
      if (!joined) return std::nullopt;
      all[static_cast<size_t>(like - all.data())] = std::move(*joined);
    } else {
      all.push_back(other);
    }
  }
  if (all.size() > (all[0].is_array() ? kMostArrays : kMostCallables)) return std::nullopt;
  if (all.size() == 1) return all[0];
  if (!all[0].is_array() && !ctx.policy.has_objects) return std::nullopt;
  all.insert(all.begin(), Value::number(TypeCode::u4, nullptr));
  return Value::Choice{std::move(all)};
}

Value number_among(Context& ctx, const Value::Choice& choice, const Value& value,
                   const Node* node) {
  const std::vector<Value> all = alternatives_of(choice);
  std::vector<Value> numbers;
  for (const Value& one : alternatives_of(value)) {
    const Value* like = alternative_like(ctx, all, one);
    if (!like) return Value::unknown();
    numbers.push_back(number_of(static_cast<size_t>(like - all.data())));
  }
  if (numbers.size() == 1) return numbers[0];
  return element_at(ctx, std::move(numbers), value.as<Value::Choice>()->parts[0], node, "");
}

// The alternative's numbers by element. An element that is never the alternative takes those of
// another one, which nothing reads.
static std::vector<Value> in_each(const Context& ctx, const std::vector<Value>& elements,
                                  const Value& alternative) {
  std::vector<std::optional<Value>> found;
  for (const Value& element : elements) {
    const std::vector<Value> some = alternatives_of(element);
    const Value* like = alternative_like(ctx, some, alternative);
    found.push_back(like ? std::optional(*like) : std::nullopt);
  }
  const auto any = std::ranges::find_if(found, &std::optional<Value>::has_value);
  std::vector<Value> all;
  all.reserve(found.size());
  for (const std::optional<Value>& one : found) all.push_back(one.value_or(any->value()));
  return all;
}

Value chosen_of(Context& ctx, const std::vector<Value>& elements, const Value::Choice& common,
                const Value& index, const Node* node) {
  std::vector<Value> numbers, parts;
  numbers.reserve(elements.size());
  for (const Value& element : elements) numbers.push_back(number_among(ctx, common, element, node));
  parts.push_back(element_at(ctx, std::move(numbers), index, node, ""));
  for (const Value& alternative : alternatives_of(common))
    parts.push_back(element_at(ctx, in_each(ctx, elements, alternative), index, node, ""));
  if (std::ranges::any_of(parts, &Value::contains_unknown)) return Value::unknown();
  return Value::Choice{std::move(parts)};
}

}  // namespace cuda_device::frontend
