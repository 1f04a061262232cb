#include "frontend/arrays/slices.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

using TypeText = std::function<std::string()>;

bool is_ellipsis(const Value& v) { return v.is_entity("builtins.Ellipsis"); }
bool is_integer(const Value& v) { return v.is_number() && is_int(v.code()); }

std::vector<Value> listed(const Value& index) {
  return index.is_tuple() ? index.elements() : std::vector<Value>{index};
}

const Value& whole_slice() {
  static const Value whole = Value::Slice{{Value::none(), Value::none(), Value::none()}};
  return whole;
}

}  // namespace

bool makes_view(const Context& ctx, size_t ndim, const Value& index) {
  if (!ctx.policy.has_views) return false;
  size_t integers = 0;
  for (const Value& v : listed(index)) {
    if (v.is<Value::Slice>() || v.is_none()) return true;
    if (!is_ellipsis(v)) ++integers;
  }
  return integers < ndim || (ndim == 0 && is_ellipsis(index));
}

static std::optional<Indices> count_error(Context& ctx, const TypeText& type, size_t ndim,
                                          size_t given, const syntax::Subscript* node) {
  error(ctx, DiagCode::too_many_indices, node,
        {type(), count_text(ndim, "dimension"),
         given == 1 ? "1 index is" : std::to_string(given) + " indices are"});
  return std::nullopt;
}

// Where an array has no views, it has as many indices as dimensions, and each is an integer.
static bool are_exact(Context& ctx, const TypeText& type, size_t ndim,
                      const std::vector<Value>& given, const syntax::Subscript* node) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].is_number()) continue;
    const std::string found = given[i].is<Value::Slice>() ? "a slice"
                              : is_ellipsis(given[i])     ? "'...'"
                                                          : type_text(given[i]);
    error(ctx, DiagCode::no_slices, index_node(node, i), {found});
    return false;
  }
  if (given.size() == ndim) return true;
  error(ctx, DiagCode::exact_indices, node,
        {type(), count_text(ndim, "dimension"),
         ndim == 1 ? "1 index" : std::to_string(ndim) + " indices", std::to_string(given.size())});
  return false;
}

std::optional<Indices> indices_of(Context& ctx, const TypeText& type, size_t ndim,
                                  const Value& index, const syntax::Subscript* node) {
  const std::vector<Value> given = listed(index);
  if (!ctx.policy.has_views && !are_exact(ctx, type, ndim, given, node)) return std::nullopt;
  size_t used = 0;  // axes of the array
  bool fine = true;
  const Node* ellipsis = nullptr;
  for (size_t i = 0; i < given.size(); ++i) {
    const Node* place = index_node(node, i);
    if (is_ellipsis(given[i])) {
      if (ellipsis) {
        error(ctx, DiagCode::two_ellipses, place);
        return std::nullopt;
      }
      ellipsis = place;
    } else if (!given[i].is_none()) {
      ++used;
      if (!given[i].is<Value::Slice>()) fine &= check_index(ctx, given[i], place);
    }
  }
  if (!fine) return std::nullopt;
  if (used > ndim) return count_error(ctx, type, ndim, used, node);
  Indices out;
  for (size_t i = 0; i < given.size(); ++i) {
    if (is_ellipsis(given[i]))
      out.insert(out.end(), ndim - used, {whole_slice(), ellipsis});
    else
      out.emplace_back(given[i], index_node(node, i));
  }
  if (!ellipsis) out.insert(out.end(), ndim - used, {whole_slice(), node});
  return out;
}

Value counted_from_start(Context& ctx, const Value& index, const Node* node,
                         const std::function<Value()>& extent) {
  if (index.exact()) {
    if (!fits(index.exact()->integer, TypeCode::i8))
      return error(ctx, DiagCode::index_beyond, node, {to_text(index.exact()->integer)});
    const Value wide = convert(ctx, index, TypeCode::i8, node);
    if (wide.is_unknown() || index.exact()->integer >= 0) return wide;
    return sum(ctx, extent(), wide, node);
  }
  if (is_unsigned(index.code()))
    return index.code() == TypeCode::u8 ? convert(ctx, index, TypeCode::i8, node) : index;
  return Value::number(TypeCode::i8,
                       ctx.builder.op(Op::Wrap, {index.inst(), inst_of(ctx, extent(), node)}));
}

// ---------------------------------------------------------------------------------------- slices

// An integer, constants as int64; nothing: it is something else. No uint64 beyond int64: that is
// beyond every array too.
static std::optional<Value> bound_of(Context& ctx, const Value& bound, const Node* node) {
  if (bound.is_none()) return bound;
  if (!is_integer(bound)) {
    wrong_kind(ctx, DiagCode::slice_bound, node, bound, {type_text(bound)});
    return std::nullopt;
  }
  if (!bound.exact() && fixed(bound.code()) == TypeCode::u8) {
    const Value most = Value::constant_int(TypeCode::u8, INT64_MAX);
    return min_max(ctx, bound, most, Op::Min, node);
  }
  const Value known = bound.exact() ? convert(ctx, bound, TypeCode::i8, node) : bound;
  if (known.is_unknown()) return std::nullopt;
  return known;
}

// The number of steps of a size from one place to another beyond it; none: the other is before it.
static Value steps_between(Context& ctx, const Value& from, const Value& to, const Value& size,
                           const Node* node) {
  const Value distance = difference(ctx, to, from, node);
  if (is_exactly(size, 1)) return min_max(ctx, distance, int64_constant(0), Op::Max, node);
  // Rounded up without a sum that could go beyond int64.
  const Value last = difference(ctx, distance, int64_constant(1), node);
  const Value steps = sum(ctx, quotient(ctx, last, size, node), int64_constant(1), node);
  return min_max(ctx, steps, int64_constant(0), Op::Max, node);
}

// The bound, not beyond the end; a constant that counts from the end never is.
static Value not_beyond(Context& ctx, const Value& at, const Value& bound, const Value& end,
                        const Node* node) {
  return bound.exact() && bound.exact()->integer < 0 ? at : min_max(ctx, at, end, Op::Min, node);
}

// The bound, not before the first element; only one that may count from the end could be.
static Value not_negative(Context& ctx, const Value& at, const Value& bound, const Node* node) {
  const bool from_end = !(bound.exact() && bound.exact()->integer >= 0);
  return from_end && !is_unsigned(bound.code()) ? min_max(ctx, at, int64_constant(0), Op::Max, node)
                                                : at;
}

// Where the start lies beyond the array, the extent is 0 wherever it is: it is kept within on one
// side only, and a constant start stays constant.
static SliceOfAxis forward(Context& ctx, const Value& lower, const Value& upper, const Value& step,
                           const std::function<Value()>& extent, const Node* node) {
  const auto from_start = [&](const Value& bound) {
    return convert(ctx, counted_from_start(ctx, bound, node, extent), TypeCode::i8, node);
  };
  Value start = int64_constant(0), stop = extent();
  if (!lower.is_none()) start = not_negative(ctx, from_start(lower), lower, node);
  if (!upper.is_none())
    stop = not_beyond(ctx, not_negative(ctx, from_start(upper), upper, node), upper, stop, node);
  if (is_exactly(start, 0) && is_exactly(step, 1) && upper.is_none()) return {start, step, stop};
  return {start, step, steps_between(ctx, start, stop, step, node)};
}

static SliceOfAxis backward(Context& ctx, const Value& lower, const Value& upper, const Value& step,
                            const std::function<Value()>& extent, const Node* node) {
  const auto from_start = [&](const Value& bound) {
    return convert(ctx, counted_from_start(ctx, bound, node, extent), TypeCode::i8, node);
  };
  Value start = difference(ctx, extent(), int64_constant(1), node), stop = int64_constant(-1);
  if (!lower.is_none()) {
    start = not_beyond(ctx, from_start(lower), lower, start, node);
    const bool from_end = !(lower.exact() && lower.exact()->integer >= 0);
    if (from_end) start = min_max(ctx, start, int64_constant(-1), Op::Max, node);
  }
  if (!upper.is_none()) {
    // Not beyond the end either: the distance to a start far before the array would be beyond
    // int64.
    const Value within = not_beyond(ctx, from_start(upper), upper, extent(), node);
    stop = min_max(ctx, within, stop, Op::Max, node);
  }
  const Value size = difference(ctx, int64_constant(0), step, node);
  return {start, step, steps_between(ctx, stop, start, size, node)};
}

// A slice whose direction only the launch knows: both are made, and the numbers of one chosen.
static SliceOfAxis either(Context& ctx, const Value& lower, const Value& upper, const Value& step,
                          const std::function<Value()>& extent, const Node* node) {
  Inst* zero = inst_of(ctx, int64_constant(0), node);
  Inst* by = inst_of(ctx, step, node);
  if (ctx.policy.can_fail)
    fail_unless(ctx, Value::number(TypeCode::b1, ctx.builder.op(Op::Ne, {by, zero})), node,
                {"ValueError", {"slice step cannot be zero"}});
  Inst* ahead = ctx.builder.op(Op::Gt, {by, zero});
  const SliceOfAxis a = forward(ctx, lower, upper, step, extent, node);
  const SliceOfAxis b = backward(ctx, lower, upper, step, extent, node);
  const auto chosen = [&](const Value& yes, const Value& no) {
    return Value::number(
        TypeCode::i8, ctx.builder.typed(Op::Select, ir::kI64,
                                        {ahead, inst_of(ctx, yes, node), inst_of(ctx, no, node)}));
  };
  return {chosen(a.start, b.start), step, chosen(a.extent, b.extent)};
}

std::optional<SliceOfAxis> slice_of_axis(Context& ctx, const Value::Slice& slice,
                                         const std::function<Value()>& extent, const Node* node) {
  std::vector<Value> bounds;
  for (const Value& bound : slice.bounds) {
    const std::optional<Value> known = bound_of(ctx, bound, node);
    if (!known) return std::nullopt;
    bounds.push_back(*known);
  }
  const Value step =
      bounds[2].is_none() ? int64_constant(1) : convert(ctx, bounds[2], TypeCode::i8, node);
  const Exact* known = step.exact();
  if (known && (known->integer == 0 || known->integer < INT32_MIN || known->integer > INT32_MAX)) {
    error(ctx, known->integer == 0 ? DiagCode::slice_step_zero : DiagCode::slice_step_range, node,
          {to_text(known->integer)});
    return std::nullopt;
  }
  const auto taken = !step.exact() ? either : step.exact()->integer > 0 ? forward : backward;
  return taken(ctx, bounds[0], bounds[1], step, extent, node);
}

}  // namespace cuda_device::frontend
