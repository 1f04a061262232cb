// Assignment to a part of an array, element by element: a[1:3] = 0, a[i] = b[j], a[:] += 1.
//
// As in Python, what is stored is as if it had been read before. Kernels have no memory for a copy,
// so where source and target are views of one array the elements are stored in the order in which
// none is overwritten before it is read; where there may be no such order, it is an error. Arrays
// that a launch passes twice, or that overlap otherwise, are stored in the order of their elements.
#include "frontend/arrays/arrays.h"

#include <algorithm>

#include "frontend/arrays/layout.h"
#include "frontend/control/control.h"
#include "frontend/control/iteration.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

// An array with its layout.
struct Side {
  const Value::Array& array;
  Layout layout;
  size_t ndim() const { return layout.axes.size(); }
};

// The order in which elements are stored: from the first to the last, or back.
struct Order {
  bool backward = false;
  Inst* backward_at_run_time = nullptr;  // a bool; null: it is known
};

// Whether the source has the target's extents, and whether it has those or 1: bools that are known
// when the kernel runs. Null: it has, and an axis of extent 1 is known.
struct Fit {
  Inst *same = nullptr, *repeats = nullptr;
};

}  // namespace

static Value extent_of(Context& ctx, const Side& side, size_t axis) {
  return extent_in(ctx, side.array, side.layout, axis);
}

static std::optional<__int128> known_extent(const Context& ctx, const Side& side, size_t axis) {
  return known_extent(ctx, side.array, side.layout, axis);
}

// --- shapes ---

static std::string shape_text(const Context& ctx, const Side& side) {
  std::string text;
  for (size_t axis = 0; axis < side.ndim(); ++axis) {
    const auto extent = known_extent(ctx, side, axis);
    text += (axis > 0 ? ", " : "") + (extent ? to_text(*extent) : std::string("?"));
  }
  return "(" + text + (side.ndim() == 1 ? ",)" : ")");
}

// Both are the whole of one axis of one array.
static bool is_same_axis(const Side& a, size_t i, const Side& b, size_t k) {
  const int8_t whole = a.layout.axes[i].whole;
  return whole != Value::kOwnExtent && whole == b.layout.axes[k].whole && !a.layout.window &&
         !b.layout.window && a.array.base == b.array.base;
}

static void also(Context& ctx, Inst*& all, Inst* one) {
  all = all ? ctx.builder.op(Op::And, {all, one}) : one;
}

// Whether an axis of the source has one element, where only the launch tells.
static Inst* is_single(Context& ctx, const Side& source, size_t axis, const Node* node) {
  return ctx.builder.op(Op::Eq, {inst_of(ctx, extent_of(ctx, source, axis), node),
                                 inst_of(ctx, int64_constant(1), node)});
}

// The extents of the source are those of the last axes of the target, or 1. Nothing: they cannot
// be, which is reported.
static std::optional<Fit> fit_of(Context& ctx, const Side& target, const Side& source,
                                 const Node* node) {
  const auto mismatch = [&]() -> std::optional<Fit> {
    error(ctx, DiagCode::store_shape, node, {shape_text(ctx, source), shape_text(ctx, target)});
    return std::nullopt;
  };
  if (source.ndim() > target.ndim()) return mismatch();
  Fit fit;
  const size_t before = target.ndim() - source.ndim();
  for (size_t axis = 0; axis < source.ndim(); ++axis) {
    const auto have = known_extent(ctx, source, axis),
               want = known_extent(ctx, target, before + axis);
    if (have == 1 || (have && have == want) || is_same_axis(target, before + axis, source, axis))
      continue;
    if (have && want) return mismatch();
    Inst* same = ctx.builder.op(Op::Eq, {inst_of(ctx, extent_of(ctx, target, before + axis), node),
                                         inst_of(ctx, extent_of(ctx, source, axis), node)});
    also(ctx, fit.same, same);
    if (!have) same = ctx.builder.op(Op::Or, {same, is_single(ctx, source, axis, node)});
    also(ctx, fit.repeats, same);
  }
  return fit;
}

static void fail_unless_fit(Context& ctx, Inst* fits, const Node* node) {
  if (!fits || !ctx.policy.can_fail) return;
  fail_unless(ctx, Value::number(TypeCode::b1, fits), node,
              {"ValueError", {"the shapes of an array and of the part it is stored in differ"}});
}

// --- order ---

// How far the source is ahead of the target on the axis of the memory, in steps; nothing: there is
// no one distance.
static std::optional<Value> distance(Context& ctx, const MemoryAxis& target,
                                     const MemoryAxis& source, const Node* node) {
  const bool alike =
      target.steps.size() == source.steps.size() &&
      std::ranges::equal(target.steps, source.steps, [](const auto& a, const auto& b) {
        return a.axis == b.axis && a.by.exact() && b.by.exact() &&
               a.by.exact()->integer == b.by.exact()->integer;
      });
  if (!alike || target.steps.size() > 1) return std::nullopt;
  if (target.steps.empty()) return int64_constant(0);  // elsewhere altogether, or here
  const Value ahead = difference(ctx, source.start, target.start, node);
  const bool down = target.steps[0].by.exact()->integer < 0;
  return down ? difference(ctx, int64_constant(0), ahead, node) : ahead;
}

// The places of all elements on one axis of the memory, as far as constants tell.
struct Places {
  std::optional<__int128> first, last;
};
static Places places_of(const Context& ctx, const Side& side, const MemoryAxis& axis) {
  if (!axis.start.exact()) return {};
  Places places{axis.start.exact()->integer, axis.start.exact()->integer};
  for (const MemoryAxis::Step& step : axis.steps) {
    if (!step.by.exact()) return {};
    const __int128 by = step.by.exact()->integer;
    std::optional<__int128>& end = by > 0 ? places.last : places.first;
    const auto extent = known_extent(ctx, side, step.axis);
    if (end && extent)
      *end += by * (*extent - 1);
    else
      end.reset();
  }
  return places;
}

// The bytes of one element of the base that the elements of a window may lie at; nothing: not
// known.
struct BytesWithin {
  __int128 first, end;
};
static std::optional<BytesWithin> bytes_within(Context& ctx, const Side& side) {
  if (!side.layout.window || !side.layout.window->offset.exact()) return std::nullopt;
  const uint32_t of_base = element_bytes_of_base(ctx, side.array);
  BytesWithin bytes{side.layout.window->offset.exact()->integer, 0};
  bytes.end = bytes.first + side.array.type.element_bytes();
  const std::vector<Value>&strides = side.layout.window->strides,
        &shape = side.layout.window->shape;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    if (!strides[axis].exact() || !shape[axis].exact()) continue;
    const __int128 stride = strides[axis].exact()->integer;
    const bool within = stride > 0 && stride < of_base;
    if (within) bytes.end += (shape[axis].exact()->integer - 1) * stride;
  }
  return bytes.first >= 0 && bytes.end <= of_base ? std::optional(bytes) : std::nullopt;
}

// Two fields of the elements of one array.
static bool are_other_fields(Context& ctx, const Side& a, const Side& b) {
  const auto x = bytes_within(ctx, a), y = bytes_within(ctx, b);
  return x && y && (x->end <= y->first || y->end <= x->first);
}

// On some axis one begins after the other's end.
static bool are_apart(const Context& ctx, const Side& a, const Side& b) {
  for (size_t k = 0; k < a.layout.memory.size(); ++k) {
    const Places x = places_of(ctx, a, a.layout.memory[k]);
    const Places y = places_of(ctx, b, b.layout.memory[k]);
    if ((x.last && y.first && *x.last < *y.first) || (y.last && x.first && *y.last < *x.first))
      return true;
  }
  return false;
}

// Whether two numbers are one whatever the launch gives.
static bool is_same_number(const Value& a, const Value& b) {
  if (a.exact() || b.exact())
    return a.exact() && b.exact() && a.exact()->integer == b.exact()->integer;
  const ir::Inst *x = a.inst(), *y = b.inst();
  return x == y || (x->op == Op::Stride && y->op == Op::Stride && x->operands == y->operands &&
                    x->imm == y->imm);
}

// Whether the axes of both are axes of the same bytes.
static bool is_same_memory(const Layout& a, const Layout& b) {
  if (!a.window || !b.window) return !a.window && !b.window;
  return is_same_number(a.window->offset, b.window->offset) &&
         std::ranges::equal(a.window->strides, b.window->strides, is_same_number);
}

// From the first element to the last where the source is ahead of the target, on the first axis on
// which they are at different places; back where it is after the target.
static std::optional<Order> order_of(Context& ctx, const Side& target, const Side& source,
                                     const Node* node) {
  if (target.array.base != source.array.base) return Order{};
  if (are_other_fields(ctx, target, source)) return Order{};
  if (!is_same_memory(target.layout, source.layout)) return std::nullopt;
  if (are_apart(ctx, target, source)) return Order{};
  if (target.ndim() != source.ndim()) return std::nullopt;
  for (size_t axis = 0; axis < target.ndim(); ++axis)
    if (known_extent(ctx, source, axis) == 1 && known_extent(ctx, target, axis) != 1)
      return std::nullopt;  // repeated
  std::vector<Value> ahead(target.ndim(), int64_constant(0));
  for (size_t k = 0; k < target.layout.memory.size(); ++k) {
    const MemoryAxis& axis = target.layout.memory[k];
    const auto steps = distance(ctx, axis, source.layout.memory[k], node);
    if (!steps) return std::nullopt;
    if (!axis.steps.empty()) ahead[axis.steps[0].axis] = *steps;
  }
  Order order;
  Inst* zero = nullptr;
  for (size_t axis = ahead.size(); axis-- > 0;) {
    const Value& steps = ahead[axis];
    if (steps.exact()) {
      if (steps.exact()->integer != 0) order = {steps.exact()->integer < 0, nullptr};
      continue;
    }
    if (!zero) zero = inst_of(ctx, int64_constant(0), node);
    Inst* otherwise = order.backward_at_run_time
                          ? order.backward_at_run_time
                          : inst_of(ctx, Value::boolean(order.backward), node);
    Inst* differs = ctx.builder.op(Op::Ne, {inst_of(ctx, steps, node), zero});
    Inst* is_after = ctx.builder.op(Op::Lt, {inst_of(ctx, steps, node), zero});
    order.backward_at_run_time =
        ctx.builder.typed(Op::Select, ir::kBool, {differs, is_after, otherwise});
  }
  return order;
}

static Value in_order(Context& ctx, const Order& order, const Value& place, const Value& extent,
                      const Node* node) {
  if (!order.backward && !order.backward_at_run_time) return place;
  const Value last = difference(ctx, extent, int64_constant(1), node);
  const Value back = difference(ctx, last, place, node);
  if (!order.backward_at_run_time) return back;
  return Value::number(TypeCode::i8,
                       ctx.builder.typed(Op::Select, ir::kI64,
                                         {order.backward_at_run_time, inst_of(ctx, back, node),
                                          inst_of(ctx, place, node)}));
}

// --- loops ---

using ForElement = std::function<void(const std::vector<Value>& at)>;

// A loop for each axis from `at` on; one of extent 1 has none.
static void for_each_element(Context& ctx, const Side& side, const Order& order,
                             std::vector<Value> at, const Node* node, const ForElement& f) {
  const size_t axis = at.size();
  if (axis == side.ndim()) return f(at);
  const auto inner = [&](const Value& place) {
    std::vector<Value> longer = at;
    longer.push_back(place);
    for_each_element(ctx, side, order, std::move(longer), node, f);
  };
  if (known_extent(ctx, side, axis) == 1) return inner(int64_constant(0));
  const Value extent = extent_of(ctx, side, axis);
  counted(ctx, extent, node,
          [&](const Value& counter) { inner(in_order(ctx, order, counter, extent, node)); });
}

// The element of the source that goes to a place of the target. `repeats`: axes of unknown extents
// may have one element.
static Value source_element(Context& ctx, const Side& source, const std::vector<Value>& target_at,
                            bool repeats, const Node* node) {
  const size_t before = target_at.size() - source.ndim();
  std::vector<Value> at(target_at.begin() + static_cast<std::ptrdiff_t>(before), target_at.end());
  for (size_t axis = 0; axis < at.size(); ++axis) {
    const auto extent = known_extent(ctx, source, axis);
    if (extent == 1) at[axis] = int64_constant(0);
    if (extent || !repeats) continue;
    Inst* zero = inst_of(ctx, int64_constant(0), node);
    at[axis] = Value::number(TypeCode::i8, ctx.builder.typed(Op::Select, ir::kI64,
                                                             {is_single(ctx, source, axis, node),
                                                              zero, inst_of(ctx, at[axis], node)}));
  }
  return load_element(ctx, source.array, operands_at(ctx, source.array, source.layout, at, node));
}

// Calls f with the operands of each element of the view and the value that goes there.
using ForPair = std::function<void(std::vector<Inst*> operands, const Value& value)>;

// The elements of a sub-array in registers, on the last axes of the view.
static void for_each_of_sub_array(Context& ctx, const Side& to, const Value::Record& sub_array,
                                  const Node* target, const Node* source, const ForPair& f) {
  const std::vector<int64_t>& shape = sub_array.type->shape;
  const auto before = static_cast<std::ptrdiff_t>(to.ndim()) - std::ssize(shape);
  bool fits = before >= 0;
  std::string text;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    fits = fits && known_extent(ctx, to, static_cast<size_t>(before) + axis) == shape[axis];
    text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
  }
  if (!fits) {
    error(ctx, DiagCode::store_shape, source,
          {"(" + text + (shape.size() == 1 ? ",)" : ")"), shape_text(ctx, to)});
    return;
  }
  const Side leading{
      to.array,
      {to.layout.window, false, {}, {to.layout.axes.begin(), to.layout.axes.begin() + before}}};
  for_each_element(ctx, leading, {}, {}, target, [&](const std::vector<Value>& at) {
    for (size_t k = 0; k < sub_array.fields.size(); ++k) {
      std::vector<Value> place = at;
      auto rest = static_cast<int64_t>(k);
      for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
        place.insert(place.begin() + before, int64_constant(rest % shape[axis]));
      f(operands_at(ctx, to.array, to.layout, place, target), sub_array.fields[k]);
    }
  });
}

static void for_each_pair(Context& ctx, const Value::Array& view, const Value& value,
                          const Node* target, const Node* source, const ForPair& f) {
  const Side to{view, layout_of(view)};
  ctx.at(target);
  if (value.is_record() && value.record().type->kind == RecordType::Kind::SubArray)
    return for_each_of_sub_array(ctx, to, value.record(), target, source, f);
  auto* array = value.as<Value::Array>();
  const std::optional<Side> from =
      array ? std::optional(Side{*array, layout_of(*array)}) : std::nullopt;
  const std::optional<Fit> fit = from ? fit_of(ctx, to, *from, source) : Fit{};
  if (!fit) return;
  const std::optional<Order> order = from ? order_of(ctx, to, *from, source) : Order{};
  if (!order) {
    error(ctx, DiagCode::store_overlap, target, {view.name});
    return;
  }
  const auto store = [&](bool repeats) {
    for_each_element(ctx, to, *order, {}, target, [&](const std::vector<Value>& at) {
      const Value element = from ? source_element(ctx, *from, at, repeats, source) : value;
      f(operands_at(ctx, view, to.layout, at, target), element);
    });
  };
  // An element that is repeated may be overwritten before it is read for the last time where both
  // are parts of one array.
  if (!fit->same || from->array.base == view.base) {
    fail_unless_fit(ctx, fit->same, source);
    return store(false);
  }
  branch(
      ctx, source, Value::number(TypeCode::b1, fit->same), [&] { store(false); },
      [&] {
        fail_unless_fit(ctx, fit->repeats, source);
        store(true);
      });
}

void fill(Context& ctx, const Value::Array& view, const Value& value, const Node* target,
          const Node* source) {
  if (value.is_unknown()) return;
  for_each_pair(ctx, view, value, target, source,
                [&](std::vector<Inst*> operands, const Value& element) {
                  store_element(ctx, view, std::move(operands), element, source);
                });
}

void fill_augmented(Context& ctx, const Value::Array& view, BinaryOp op, const Value& operand,
                    const syntax::AugAssign* node) {
  for_each_pair(ctx, view, operand, node->target, node->value,
                [&](std::vector<Inst*> operands, const Value& element) {
                  const Value old = load_element(ctx, view, operands);
                  const Value result =
                      binary(ctx, op, old, element, node, node->target, node->value);
                  store_element(ctx, view, std::move(operands), result, node);
                });
}

}  // namespace cuda_device::frontend
