// What a[b] means for everything; elements and parts of arrays are in arrays.cpp and views.cpp.
#include "frontend/expressions.h"
#include "frontend/operators/class_operators.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/choices.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/ranges.h"
#include "frontend/operators/tuples.h"
#include "frontend/parameters.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {

static bool has_slice(const Value& index) {
  if (!index.is_tuple()) return index.is<Value::Slice>();
  return std::ranges::any_of(index.elements(), &Value::is<Value::Slice>);
}

// The first slice among the indices.
static const Node* slice_node(const syntax::Subscript* node) {
  auto* tuple = syntax::as<syntax::Tuple>(node->slice);
  if (!tuple) return node->slice;
  return *std::find_if(tuple->elts.begin(), tuple->elts.end(),
                       [](const Node* e) { return e->kind == syntax::NodeKind::Slice; });
}

// x[()] and x[...] of a number are the number.
static Value whole_number(Context& ctx, const Value& base, const Value& index,
                          const syntax::Subscript* node) {
  const bool empty = index.is_tuple() && index.elements().empty();
  if (empty || index.is_entity("builtins.Ellipsis")) return base;
  return error(ctx, DiagCode::not_subscriptable, node, {type_text(base)});
}

static Value element_of_tuple(Context& ctx, const std::vector<Value>& elements, const Value& index,
                              const syntax::Subscript* node) {
  if (!index.is_number() || !is_int(index.code()))
    return wrong_kind(
        ctx, DiagCode::index_type, node->slice, index,
        {type_text(index), index.is_number() ? "convert it with int()" : "give one integer"});
  const auto size = static_cast<__int128>(elements.size());
  if (!index.exact() && size > 0)
    return element_at(ctx, elements, index, node->slice, written(node->value, "t"));
  if (size == 0) return error(ctx, DiagCode::tuple_empty, node->slice);
  __int128 i = index.exact()->integer;
  if (i < 0) i += size;
  if (i < 0 || i >= size) {
    return error(ctx, DiagCode::tuple_index_range, node->slice,
                 {to_text(index.exact()->integer), std::to_string(elements.size())});
  }
  return elements[static_cast<size_t>(i)];
}

static Value part_of_array(Context& ctx, const Value::Array& array, const Value& index,
                           const syntax::Subscript* node) {
  if (array.reference)
    return error(ctx, DiagCode::not_subscriptable, node, {with_article(type_text(array))});
  if (const std::string* name = index.string(); name && has_named_fields(array.element))
    return field_of_elements(ctx, array, *name, node);
  if (makes_view(ctx, array, index)) return sliced(ctx, array, index, node);
  if (holds_atomics(array.element)) return reference_to(ctx, array, index, node);
  auto operands = element_operands(ctx, array, index, node);
  return operands ? load_element(ctx, array, std::move(*operands)) : Value::unknown();
}

Value part_of_choice(Context& ctx, const Value::Choice& choice, const Value& index,
                     const syntax::Subscript* node) {
  const Value::Array& first = choice.parts[1].array();
  const bool view = index.string() || makes_view(ctx, first, index);
  return (view ? of_each : of_chosen)(ctx, choice, node, [&](const Value::Array& array) {
    return part_of_array(ctx, array, index, node);
  });
}

// The characters of a slice of a string.
static Value joined_text(const Value& characters) {
  if (characters.is_unknown()) return characters;
  std::string text;
  for (const Value& c : characters.elements()) text += *c.string();
  return Value::Text{std::move(text)};
}

// Masks among indices are the int32s that they are.
static Value in_numbers(Context& ctx, const Value& index, const Node* node) {
  if (is_mask(index)) return number_of_mask(ctx, index, node);
  if (!index.is_tuple() && !index.is<Value::Slice>()) return index;
  if (std::ranges::none_of(index.parts(), is_mask)) return index;
  std::vector<Value> parts;
  parts.reserve(index.parts().size());
  for (const Value& part : index.parts()) parts.push_back(number_of_mask(ctx, part, node));
  return index.is_tuple() ? index.with_parts(std::move(parts)) : Value::Slice{std::move(parts)};
}

static Value written_index(Context& ctx, const Node* node);

Value subscript(Context& ctx, const syntax::Subscript* node) {
  if (const auto element = element_in_memory(ctx, node)) return *element;
  const Value base = expr(ctx, node->value);
  const Value given = written_index(ctx, node->slice);
  if (base.is_unknown() || given.is_unknown()) return Value::unknown();
  ctx.at(node);
  const bool own = method_named(base, "__getitem__").has_value();
  const Value index = own ? given : in_numbers(ctx, given, node->slice);
  if (auto* array = base.as<Value::Array>()) return part_of_array(ctx, *array, index, node);
  if (auto* choice = base.choice_of_arrays()) return part_of_choice(ctx, *choice, index, node);
  if (is_enumeration(base))
    return member_named(ctx, *base.as<Value::Class>()->type, index, node->slice);
  if (own) {
    if (has_slice(index)) return slicing(ctx, slice_node(node));
    return *class_call(ctx, base, "__getitem__", {index}, node);
  }
  if (base.is_record() && base.record().type->kind == RecordType::Kind::SubArray)
    return record_element(ctx, base, index, node);
  if (auto* slice = index.as<Value::Slice>(); slice && !base.is_number())
    if (const std::optional<std::vector<Value>> elements = elements_of(ctx, base))
      return base.string() ? joined_text(tuple_slice(ctx, *elements, *slice, node->slice))
                           : tuple_slice(ctx, *elements, *slice, node->slice);
  if (auto* range = base.as<Value::Range>()) {
    if (auto* slice = index.as<Value::Slice>())
      return part_of_range(ctx, *range, *slice, node->slice);
    if (!has_slice(index)) return number_of_range(ctx, *range, index, node->slice);
  }
  if (has_slice(index) && !is_mask(base)) return slicing(ctx, slice_node(node));
  if (base.is_record()) return record_element(ctx, base, index, node);
  if (base.is_number()) return whole_number(ctx, base, index, node);
  if (std::optional<std::vector<Value>> elements = elements_of(ctx, base))
    return element_of_tuple(ctx, *elements, index, node);
  if (base.is_entity("builtins.tuple")) return error(ctx, DiagCode::tuple_type, node);
  return wrong_kind(ctx, DiagCode::not_subscriptable, node, base, {type_text(base)});
}

Value expr_or_slice(Context& ctx, const Node* node) {
  return in_numbers(ctx, written_index(ctx, node), node);
}

static Value written_index(Context& ctx, const Node* node) {
  if (auto* slice = syntax::as<syntax::Slice>(node)) {
    Value::Slice v;
    for (const Node* bound : {slice->lower, slice->upper, slice->step})
      v.bounds.push_back(bound ? expr(ctx, bound) : Value::none());
    const Value whole = std::move(v);
    return whole.contains_unknown() ? Value::unknown() : whole;
  }
  auto* tuple = syntax::as<syntax::Tuple>(node);
  const auto is_slice = [](const Node* e) { return e->kind == syntax::NodeKind::Slice; };
  if (!tuple || std::none_of(tuple->elts.begin(), tuple->elts.end(), is_slice))
    return expr(ctx, node);
  std::vector<Value> elements;
  elements.reserve(tuple->elts.size());
  for (const Node* element : tuple->elts) elements.push_back(written_index(ctx, element));
  return Value::tuple(std::move(elements));
}

}  // namespace cuda_device::frontend
