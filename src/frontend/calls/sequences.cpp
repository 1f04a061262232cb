// Builtins that take, make or reduce sequences: zip, enumerate, reversed, map, tuple, sum, all,
// any, math.prod. Those that compare elements are in order.cpp.
#include "frontend/calls/sequences.h"

#include "frontend/calls/handlers.h"

#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/control.h"
#include "frontend/control/generators.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

using IteratorKind = Value::Iterator::Kind;

}  // namespace

Hidden::Hidden(Context& ctx, const Arguments& a, std::string name)
    : ctx_(ctx),
      state_(ctx.instance->hidden[ctx.place(a.node)]),
      node_(a.node),
      name_(std::move(name)) {}

void Hidden::set(const Value& value) {
  if (value.is_unknown()) return;
  join_into(ctx_, state_, node_, abstract_of(value), false, name_, node_);
  store_web(ctx_, state_, name_, value, node_);
}

Value Hidden::get() { return load_web(ctx_, state_, name_); }

void each(Context& ctx, const Value& sequence, const Iteration* it, const Node* node,
          const std::function<void(const Value&)>& take) {
  if (auto* generator = sequence.as<Value::Generator>())
    return each_generated(ctx, *generator, take);
  const auto take_at = [&](const Value& position) { take(it->element(position)); };
  if (!it->unrolled) return counted(ctx, it->length, node, take_at);
  for (size_t i = 0; i < it->most; ++i) if_there(ctx, *it, i, node, take_at);
}

// The elements where each is evaluated in any case and in order; nothing: they are not, or after an
// error `fine` is false.
static std::optional<std::vector<Value>> straight(Context& ctx, const Value& sequence,
                                                  const std::optional<Iteration>& it,
                                                  const Node* node) {
  if (!it || !it->length.exact() || it->length.exact()->integer > kMaxTuple) return std::nullopt;
  return all_elements(ctx, sequence, node);
}

std::optional<Reduced> reduced(Context& ctx, const Value& sequence, const Node* node) {
  Reduced out;
  if (auto* generator = sequence.as<Value::Generator>()) {
    out.elements = straight_elements(ctx, *generator);
    return out;
  }
  out.it = iteration_of(ctx, sequence, node);
  if (!out.it) not_iterable(ctx, node, sequence);
  if (!out.it || out.it->length.is_unknown()) return std::nullopt;
  out.elements = straight(ctx, sequence, out.it, node);
  return out;
}

// start + x + y + ..., from left to right.
static Value folded(Context& ctx, const Arguments& a, BinaryOp op, const Value& start,
                    const std::string& name) {
  const Value& sequence = a.positional[0];
  const Node* node = argument_node(a, 0);
  const auto step = [&](const Value& total, const Value& x) {
    return binary(ctx, op, total, x, a.node, a.node, a.node);
  };
  const std::optional<Reduced> given = reduced(ctx, sequence, node);
  if (!given) return Value::unknown();
  if (given->elements) {
    Value total = start;
    for (const Value& x : *given->elements) total = step(total, x);
    return total;
  }
  Hidden total(ctx, a, name);
  ctx.at(a.node);
  total.set(start);
  each(ctx, sequence, given->it ? &*given->it : nullptr, node,
       [&](const Value& x) { total.set(step(total.get(), x)); });
  return total.get();
}

Value call_sum(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Value start =
      a.positional.size() > 1 ? a.positional[1] : Value::constant_int(ctx.policy.int_literal(0), 0);
  for (const auto& [name, value] : a.named) {
    if (name != "start" || a.positional.size() > 1)
      return error(ctx, DiagCode::unexpected_keyword, a.node,
                   {i.short_name(), name, "its parameters are iterable, start"});
    start = value;
  }
  return folded(ctx, a, BinaryOp::Add, start, "sum");
}

Value call_prod(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Value start = Value::constant_int(ctx.policy.int_literal(1), 1);
  for (const auto& [name, value] : a.named) {
    if (name != "start")
      return error(ctx, DiagCode::unexpected_keyword, a.node,
                   {i.short_name(), name, "its keyword is start"});
    start = value;
  }
  return folded(ctx, a, BinaryOp::Mult, start, "prod");
}

Value call_all_any(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const bool is_all = i.short_name() == "all";
  const Node* node = argument_node(a, 0);
  if (auto* generator = a.positional[0].as<Value::Generator>())
    return decided(ctx, *generator, is_all);
  const std::optional<Reduced> given = reduced(ctx, a.positional[0], node);
  if (!given) return Value::unknown();
  if (!given->elements)
    return decided(ctx, is_all, a.node, [&](const Take& take) {
      each(ctx, a.positional[0], &*given->it, node,
           [&](const Value& element) { take(truth(ctx, element, node)); });
    });
  const std::optional<std::vector<Value>>& elements = given->elements;
  Value all = Value::boolean(is_all);
  for (const Value& element : *elements) {
    const Value test = truth(ctx, element, node);
    all = both(ctx, all, test, is_all ? Op::And : Op::Or, a.node);
  }
  return all;
}

Value call_tuple(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (a.positional.empty()) return Value::tuple({});
  auto elements = all_elements(ctx, a.positional[0], argument_node(a, 0));
  return elements ? tuple_of(ctx, std::move(*elements), a.node) : Value::unknown();
}

// A range below zero has no elements.
static Value length_in_64_bits(Context& ctx, const Value& length, const Node* node) {
  const Value wide = convert(ctx, length, TypeCode::i8, node);
  return min_max(ctx, wide, Value::constant_int(TypeCode::i8, 0), Op::Max, node);
}

static bool same_length(Context& ctx, const Value& a, const Value& b, const Node* node) {
  if (a.exact() && b.exact()) {
    if (a.exact()->integer == b.exact()->integer) return true;
    error(ctx, DiagCode::zip_lengths, node,
          {to_text(a.exact()->integer), to_text(b.exact()->integer)});
    return false;
  }
  const Value same = compare(ctx, CompareOp::Eq, length_in_64_bits(ctx, a, node),
                             length_in_64_bits(ctx, b, node), node);
  if (!same.is_unknown())
    fail_unless(ctx, same, node,
                {"ValueError", {"the arguments of zip(strict=True) have different lengths"}});
  return !same.is_unknown();
}

// zip(..., strict=True): the kernel fails where lengths differ that are known at run time only.
static bool check_strict(Context& ctx, const Arguments& a) {
  const Node* node = a.named_sources[0];
  const auto& [name, strict] = a.named[0];
  if (name != "strict") {
    error(ctx, DiagCode::unexpected_keyword, a.node, {"zip", name, "its keyword is strict"});
    return false;
  }
  if (!strict.is_constant() || !is_bool(strict.code())) {
    error(ctx, DiagCode::zip_strict, node, {type_text(strict)});
    return false;
  }
  if (!strict.exact()->integer) return true;
  std::optional<Value> first;
  for (const Value& part : a.positional) {
    const std::optional<Iteration> it = iteration_of(ctx, part, a.node);
    if (!it || it->length.is_unknown()) continue;  // the loop says why
    if (first && !same_length(ctx, *first, it->length, a.node)) return false;
    first = it->length;
  }
  return true;
}

Value call_zip(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (!a.named.empty() && !check_strict(ctx, a)) return Value::unknown();
  return Value::Iterator{IteratorKind::Zip, a.positional, a.node};
}

Value call_enumerate(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Value start =
      a.positional.size() > 1 ? a.positional[1] : Value::constant_int(ctx.policy.int_literal(0), 0);
  for (const auto& [name, value] : a.named) {
    if (name != "start" || a.positional.size() > 1)
      return error(ctx, DiagCode::unexpected_keyword, a.node,
                   {i.short_name(), name, "its parameters are iterable, start"});
    start = value;
  }
  if (!start.is_number() || is_float(start.code()))
    return error(ctx, DiagCode::needs_integer, a.node,
                 {"the start of enumerate", type_text(start)});
  return Value::Iterator{IteratorKind::Enumerate, {a.positional[0], start}, a.node};
}

Value call_reversed(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& v = a.positional[0];
  if (v.is<Value::Iterator>() || v.is<Value::Generator>())
    return error(ctx, DiagCode::not_reversible, argument_node(a, 0), {type_text(v)});
  return Value::Iterator{IteratorKind::Reversed, {v}, a.node};
}

Value call_map(Context&, const Arguments& a, const Intrinsic&) {
  return Value::Iterator{IteratorKind::Map, a.positional, a.node};
}

}  // namespace cuda_device::frontend
