// Fields of elements in memory as targets: a[i].x, a[i]["x"], a[i].p.x, a[i][2].
#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

using syntax::NodeKind;

const Node* inner(const Node* node) {
  if (auto* attribute = syntax::as<syntax::Attribute>(node)) return attribute->value;
  if (auto* subscript = syntax::as<syntax::Subscript>(node)) return subscript->value;
  return nullptr;
}

// Names and attributes of names: evaluating them twice does nothing twice.
bool is_name(const Node* node) {
  while (node->kind == NodeKind::Attribute) node = inner(node);
  return node->kind == NodeKind::Name;
}

// The innermost subscript of the target, and what is outside of it, from the inside.
struct Chain {
  const syntax::Subscript* element = nullptr;
  std::vector<const Node*> fields;
};
Chain chain_of(const Node* target) {
  Chain chain;
  for (const Node* node = target; node; node = inner(node)) {
    if (node->kind == NodeKind::Subscript && is_name(inner(node))) {
      chain.element = syntax::as<syntax::Subscript>(node);
      break;
    }
    chain.fields.push_back(node);
  }
  std::ranges::reverse(chain.fields);
  return chain;
}

}  // namespace

// The number of the field that a part of the target names; reports what names none.
static std::optional<size_t> field_of(Context& ctx, const RecordType& type, const Node* part) {
  std::string name;
  if (auto* attribute = syntax::as<syntax::Attribute>(part)) {
    name = attribute->attr;
  } else {
    const Node* slice = syntax::as<syntax::Subscript>(part)->slice;
    const Value index = expr(ctx, slice);
    if (index.contains_unknown()) return std::nullopt;
    if (type.shape.size() > 1) {
      const size_t before = ctx.diagnosis.diagnostics.size();
      if (const auto i = element_of_sub_array(ctx, type, index, slice)) return i;
      if (ctx.diagnosis.diagnostics.size() != before) return std::nullopt;
    } else if (index.exact() && is_int(index.code()) && type.is_sequence()) {
      return constant_index(ctx, index, type, slice);
    }
    auto* text = index.as<Value::Text>();
    if (!text && !type.is_sequence()) {
      error(ctx, DiagCode::not_subscriptable, part, {type.name});
      return std::nullopt;
    }
    if (!text) {
      not_implemented(ctx, part,
                      "storing to an element of " + with_article(type.name) +
                          " in memory by an index at run time");
      return std::nullopt;
    }
    name = text->text;
  }
  const std::optional<size_t> found = field_named(type, name);
  if (!found)
    error(ctx, DiagCode::no_attribute, part,
          {with_article(type.name), name, "only its fields can be assigned"});
  return found;
}

std::optional<FieldPlace> field_place(Context& ctx, const Node* target) {
  const Chain chain = chain_of(target);
  if (!chain.element || chain.fields.empty()) return std::nullopt;
  const Value base = expr(ctx, chain.element->value);
  auto* array = base.as<Value::Array>();
  if (!array || !array->element.is_record()) return std::nullopt;
  const Value index = expr_or_slice(ctx, chain.element->slice);
  FieldPlace place{array->element, {}, 0, {}};
  if (index.is_unknown()) return place;
  if (makes_view(ctx, *array, index)) {
    not_implemented(ctx, chain.element, "storing to a field of several elements");
    return place;
  }
  const bool writable = check_writable(ctx, *array, chain.element);
  auto operands = element_operands(ctx, *array, index, chain.element);
  for (const Node* part : chain.fields) {
    if (!place.type.is_record()) {
      error(ctx, DiagCode::not_assignable, part, {"a part of " + type_text(place.type)});
      return place;
    }
    const RecordType& type = *place.type.record;
    const auto i = field_of(ctx, type, part);
    if (!i) return place;
    place.what = "field '" + type.fields[*i].name + "' of " + type.name;
    place.offset += type.fields[*i].offset;
    const DataType of_field = type.fields[*i].type;  // `type` lives as long as place.type
    place.type = of_field;
  }
  if (holds_atomics(place.type)) {
    error(ctx, DiagCode::atomic_assigned, target, {place.what, type_text(place.type)});
    return place;
  }
  if (operands && writable) place.operands = std::move(*operands);
  return place;
}

void store_field(Context& ctx, const FieldPlace& place, const Value& value, const Node* source) {
  if (place.operands.empty()) return;
  const Value stored = as_data(ctx, value, place.type, Conversion::Stored, source, place.what);
  if (stored.is_unknown()) return;
  ctx.at(source);
  store_data(ctx, place.type, place.operands, place.offset, stored, source);
}

bool assign_field(Context& ctx, const Node* target, const Value& value, const Node* source) {
  const std::optional<FieldPlace> place = field_place(ctx, target);
  if (!place) return false;
  ctx.at(target);
  store_field(ctx, *place, value, source);
  return true;
}

}  // namespace cuda_device::frontend
