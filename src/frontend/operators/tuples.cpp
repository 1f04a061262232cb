// Operators on tuples, their parts, and elements chosen at run time.
#include "frontend/operators/tuples.h"

#include <algorithm>
#include <cmath>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/choices.h"
#include "frontend/arrays/layout.h"
#include "frontend/arrays/tables.h"
#include "frontend/choices.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"

namespace cuda_device::frontend {

// Elements that a register each is better for than memory.
constexpr size_t kMostSelected = 16;

static Value repeated(Context& ctx, const Value& tuple, const Value& times, const Node* node,
                      const Node* times_node) {
  if (!times.exact())
    return error(ctx, DiagCode::tuple_repeat, times_node, {with_article(type_text(times))});
  const __int128 count = std::clamp<__int128>(times.exact()->integer, 0, kMaxTuple + 1);
  std::vector<Value> elements;
  for (__int128 i = 0; i < count && elements.size() <= kMaxTuple; ++i)
    elements.insert(elements.end(), tuple.elements().begin(), tuple.elements().end());
  return tuple_of(ctx, std::move(elements), node);
}

std::optional<Value> tuple_operation(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                     const Node* node, const Node* left, const Node* right) {
  if (is_plain_object(a) || is_plain_object(b)) return std::nullopt;
  const auto is_whole = [](const Value& v) { return v.is_number() && !is_float(v.code()); };
  if (op == BinaryOp::Add && a.is_tuple() && b.is_tuple()) {
    std::vector<Value> elements = a.elements();
    elements.insert(elements.end(), b.elements().begin(), b.elements().end());
    return tuple_of(ctx, std::move(elements), node);
  }
  if (op == BinaryOp::Mult && a.is_tuple() && is_whole(b)) return repeated(ctx, a, b, node, right);
  if (op == BinaryOp::Mult && is_whole(a) && b.is_tuple()) return repeated(ctx, b, a, node, left);
  return std::nullopt;
}

// A bound of a slice, as a position from 0 to the size; nothing after an error.
static std::optional<__int128> bound_of(Context& ctx, const Value& bound, __int128 otherwise,
                                        __int128 size, bool backwards, const Node* node) {
  if (bound.is_none()) return otherwise;
  if (!bound.is_number() || is_float(bound.code())) {
    wrong_kind(ctx, DiagCode::slice_bound, node, bound, {type_text(bound)});
    return std::nullopt;
  }
  if (!bound.exact()) {
    error(ctx, DiagCode::tuple_slice, node, {with_article(type_text(bound))});
    return std::nullopt;
  }
  const __int128 at = bound.exact()->integer + (bound.exact()->integer < 0 ? size : 0);
  return backwards ? std::clamp<__int128>(at, -1, size - 1) : std::clamp<__int128>(at, 0, size);
}

Value tuple_slice(Context& ctx, const std::vector<Value>& elements, const Value::Slice& slice,
                  const Node* node) {
  auto* source = syntax::as<syntax::Slice>(node);
  const auto at = [&](const Node* bound) { return bound ? bound : node; };
  const auto size = static_cast<__int128>(elements.size());
  const auto step = bound_of(ctx, slice.bounds[2], 1, 0, false, at(source->step));
  if (!step) return Value::unknown();
  const __int128 by = slice.bounds[2].is_none() ? 1 : slice.bounds[2].exact()->integer;
  if (by == 0) return error(ctx, DiagCode::slice_step_zero, at(source->step));
  const bool back = by < 0;
  const auto first =
      bound_of(ctx, slice.bounds[0], back ? size - 1 : 0, size, back, at(source->lower));
  const auto last = bound_of(ctx, slice.bounds[1], back ? -1 : size, size, back, at(source->upper));
  if (!first || !last) return Value::unknown();
  std::vector<Value> out;
  for (__int128 i = *first; back ? i > *last : i < *last; i += by)
    out.push_back(elements[static_cast<size_t>(i)]);
  return Value::tuple(std::move(out));
}

// What they all are, as a variable of them would be; nothing after an error.
static std::optional<Value> common_type(Context& ctx, const std::vector<Value>& elements,
                                        const Node* node, const std::string& tuple) {
  Value common = abstract_of(elements.front());
  for (const Value& element : elements) {
    const Value other = abstract_of(element);
    std::optional<Value> joined = join(ctx, common, other);
    if (!joined) {
      if (const auto arrays = different_arrays(common, other))
        array_choice(ctx, "this", *arrays, node);
      else if (is_callable(common) && is_callable(other))
        function_choice(ctx, "this", node);
      else
        error(ctx, DiagCode::tuple_index_types, node, {type_text(common), type_text(other), tuple});
      return std::nullopt;
    }
    common = std::move(*joined);
  }
  return common;
}

// Whether the format has the value of a constant. Builtin floats are rounded, as everywhere.
static bool holds_constant(TypeCode to, const Value& constant) {
  const TypeCode from = constant.code();
  if (is_float(from)) return is_weak(from) || converts_silently(to, from);
  const __int128 value = constant.exact()->integer;
  if (is_int(to)) return is_weak(from) || fits(value, to);  // convert() reports literals
  if (!is_float(to)) return true;
  const double rounded = converted(*constant.exact(), from, fixed(to)).real;
  return std::isfinite(rounded) && is_exactly(rounded, value);
}

namespace {

// A number among the elements, and the type that it has with those of the others.
struct Loss {
  Value number;
  TypeCode common;
};

}  // namespace

// The first number that loses digits in the common type.
static std::optional<Loss> loss_in(const Value& common, const Value& element) {
  const auto is_any_number = [](const Value& v) { return v.is_number() || v.is_complex(); };
  if (is_any_number(common) && is_any_number(element)) {
    const TypeCode to = is_complex(common.code()) && !element.is_complex()
                            ? component_of(common.code())
                            : common.code();
    const TypeCode from = element.code();
    if (from == to) return std::nullopt;
    const bool holds = element.exact() ? holds_constant(to, element)
                                       : converts_silently(to, from) && !may_be_cut(element, to);
    return holds ? std::nullopt : std::optional(Loss{element, common.code()});
  }
  if (!common.is_aggregate() || common.parts().size() != element.parts().size())
    return std::nullopt;
  for (size_t i = 0; i < common.parts().size(); ++i)
    if (auto loss = loss_in(common.parts()[i], element.parts()[i])) return loss;
  return std::nullopt;
}

// Whether each element keeps its value in the type that all have in common: an error otherwise.
static bool keep_values(Context& ctx, const std::vector<Value>& elements, const Value& common,
                        const Node* node, const std::string& tuple) {
  if (!ctx.policy.chosen_elements_keep_values) return true;
  for (const Value& element : elements) {
    const std::optional<Loss> loss = loss_in(common, element);
    if (!loss) continue;
    const std::string type(name_of(loss->common)), from(name_of(loss->number.code()));
    const Exact* known = loss->number.exact();
    error(ctx, DiagCode::tuple_index_loses, node,
          {type, known ? to_text(loss->number.code(), *known) : "every " + from,
           (is_weak(loss->common) ? "" : "device.") + type, tuple});
    return false;
  }
  return true;
}

// The index from 0; a signed one below it counts from the end.
static Inst* wrapped(Context& ctx, const Value& index, size_t size) {
  Inst* at = index.inst();
  if (is_unsigned(index.code())) return at;
  Inst* count = constant_inst(ctx, at->type, static_cast<double>(size));
  Inst* negative = ctx.builder.op(Op::Lt, {at, constant_inst(ctx, at->type, 0)});
  return ctx.builder.op(Op::Select, {negative, ctx.builder.op(Op::Add, {at, count}), at});
}

// A load, of the last element where the index is out of range.
static Value number_in(Context& ctx, const Value::Array& table, Inst* at, const Value& common,
                       size_t size, const Node* node) {
  const ir::Type wide = ir::Type::of(ScalarKind::U64);
  Inst* unsigned_at = ctx.builder.typed(Op::Convert, wide, {at});
  Inst* last = constant_inst(ctx, wide, static_cast<double>(size - 1));
  Inst* clamped = ctx.builder.op(Op::Min, {unsigned_at, last});
  Inst* index = ctx.builder.typed(Op::Convert, ir::kI64, {clamped});
  const Value place = Value::number(TypeCode::i8, index);
  const Value number =
      load_element(ctx, table, operands_at(ctx, table, layout_of(table), {place}, node));
  return number.exact() ? Value::constant(common.code(), *number.exact())
                        : common.computed_by(number.inst());
}

// Tuples and structs with arrays among their parts: each part by itself.
static Value chosen_by_parts(Context& ctx, const std::vector<Value>& elements, const Value& common,
                             const Value& index, const Node* node, const std::string& tuple) {
  std::vector<Value> parts;
  for (size_t i = 0; i < common.parts().size(); ++i) {
    std::vector<Value> all;
    all.reserve(elements.size());
    for (const Value& element : elements) all.push_back(element.parts()[i]);
    parts.push_back(element_at(ctx, std::move(all), index, node, tuple));
    if (parts.back().is_unknown()) return Value::unknown();
  }
  return common.with_parts(std::move(parts));
}

// Whether all elements are the same and hold no number that is known at run time only.
static bool is_one_value(const std::vector<Value>& elements, const Value& common) {
  bool settled = true;
  for_each_leaf(common, [&](TypeCode) { settled = false; });
  return settled &&
         std::ranges::all_of(elements, [&](const Value& e) { return same_abstract(e, common); });
}

// Halves the elements bit by bit of the index: as many selections as elements, and a test a bit.
Value element_at(Context& ctx, std::vector<Value> elements, const Value& index, const Node* node,
                 const std::string& tuple) {
  const std::optional<Value> common = common_type(ctx, elements, node, tuple);
  if (!common) return Value::unknown();
  if (!tuple.empty() && !keep_values(ctx, elements, *common, node, tuple)) return Value::unknown();
  if (!is_selectable(*common)) {
    if (is_one_value(elements, *common)) return elements.front();
    if (auto* text = common->as<Text>()) return chosen_text(ctx, elements, *text, index, node);
    if (auto* choice = common->as<Value::Choice>())
      return chosen_of(ctx, elements, *choice, index, node);
    if (common->is_array()) return chosen_view(ctx, elements, *common, index, node);
    if (common->is_aggregate() || is_callable(*common))
      return chosen_by_parts(ctx, elements, *common, index, node, tuple);
    return not_implemented(ctx, node, "a tuple of " + type_text(*common) + " indexed at run time");
  }
  Inst* at = wrapped(ctx, index, elements.size());
  if (elements.size() > kMostSelected && common->is_number())
    if (const auto table = table_of(ctx, elements, common->code(), node))
      return number_in(ctx, table->array(), at, *common, elements.size(), node);
  Inst* one = constant_inst(ctx, at->type, 1);
  for (int bit = 0; elements.size() > 1; ++bit) {
    Inst* shifted =
        bit == 0 ? at : ctx.builder.op(Op::Shr, {at, constant_inst(ctx, at->type, double(bit))});
    Inst* odd =
        ctx.builder.typed(Op::Convert, ir::kBool, {ctx.builder.op(Op::And, {shifted, one})});
    const Value test = Value::number(TypeCode::b1, odd);
    std::vector<Value> half;
    for (size_t i = 0; i < elements.size(); i += 2) {
      const bool pair = i + 1 < elements.size();
      half.push_back(pair ? select(ctx, test, elements[i + 1], elements[i], *common, node)
                          : elements[i]);
      if (half.back().is_unknown()) return Value::unknown();
    }
    elements = std::move(half);
  }
  return elements.front();
}

}  // namespace cuda_device::frontend
