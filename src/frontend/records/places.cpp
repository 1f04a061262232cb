// Fields of elements in memory as targets: a[i].x, a[i]["x"], a[i].p.x, a[i][2].
#include <algorithm>
#include <span>
#include <utility>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

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

// The name in a["x"], as it is written; null: it is something else.
const std::string* field_constant(const syntax::Subscript* node) {
  auto* constant = syntax::as<syntax::Constant>(node->slice);
  const bool text = constant && constant->value.kind == syntax::Value::Kind::String;
  return text ? &constant->value.text : nullptr;
}

}  // namespace

bool has_named_fields(const DataType& type) {
  return type.is_record() &&
         (type.record->is_vector() || type.record->kind == RecordType::Kind::Struct ||
          type.record->kind == RecordType::Kind::Fields);
}

namespace {

bool is_sub_array(const RecordType& type) { return type.kind == RecordType::Kind::SubArray; }

// Whether its elements are of one type and as far apart as those of an array.
bool has_numbered_elements(const RecordType& type) {
  if (is_sub_array(type) || type.is_vector()) return true;
  if (!type.is_sequence() || type.fields.empty()) return false;
  const DataType& first = type.fields[0].type;
  uint32_t offset = 0;
  return first.kind != DataType::Kind::None &&
         std::ranges::all_of(type.fields, [&](const RecordField& field) {
           return field.type == first &&
                  field.offset == std::exchange(offset, offset + bytes_of(first));
         });
}

// A place within an element of an array: the way there is known but for indices of sub-arrays and
// vectors, whose elements become those of a view.
class PlaceInElement {
 public:
  PlaceInElement(Context& ctx, const Value::Array& array, std::vector<Value> at)
      : ctx_(ctx), array_(array), at_(std::move(at)), type_(array.element) {}

  const DataType& type() const { return type_; }

  void enter(size_t field) {
    const RecordField& entered = type_.record->fields[field];
    offset_ += entered.offset;
    const DataType of_field = entered.type;  // `entered` lives as long as type_
    type_ = of_field;
  }

  // With an index on each axis of the sub-array or vector, none negative.
  void enter(const std::vector<Value>& indices, const Node* node) {
    array_ = part_of_elements(ctx_, array_, offset_, type_, node);
    at_.insert(at_.end(), indices.begin(), indices.end());
    type_ = array_.element;
    offset_ = 0;
  }

  // A sub-array as a view, and the part of it that the index of a subscript leaves.
  Value whole(const Node* node) const {
    Value view = part_of_elements(ctx_, array_, offset_, type_, node);
    for (const Value& place : at_) view = at_first_axis(ctx_, view.array(), place, node);
    return view;
  }
  Value part(const Value& index, const syntax::Subscript* node) const {
    return sliced(ctx_, whole(node).array(), index, node);
  }

  uint32_t offset() const { return offset_; }
  std::vector<Inst*> operands(const Node* node) const {
    return operands_at(ctx_, array_, layout_of(array_), at_, node);
  }

 private:
  Context& ctx_;
  Value::Array array_;
  std::vector<Value> at_;
  DataType type_;
  uint32_t offset_ = 0;
};

}  // namespace

// The axes of a type whose elements have numbers.
static std::vector<int64_t> axes_of(const RecordType& type) {
  if (is_sub_array(type)) return type.shape;
  return {static_cast<int64_t>(type.fields.size())};
}

// Goes to an element by an index on each axis; false: it was reported.
static bool enter_element(Context& ctx, PlaceInElement& place, const Value& index,
                          const Node* node) {
  const RecordType& type = *place.type().record;
  const std::vector<int64_t> axes = axes_of(type);
  const std::vector<Value> indices =
      index.is_tuple() ? index.elements() : std::vector<Value>{index};
  for (const Value& i : indices)
    if (!i.is_number() || !is_int(i.code())) {
      wrong_kind(ctx, DiagCode::index_type, node, i, {type_text(i), "give one integer"});
      return false;
    }
  if (indices.size() != axes.size()) {
    error(ctx, DiagCode::too_many_indices, node,
          {with_article(type.name), count_text(axes.size(), "dimension"),
           std::to_string(indices.size()) + " indices are"});
    return false;
  }
  if (std::ranges::all_of(indices, &Value::is_constant)) {
    const auto i = axes.size() > 1 ? element_of_sub_array(ctx, type, index, node)
                                   : constant_index(ctx, indices[0], type, node);
    if (i) place.enter(*i);
    return i.has_value();
  }
  std::vector<Value> at;
  at.reserve(indices.size());
  for (size_t axis = 0; axis < indices.size(); ++axis)
    at.push_back(
        counted_from_start(ctx, indices[axis], node, [&] { return int64_constant(axes[axis]); }));
  place.enter(at, node);
  return true;
}

// The same of a tuple whose elements have several types, which a constant tells.
static bool enter_element_of_tuple(Context& ctx, PlaceInElement& place, const Value& index,
                                   const Node* node) {
  const RecordType& type = *place.type().record;
  if (!index.is_number() || !is_int(index.code())) {
    wrong_kind(ctx, DiagCode::index_type, node, index, {type_text(index), "give one integer"});
    return false;
  }
  if (!index.exact()) {
    error(ctx, DiagCode::stored_tuple_index, node, {type_text(DataType::of(place.type().record))});
    return false;
  }
  const auto i = constant_index(ctx, index, type, node);
  if (i) place.enter(*i);
  return i.has_value();
}

// Goes where a part of the target says. A view, where the part is several elements of a sub-array;
// Unknown where something was wrong, which was reported; None otherwise.
static Value enter_part(Context& ctx, PlaceInElement& place, const Node* part) {
  const auto entered = [](bool fine) { return fine ? Value::none() : Value::unknown(); };
  const RecordRef type = place.type().record;
  std::string name;
  if (auto* attribute = syntax::as<syntax::Attribute>(part)) {
    name = attribute->attr;
  } else {
    auto* subscript = syntax::as<syntax::Subscript>(part);
    const Node* slice = subscript->slice;
    const Value index = expr_or_slice(ctx, slice);
    if (index.contains_unknown()) return Value::unknown();
    const std::string* text = index.string();
    if (!text && is_sub_array(*type) && makes_view(ctx, type->shape.size(), index))
      return place.part(index, subscript);
    if (!text && has_numbered_elements(*type))
      return entered(enter_element(ctx, place, index, slice));
    if (!text && !type->is_sequence())
      return error(ctx, DiagCode::not_subscriptable, part, {type->name});
    if (!text) return entered(enter_element_of_tuple(ctx, place, index, slice));
    name = *text;
  }
  const std::optional<size_t> found = field_named(*type, name);
  if (found) place.enter(*found);
  if (!found)
    error(ctx, DiagCode::no_attribute, part,
          {with_article(type->name), name, "only its fields can be assigned"});
  return entered(found.has_value());
}

// How messages name what a part of the target is.
static std::string what_of(const RecordType& type, const Node* part) {
  if (auto* attribute = syntax::as<syntax::Attribute>(part))
    return "field '" + attribute->attr + "' of " + type.name;
  auto* text = syntax::as<syntax::Constant>(syntax::as<syntax::Subscript>(part)->slice);
  if (text && text->value.kind == syntax::Value::Kind::String)
    return "field '" + text->value.text + "' of " + type.name;
  return "an element of " + with_article(type.name);
}

namespace {

// An element of an array, or a view of several of them, and the parts of the target that follow.
struct Reached {
  Value base;                   // an array, or an error that was reported
  std::optional<Value> index;   // of one element; nothing: the target is the whole of `base`
  const syntax::Subscript* by;  // the subscript that led here
  std::vector<const Node*> rest;
};

}  // namespace

// A field of a view has a name as an item alone: a[1:]["x"].
static Value field_of_several(Context& ctx, const Value& view, const Node* part) {
  const std::string& name = syntax::as<syntax::Attribute>(part)->attr;
  return error(ctx, DiagCode::field_of_several, part, {name, type_text(view)});
}

// Takes views of the array, a["x"], a[y], a[1:], until an index is that of one element. Nothing:
// the target is no part of a record in memory, and none of its indices was evaluated. `evaluated`:
// some were before.
static std::optional<Reached> reach_element(Context& ctx, Value base, const syntax::Subscript* by,
                                            std::span<const Node* const> fields, bool evaluated) {
  for (auto rest = fields.begin();; by = syntax::as<syntax::Subscript>(*rest++)) {
    auto* array = base.as<Value::Array>();
    const bool in_record = array && array->element.is_record();
    const bool more = rest != fields.end();
    if (!evaluated && !in_record) return std::nullopt;
    if (in_record && field_constant(by) && has_named_fields(array->element)) {
      base = field_of_elements(ctx, *array, *field_constant(by), by);
    } else {
      if (!evaluated && !more) return std::nullopt;  // a["x"][i]
      Value index = expr_or_slice(ctx, by->slice);
      evaluated = true;
      if (index.is_unknown()) return Reached{Value::unknown(), {}, by, {}};
      if (!makes_view(ctx, *array, index))
        return Reached{std::move(base), std::move(index), by, {rest, fields.end()}};
      base = sliced(ctx, *array, index, by);
    }
    if (base.is_unknown() || !more) return Reached{std::move(base), {}, by, {}};
    if (!syntax::as<syntax::Subscript>(*rest))
      return Reached{field_of_several(ctx, base, *rest), {}, by, {}};
  }
}

static FieldPlace place_in_view(Context& ctx, const Value& view, const syntax::Subscript* by,
                                std::span<const Node* const> rest, const Node* target);

// mask[i] of a mask in memory. False where the part is something else, or the index is unknown.
static bool takes_lane(Context& ctx, FieldPlace& place, const Node* part) {
  auto* subscript = syntax::as<syntax::Subscript>(part);
  if (!subscript) return false;
  place.lane = expr_or_slice(ctx, subscript->slice);
  place.lane_node = subscript->slice;
  return !place.lane->is_unknown();
}

// The fields that follow an element, or the whole of a view.
static FieldPlace place_within(Context& ctx, Reached reached, const Node* target) {
  FieldPlace result;
  if (reached.base.is_unknown()) return result;
  const Value::Array& array = reached.base.array();
  result.type = array.element;
  const bool writable = check_writable(ctx, array, reached.by);
  if (!reached.index) {
    if (writable) result.view = array;
    return result;
  }
  auto at = element_indices(ctx, array, *reached.index, reached.by);
  const bool known = at.has_value();
  PlaceInElement place(
      ctx, array, known ? std::move(*at) : std::vector<Value>(array.type.ndim, int64_constant(0)));
  result.what = "an element of '" + array.name + "'";
  for (size_t i = 0; i < reached.rest.size(); ++i) {
    const Node* part = reached.rest[i];
    if (place.type() == DataType::of(mask_type()) && i + 1 == reached.rest.size() &&
        takes_lane(ctx, result, part))
      break;
    if (result.lane) return result;  // an index that is unknown
    if (!place.type().is_record()) {
      error(ctx, DiagCode::not_assignable, part, {"a part of " + type_text(place.type())});
      return result;
    }
    result.what = what_of(*place.type().record, part);
    const Value view = enter_part(ctx, place, part);
    if (view.is_unknown()) return result;
    if (!view.is_array()) continue;
    if (!known || !writable) return result;
    return place_in_view(ctx, view, syntax::as<syntax::Subscript>(part),
                         std::span(reached.rest).subspan(i + 1), target);
  }
  result.type = place.type();
  result.offset = place.offset();
  if (holds_atomics(result.type)) {
    error(ctx, DiagCode::atomic_assigned, target, {result.what, type_text(result.type)});
    return result;
  }
  if (!known || !writable) return result;
  result.operands = place.operands(reached.by);
  if (result.type.is_record() && is_sub_array(*result.type.record))
    result.view = place.whole(target).array();
  return result;
}

static FieldPlace place_in_view(Context& ctx, const Value& view, const syntax::Subscript* by,
                                std::span<const Node* const> rest, const Node* target) {
  if (rest.empty()) return place_within(ctx, {view, {}, by, {}}, target);
  auto* next = syntax::as<syntax::Subscript>(rest[0]);
  if (!next) {
    field_of_several(ctx, view, rest[0]);
    return {};
  }
  return place_within(ctx, *reach_element(ctx, view, next, rest.subspan(1), true), target);
}

// A field of the struct with atomics that a variable refers to, such as self in its methods.
// Nothing: the target is something else.
static std::optional<FieldPlace> place_in_reference(Context& ctx, const Node* target) {
  auto* of_field = syntax::as<syntax::Subscript>(target);
  auto* attribute = syntax::as<syntax::Attribute>(of_field ? of_field->value : target);
  auto* name = attribute ? syntax::as<syntax::Name>(attribute->value) : nullptr;
  if (!name) return std::nullopt;
  const Value base = expr(ctx, name);
  if (base.is_unknown()) return of_field ? std::nullopt : std::optional(FieldPlace{});
  auto* array = base.as<Value::Array>();
  if (!array || !array->is_struct_ref()) return std::nullopt;
  const RecordType& record = *array->element.record;
  const auto i = field_named(record, attribute->attr);
  if (!i) return std::nullopt;
  FieldPlace place;
  place.type = record.fields[*i].type;
  if (of_field && place.type != DataType::of(mask_type())) return std::nullopt;
  if (of_field && !takes_lane(ctx, place, of_field)) return place;
  place.offset = record.fields[*i].offset;
  place.what = what_of(record, attribute);
  if (holds_atomics(place.type)) {
    error(ctx, DiagCode::atomic_assigned, target, {place.what, type_text(place.type)});
    return place;
  }
  if (check_writable(ctx, *array, target))
    place.operands = operands_at(ctx, *array, layout_of(*array), {}, target);
  return place;
}

std::optional<FieldPlace> field_place(Context& ctx, const Node* target) {
  if (auto place = place_in_reference(ctx, target)) return place;
  const Chain chain = chain_of(target);
  if (!chain.element || chain.fields.empty()) return std::nullopt;
  std::optional<Reached> reached = reach_element(ctx, expr(ctx, chain.element->value),
                                                 chain.element, chain.fields, /*evaluated=*/false);
  if (!reached) return std::nullopt;
  return place_within(ctx, std::move(*reached), target);
}

// Whether the parts lead to an element or a part of a sub-array by fields and by an index on each
// axis: what is read then lies in memory, and only the last index may leave axes.
static bool leads_to_part(const DataType& element, const std::vector<const Node*>& parts) {
  DataType type = element;
  for (const Node* part : parts) {
    if (!type.is_record()) return false;
    const bool last = part == parts.back();
    const RecordRef record = type.record;
    auto* subscript = syntax::as<syntax::Subscript>(part);
    const std::string* name =
        subscript ? field_constant(subscript) : &syntax::as<syntax::Attribute>(part)->attr;
    if (name) {
      const auto field = has_named_fields(type) ? field_named(*record, *name) : std::nullopt;
      if (!field) return false;
      type = record->fields[*field].type;
      continue;
    }
    auto* display = syntax::as<syntax::Tuple>(subscript->slice);
    const size_t given = display ? display->elts.size() : 1;
    const auto is_one = [](const Node* e) {
      return e->kind != NodeKind::Slice && e->kind != NodeKind::Starred;
    };
    const bool indices =
        display ? std::ranges::all_of(display->elts, is_one) : is_one(subscript->slice);
    if (!is_sub_array(*record)) return false;
    if (!last && (given != record->shape.size() || !indices)) return false;
    const DataType inner = record->element;
    type = inner;
  }
  return syntax::as<syntax::Subscript>(parts.back()) &&
         !field_constant(syntax::as<syntax::Subscript>(parts.back()));
}

// Whether an index is written with as many integers as the array has axes.
static bool is_element_index(const Value::Array& array, const Node* slice) {
  const auto is_integer = [](const Node* e) {
    auto* constant = syntax::as<syntax::Constant>(e);
    if (constant) return constant->value.kind == syntax::Value::Kind::Int;
    return e->kind != NodeKind::Slice && e->kind != NodeKind::Starred;
  };
  auto* display = syntax::as<syntax::Tuple>(slice);
  if (!display) return array.type.ndim == 1 && is_integer(slice);
  return display->elts.size() == array.type.ndim && std::ranges::all_of(display->elts, is_integer);
}

std::optional<Value> element_in_memory(Context& ctx, const syntax::Subscript* node) {
  const Chain chain = chain_of(node);
  if (!chain.element || chain.fields.empty() || field_constant(chain.element)) return std::nullopt;
  const Value base = expr(ctx, chain.element->value);
  auto* array = base.as<Value::Array>();
  if (!array || array->reference || !has_named_fields(array->element) ||
      holds_atomics(array->element) || !is_element_index(*array, chain.element->slice) ||
      !leads_to_part(array->element, chain.fields))
    return std::nullopt;
  const Value index = expr_or_slice(ctx, chain.element->slice);
  if (index.is_unknown()) return index;
  // A variable may hold a tuple or None.
  if (makes_view(ctx, *array, index)) return slicing(ctx, chain.element);
  auto at = element_indices(ctx, *array, index, chain.element);
  if (!at) return Value::unknown();
  PlaceInElement place(ctx, *array, std::move(*at));
  for (const Node* part : chain.fields)
    if (const Value view = enter_part(ctx, place, part); !view.is_none()) return view;
  return load_data(ctx, place.type(), place.operands(node), place.offset());
}

Value load_field(Context& ctx, const FieldPlace& place) {
  if (place.operands.empty()) return Value::unknown();
  const Value there = load_data(ctx, place.type, place.operands, place.offset);
  return place.lane ? mask_lane(ctx, there, *place.lane, place.lane_node) : there;
}

void store_field(Context& ctx, const FieldPlace& place, const Value& value, const Node* source) {
  if (place.operands.empty()) return;
  if (place.lane) {
    ctx.at(source);
    const Value mask = load_data(ctx, place.type, place.operands, place.offset);
    const Value changed = with_lane(ctx, mask, *place.lane, value, place.lane_node, source);
    if (changed.is_unknown()) return;
    return store_data(ctx, place.type, place.operands, place.offset, changed, source);
  }
  const Value stored = as_data(ctx, value, place.type, Conversion::Stored, source, place.what);
  if (stored.is_unknown()) return;
  ctx.at(source);
  store_data(ctx, place.type, place.operands, place.offset, stored, source);
}

bool assign_field(Context& ctx, const Node* target, const Value& value, const Node* source) {
  const std::optional<FieldPlace> place = field_place(ctx, target);
  if (!place) return false;
  ctx.at(target);
  const bool whole = !place->operands.empty() && (value.is_record() || value.is_tuple());
  if (place->view && !whole)
    fill(ctx, *place->view, value, target, source);
  else
    store_field(ctx, *place, value, source);
  return true;
}

}  // namespace cuda_device::frontend
