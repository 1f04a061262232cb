// How values are gone through, element by element: by loops, by unpacking, by builtins.
#include "frontend/control/iteration.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/choices.h"
#include "frontend/calls/calls.h"
#include "frontend/control/generators.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/range_types.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

Value whole(Context& ctx, __int128 value) {
  return Value::constant_int(ctx.policy.int_literal(value), value);
}

bool is_constant(const Value& v, __int128 value) {
  return v.exact() && v.exact()->integer == value;
}

// How many numbers there are from start to before stop.
__int128 count_of(__int128 start, __int128 stop, __int128 step) {
  const __int128 distance = step > 0 ? stop - start : start - stop;
  const __int128 stride = step > 0 ? step : -step;
  return distance <= 0 ? 0 : (distance + stride - 1) / stride;
}

}  // namespace

// How many numbers a range has of which some bound is a uint64: distances have no sign there. One
// of which only the launch knows where it goes counts in int64.
static Value far_apart(Context& ctx, const Value::Range& range, const Node* node) {
  const bool up = rises(range.bounds[2]);
  const Value &first = range.bounds[up ? 0 : 1], &last = range.bounds[up ? 1 : 0];
  const auto bits = [&](const Value& v) {
    return v.exact() ? Value::constant(TypeCode::u8, converted(*v.exact(), v.code(), TypeCode::u8))
                     : convert(ctx, v, TypeCode::u8, node);
  };
  const auto of_distances = [&](BinaryOp op, const Value& a, const Value& b) {
    return same_type(ctx, op, TypeCode::u8, a, b, node);
  };
  const Value one = Value::constant_int(TypeCode::u8, 1),
              none = Value::constant_int(TypeCode::u8, 0);
  const Value some = compare(ctx, CompareOp::Lt, first, last, node);
  if (some.exact() && !some.exact()->integer) return whole(ctx, 0);
  Value count = of_distances(BinaryOp::Sub, bits(last), bits(first));
  const Value stride =
      up ? bits(range.bounds[2]) : of_distances(BinaryOp::Sub, none, bits(range.bounds[2]));
  if (!is_constant(stride, 1)) {
    count = of_distances(BinaryOp::Sub, count, one);
    count = floor_divide(ctx, BinaryOp::FloorDiv, TypeCode::u8, count, stride, node);
    count = of_distances(BinaryOp::Add, count, one);
  }
  if (!some.exact())
    count = select(ctx, some, count, none, Value::number(TypeCode::u8, nullptr), node);
  return clamped(ctx, count, TypeCode::i8, node);
}

Value range_length(Context& ctx, const Value::Range& range, const Node* node) {
  const Value &start = range.bounds[0], &stop = range.bounds[1], &step = range.bounds[2];
  if (start.exact() && stop.exact() && step.exact())
    return whole(ctx,
                 count_of(start.exact()->integer, stop.exact()->integer, step.exact()->integer));
  if (is_constant(start, 0) && is_constant(step, 1)) return convert(ctx, stop, range.code, node);
  const auto is_uint64 = [](const Value& v) { return v.code() == TypeCode::u8; };
  if (std::ranges::any_of(range.bounds, is_uint64) && (rises(step) || falls(step)))
    return far_apart(ctx, range, node);
  // The distance of two numbers of 32 bits takes more than 32.
  const Value from = convert(ctx, start, TypeCode::i8, node);
  const Value to = convert(ctx, stop, TypeCode::i8, node);
  const Value by = convert(ctx, step, TypeCode::i8, node);
  if (from.is_unknown() || to.is_unknown() || by.is_unknown()) return Value::unknown();
  if (is_constant(step, 1)) return same_type(ctx, BinaryOp::Sub, TypeCode::i8, to, from, node);
  const Value back = same_type(ctx, BinaryOp::Sub, TypeCode::i8, from, to, node);
  if (is_constant(step, -1)) return back;
  const Value count =
      negative(ctx, floor_divide(ctx, BinaryOp::FloorDiv, TypeCode::i8, back, by, node), node);
  if (by.exact()) return count;
  Inst* zero = constant_inst(ctx, ir::kI64, 0);
  Inst* none = ctx.builder.op(Op::Eq, {by.inst(), zero});
  return Value::number(TypeCode::i8,
                       ctx.builder.op(Op::Select, {none, zero, inst_of(ctx, count, node)}));
}

Value range_element(Context& ctx, const Value::Range& range, const Value& position,
                    const Node* node) {
  const Value &start = range.bounds[0], &step = range.bounds[2];
  // Its numbers are right in their type, whatever wraps around on the way there.
  const auto wrapped = [&](const Value& v) {
    return v.exact() ? Value::constant(range.code, converted(*v.exact(), v.code(), range.code))
                     : convert(ctx, v, range.code, node);
  };
  const Value at = wrapped(position);
  const Value offset = is_constant(step, 1)
                           ? at
                           : same_type(ctx, BinaryOp::Mult, range.code, at, wrapped(step), node);
  if (is_constant(start, 0) || offset.is_unknown()) return offset;
  return same_type(ctx, BinaryOp::Add, range.code, wrapped(start), offset, node);
}

static Iteration of_elements(Context& ctx, std::vector<Value> elements) {
  Iteration out;
  out.unrolled = true;
  out.most = elements.size();
  out.length = whole(ctx, static_cast<__int128>(elements.size()));
  out.index = out.length.code();
  out.element = [elements = std::move(elements)](const Value& position) {
    return elements.at(static_cast<size_t>(position.exact()->integer));
  };
  return out;
}

static Iteration of_range(Context& ctx, const Value::Range& range, const Node* node) {
  Iteration out;
  out.length = range_length(ctx, range, node);
  out.index = range.code;
  out.element = [&ctx, range, node](const Value& position) {
    return range_element(ctx, range, position, node);
  };
  return out;
}

// Elements, or rows of what has more axes, in the order of the first axis.
static Iteration of_array(Context& ctx, const Value::Array& array, const Node* node) {
  Iteration out;
  out.length = extent_value(ctx, array, 0);
  out.index = TypeCode::i8;
  out.element = [&ctx, array, node](const Value& position) {
    return at_first_axis(ctx, array, convert(ctx, position, TypeCode::i8, node), node);
  };
  return out;
}

static Iteration of_choice(Context& ctx, const Value::Choice& choice, const Node* node) {
  Iteration out;
  out.length = of_each(ctx, choice, node,
                       [&](const Value::Array& array) { return extent_value(ctx, array, 0); });
  out.index = TypeCode::i8;
  out.element = [&ctx, choice, node](const Value& position) {
    const Value place = convert(ctx, position, TypeCode::i8, node);
    const bool rows = choice.parts[1].array().type.ndim > 1;
    return (rows ? of_each : of_chosen)(ctx, choice, node, [&](const Value::Array& array) {
      return at_first_axis(ctx, array, place, node);
    });
  };
  return out;
}

// The least of the lengths, in a type that has them all.
static Value shortest(Context& ctx, const std::vector<Iteration>& parts, const Node* node) {
  TypeCode code = parts[0].length.code();
  for (const Iteration& part : parts)
    if (!part.length.exact()) code = part.length.code();
  for (const Iteration& part : parts) {
    const Value& length = part.length;
    const bool fits_in = length.exact() ? is_weak(code) || fits(length.exact()->integer, code)
                                        : length.code() == code;
    if (!fits_in) code = TypeCode::i8;
  }
  Value least;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Value length = convert(ctx, parts[i].length, code, node);
    least = i == 0 ? length : min_max(ctx, least, length, Op::Min, node);
  }
  return least;
}

// Several in step, as long as the shortest.
static Iteration in_step(Context& ctx, const std::vector<Iteration>& parts, const Node* node) {
  Iteration out;
  out.length = shortest(ctx, parts, node);
  out.index = parts[0].index;
  for (const Iteration& part : parts) {
    if (part.index != out.index) out.index = TypeCode::i8;
    if (!part.unrolled) continue;
    out.most = out.unrolled ? std::min(out.most, part.most) : part.most;
    out.unrolled = true;
  }
  if (out.unrolled && out.length.exact())
    out.most = std::min(out.most, static_cast<size_t>(out.length.exact()->integer));
  return out;
}

static std::optional<std::vector<Iteration>> iterations_of(Context& ctx,
                                                           std::span<const Value> parts,
                                                           const Node* node) {
  std::vector<Iteration> out;
  for (const Value& part : parts) {
    std::optional<Iteration> one = iteration_of(ctx, part, node);
    if (!one || one->length.is_unknown()) return std::nullopt;
    out.push_back(std::move(*one));
  }
  return out;
}

static std::vector<Value> elements_at(const std::vector<Iteration>& parts, const Value& position) {
  std::vector<Value> elements;
  elements.reserve(parts.size());
  for (const Iteration& part : parts) elements.push_back(part.element(position));
  return elements;
}

static std::optional<Iteration> of_zip(Context& ctx, const Value::Iterator& zip) {
  if (zip.parts.empty()) return of_elements(ctx, {});
  auto parts = iterations_of(ctx, zip.parts, zip.node);
  if (!parts) return std::nullopt;
  Iteration out = in_step(ctx, *parts, zip.node);
  out.element = [parts = std::move(*parts)](const Value& position) {
    return Value::tuple(elements_at(parts, position));
  };
  return out;
}

static std::optional<Iteration> of_enumerate(Context& ctx, const Value::Iterator& it) {
  std::optional<Iteration> part = iteration_of(ctx, it.parts[0], it.node);
  if (!part) return std::nullopt;
  Iteration out = *part;
  out.element = [&ctx, part = std::move(*part), start = it.parts[1],
                 node = it.node](const Value& position) {
    Value index = position.exact() ? position : convert(ctx, position, part.index, node);
    if (!is_constant(start, 0))
      index = arithmetic(ctx, BinaryOp::Add, start, index, node, node, node);
    return Value::tuple({index, part.element(position)});
  };
  return out;
}

static std::optional<Iteration> of_reversed(Context& ctx, const Value::Iterator& it) {
  std::optional<Iteration> part = iteration_of(ctx, it.parts[0], it.node);
  if (!part) return std::nullopt;
  Iteration out = *part;
  out.element = [&ctx, part = std::move(*part), node = it.node](const Value& position) {
    const Value &n = part.length, one = whole(ctx, 1);
    const Value last = same_type(ctx, BinaryOp::Sub, n.code(), n, one, node);
    return part.element(same_type(ctx, BinaryOp::Sub, n.code(), last, position, node));
  };
  return out;
}

static std::optional<Iteration> of_map(Context& ctx, const Value::Iterator& map) {
  auto parts = iterations_of(ctx, std::span(map.parts).subspan(1), map.node);
  if (!parts) return std::nullopt;
  Iteration out = in_step(ctx, *parts, map.node);
  out.element = [&ctx, parts = std::move(*parts), function = map.parts[0],
                 node = map.node](const Value& position) {
    Arguments a;
    a.node = syntax::as<syntax::Call>(node);
    a.positional = elements_at(parts, position);
    if (a.has_unknown()) return Value::unknown();
    const uint32_t outer = ctx.copy;
    if (position.exact())
      ctx.copy = ctx.instance->unrolled.copy_of(ctx.place(node),
                                                static_cast<uint32_t>(position.exact()->integer));
    Value result = call_value(ctx, function, a);
    ctx.copy = outer;
    return result;
  };
  return out;
}

static Iteration of_mask(Context& ctx, const Value& mask, const Node* node) {
  Iteration out;
  out.length = whole(ctx, kLanes);
  out.index = out.length.code();
  out.element = [&ctx, mask, node](const Value& position) {
    return mask_lane(ctx, mask, position, node);
  };
  return out;
}

std::optional<Iteration> iteration_of(Context& ctx, const Value& sequence, const Node* node) {
  using Kind = Value::Iterator::Kind;
  if (is_mask(sequence)) return of_mask(ctx, sequence, node);
  if (auto* range = sequence.as<Value::Range>()) return of_range(ctx, *range, node);
  const bool goes_over_arrays = ctx.policy.has_sequences;
  if (auto* array = sequence.as<Value::Array>(); array && array->type.ndim > 0 && goes_over_arrays)
    return of_array(ctx, *array, node);
  if (auto* choice = sequence.choice_of_arrays(); choice && choice->parts[1].array().type.ndim > 0)
    return of_choice(ctx, *choice, node);
  if (auto* generator = sequence.as<Value::Generator>()) {
    if (std::optional<Iteration> it = iteration_of_generator(ctx, *generator)) return it;
    not_implemented(ctx, generator->node,
                    "a generator expression of several loops or conditions in zip() or enumerate()",
                    "write a loop");
    return Iteration{};
  }
  if (auto* it = sequence.as<Value::Iterator>()) {
    switch (it->kind) {
      case Kind::Zip:
        return of_zip(ctx, *it);
      case Kind::Enumerate:
        return of_enumerate(ctx, *it);
      case Kind::Reversed:
        return of_reversed(ctx, *it);
      case Kind::Map:
        return of_map(ctx, *it);
    }
  }
  if (const RecordRef cls = class_of(sequence); cls && cls->decl && cls->decl->has_own_iter) {
    not_implemented(ctx, node, "going through " + with_article(cls->name) + " by its own __iter__",
                    "name its fields, or go through a range() and index it");
    return Iteration{};
  }
  std::optional<std::vector<Value>> elements = elements_of(ctx, sequence);
  if (!elements) return std::nullopt;
  return of_elements(ctx, std::move(*elements));
}

Value not_iterable(Context& ctx, const Node* node, const Value& value) {
  const std::string hint = read_it_hint(value);
  return wrong_kind(ctx, DiagCode::not_iterable, node, value,
                    {type_text(value), hint.empty() ? "use range() or a tuple" : hint});
}

std::optional<std::vector<Value>> all_elements(Context& ctx, const Value& sequence,
                                               const Node* node) {
  if (sequence.is_unknown()) return std::nullopt;
  if (auto* generator = sequence.as<Value::Generator>()) return all_generated(ctx, *generator);
  const std::optional<Iteration> it = iteration_of(ctx, sequence, node);
  if (!it) {
    not_iterable(ctx, node, sequence);
    return std::nullopt;
  }
  if (it->length.is_unknown()) return std::nullopt;
  if (!it->length.exact()) {
    error(ctx, DiagCode::length_not_constant, node, {type_text(sequence)});
    return std::nullopt;
  }
  const __int128 count = it->length.exact()->integer;
  if (count > kMaxTuple) {
    error(ctx, DiagCode::tuple_too_long, node, {std::to_string(kMaxTuple)});
    return std::nullopt;
  }
  std::vector<Value> out;
  out.reserve(static_cast<size_t>(count));
  for (__int128 i = 0; i < count; ++i) out.push_back(it->element(whole(ctx, i)));
  return out;
}

bool knows_copies(Context& ctx, const Node* loop, UnrolledLoop copies) {
  auto& loops = ctx.instance->unrolled.loops;
  const auto [at, is_new] = loops.try_emplace(ctx.place(loop), copies);
  if (!is_new && at->second == copies) return true;
  at->second = copies;
  ctx.instance->outdated = true;
  ctx.inference.unrolled = true;
  return false;
}

Inst* has_element(Context& ctx, const Iteration& it, size_t element, const Node* node) {
  ctx.at(node);
  Inst* length = inst_of(ctx, it.length, node);
  Inst* position = constant_inst(ctx, length->type, static_cast<double>(element));
  return ctx.builder.op(Op::Lt, {position, length});
}

void if_there(Context& ctx, const Iteration& it, size_t element, const Node* node,
              const std::function<void(const Value& position)>& f) {
  const Value position = whole(ctx, static_cast<__int128>(element));
  if (it.length.exact()) return f(position);
  Inst* branch = ctx.builder.control(Op::If, {has_element(ctx, it, element, node)}, 2);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(branch->regions[0]);
  f(position);
  ctx.builder.set_block(*outer);
}

void counted(Context& ctx, const Value& length, const Node* node,
             const std::function<void(const Value& position)>& body) {
  const TypeCode code = length.code();
  const uint32_t counter = make_slot(ctx, "", code);
  Inst* stop = inst_of(ctx, length, node);
  Inst *zero = constant_inst(ctx, stop->type, 0), *one = constant_inst(ctx, stop->type, 1);
  Inst* loop = ctx.builder.control(Op::For, {zero, stop, one}, 2, counter);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(loop->regions[0]);
  body(Value::number(code, ctx.builder.slot_load(counter), true));
  ctx.builder.set_block(*outer);
}

}  // namespace cuda_device::frontend
