#include "frontend/arrays/choices.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/tuples.h"

namespace cuda_device::frontend {
namespace {

// Each access tests for one after the other.
constexpr size_t kMostArrays = 16;

Value number_of(size_t k) { return Value::constant_int(TypeCode::u4, static_cast<__int128>(k)); }

bool is_like(const Value::Array& a, const Value::Array& b) {
  return a.element == b.element && a.type.ndim == b.type.ndim;
}

}  // namespace

std::vector<Value> arrays_of(const Value& value) {
  if (value.is_array()) return {value};
  auto* choice = value.as<Value::Choice>();
  if (!choice) return {};
  return {choice->parts.begin() + 1, choice->parts.end()};
}

const Value* array_like(const std::vector<Value>& arrays, const Value::Array& array) {
  const auto found =
      std::ranges::find_if(arrays, [&](const Value& v) { return v.array().base == array.base; });
  return found == arrays.end() ? nullptr : &*found;
}

std::optional<Value> join_choices(const Context& ctx, const Value& a, const Value& b) {
  std::vector<Value> arrays = arrays_of(a);
  const std::vector<Value> others = arrays_of(b);
  if (arrays.empty() || others.empty()) return std::nullopt;
  for (const Value& other : others) {
    const Value::Array &first = arrays[0].array(), &one = other.array();
    if (!is_like(first, one) || one.reference || holds_atomics(one.element)) return std::nullopt;
    if (const Value* like = array_like(arrays, one)) {
      std::optional<Value> joined = join(ctx, *like, other);
      if (!joined || !joined->is_array()) return std::nullopt;
      arrays[static_cast<size_t>(like - arrays.data())] = std::move(*joined);
    } else {
      arrays.push_back(other);
    }
  }
  if (arrays.size() > kMostArrays) return std::nullopt;
  if (arrays.size() == 1) return arrays[0];
  arrays.insert(arrays.begin(), Value::number(TypeCode::u4, nullptr));
  return Value::Choice{std::move(arrays)};
}

Value number_among(Context& ctx, const Value::Choice& choice, const Value& value,
                   const Node* node) {
  const std::vector<Value> all = arrays_of(choice);
  std::vector<Value> numbers;
  for (const Value& array : arrays_of(value)) {
    const Value* like = array_like(all, array.array());
    if (!like) return Value::unknown();
    numbers.push_back(number_of(static_cast<size_t>(like - all.data())));
  }
  if (numbers.size() == 1) return numbers[0];
  return element_at(ctx, std::move(numbers), value.as<Value::Choice>()->parts[0], node, "");
}

// Views of one array, in the form of what they all are: each of its numbers is chosen.
static Value chosen_view(Context& ctx, const std::vector<Value>& views, const Value& common,
                         const Value& index, const Node* node) {
  if (!common.is_view()) return common;
  std::vector<Value> alike;
  alike.reserve(views.size());
  for (const Value& view : views)
    alike.push_back(
        view.array().form == common.array().form ? view : with_own_extents(&ctx, view.array()));
  std::vector<Value> parts(common.parts().begin(), common.parts().end());
  for (size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].exact()) continue;
    std::vector<Value> numbers;
    numbers.reserve(alike.size());
    for (const Value& view : alike) numbers.push_back(view.parts()[k]);
    parts[k] = element_at(ctx, std::move(numbers), index, node, "");
  }
  return common.with_parts(std::move(parts));
}

Value chosen_array(Context& ctx, const std::vector<Value>& elements, const Value& common,
                   const Value& index, const Node* node) {
  if (!std::ranges::all_of(elements, &Value::is_array))
    return not_implemented(ctx, node, "a tuple of arrays chosen at run time, indexed at run time");
  auto* choice = common.as<Value::Choice>();
  if (!choice) return chosen_view(ctx, elements, common, index, node);
  std::vector<Value> numbers, parts;
  for (const Value& element : elements)
    numbers.push_back(number_among(ctx, *choice, element, node));
  parts.push_back(element_at(ctx, std::move(numbers), index, node, ""));
  for (const Value& array : arrays_of(common)) {
    // Where another array is meant, any view of this one serves.
    std::vector<Value> views = elements;
    const Value any = *array_like(elements, array.array());
    for (Value& view : views)
      if (view.array().base != array.array().base) view = any;
    parts.push_back(chosen_view(ctx, views, array, index, node));
  }
  return Value::Choice{std::move(parts)};
}

Value of_each(Context& ctx, const Value::Choice& choice, const Node* node, const OnArray& f) {
  std::vector<Value> results;
  for (const Value& array : arrays_of(choice)) {
    results.push_back(f(array.array()));
    if (results.back().contains_unknown()) return Value::unknown();
  }
  if (!results[0].is_array()) return element_at(ctx, std::move(results), choice.parts[0], node, "");
  results.insert(results.begin(), choice.parts[0]);
  return Value::Choice{std::move(results)};
}

Value of_chosen(Context& ctx, const Value::Choice& choice, const Node* node, const OnArray& f) {
  const std::vector<Value> arrays = arrays_of(choice);
  Inst* number = inst_of(ctx, choice.parts[0], node);
  WebState result;
  bool fine = true;
  ir::Block* outer = &ctx.builder.block();
  for (size_t k = 0; k < arrays.size(); ++k) {
    Inst* branch = nullptr;
    if (k + 1 < arrays.size()) {
      ctx.at(node);
      Inst* here = constant_inst(ctx, number->type, static_cast<double>(k));
      branch = ctx.builder.control(Op::If, {ctx.builder.op(Op::Eq, {number, here})}, 2);
      ctx.builder.set_block(branch->regions[0]);
    }
    const Value value = f(arrays[k].array());
    fine &= !value.contains_unknown();
    if (fine && result.abstract.is_unknown())
      result.abstract = without_constants(abstract_of(value));
    if (fine) store_web(ctx, result, "", value, node);
    if (branch) ctx.builder.set_block(branch->regions[1]);
  }
  ctx.builder.set_block(*outer);
  ctx.at(node);
  return fine ? load_web(ctx, result, "") : Value::unknown();
}

Value choice_attribute(Context& ctx, const syntax::Attribute* node, const Value::Choice& choice) {
  for (const Method method : {Method::View, Method::Reshape, Method::AsType})
    if (ctx.policy.has_views && node->attr == name_of(method))
      return not_implemented(ctx, node, node->attr + "() of an array chosen at run time",
                             "call it for each of the arrays");
  return of_each(ctx, choice, node,
                 [&](const Value::Array& array) { return array_attribute(ctx, node, array); });
}

}  // namespace cuda_device::frontend
