// Functions that are chosen when the kernel runs.
#include <span>
#include <utility>

#include "frontend/calls/calls.h"
#include "frontend/choices.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

// Functions whose numbers follow one another.
struct Some {
  std::span<const Value> functions;
  size_t first;
};

}  // namespace

// Each has an instance of its own: two of them may be one function with other values in it.
static Value call_one(Context& ctx, const Some& one, const Arguments& a) {
  const uint32_t copy =
      ctx.instance->unrolled.copy_of(ctx.place(a.node), static_cast<uint32_t>(one.first));
  const uint32_t outer = std::exchange(ctx.copy, copy);
  Value result = call_value(ctx, one.functions[0], a);
  ctx.copy = outer;
  return result;
}

static Value call_among(Context& ctx, const Some& some, const Value& number, const Arguments& a) {
  if (some.functions.size() == 1) return call_one(ctx, some, a);
  const size_t half = some.functions.size() / 2;
  const size_t middle = some.first + half;
  ctx.at(a.node);
  const Value is_below =
      compare(ctx, CompareOp::Lt, number,
              Value::constant_int(TypeCode::u4, static_cast<__int128>(middle)), a.node);
  Captured below = capture(
      ctx, [&] { return call_among(ctx, {some.functions.first(half), some.first}, number, a); });
  Captured above = capture(
      ctx, [&] { return call_among(ctx, {some.functions.subspan(half), middle}, number, a); });
  return choose(ctx, is_below, std::move(below), std::move(above), a.node);
}

Value call_chosen(Context& ctx, const Value::Choice& choice, const Arguments& a) {
  const Value& number = choice.parts[0];
  const std::vector<Value> functions = alternatives_of(choice);
  if (const Exact* known = number.exact())
    return call_value(ctx, functions.at(static_cast<size_t>(known->integer)), a);
  return call_among(ctx, {functions, 0}, number, a);
}

}  // namespace cuda_device::frontend
