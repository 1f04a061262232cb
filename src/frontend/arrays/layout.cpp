#include "frontend/arrays/layout.h"

#include "frontend/arrays/arrays.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {

// --- numbers ---

Value int64_constant(__int128 value) { return Value::constant_int(TypeCode::i8, value); }

bool is_exactly(const Value& v, __int128 value) {
  return v.exact() && !is_float(v.code()) && v.exact()->integer == value;
}

Value sum(Context& ctx, const Value& a, const Value& b, const Node* node) {
  if (is_exactly(a, 0)) return b;
  if (is_exactly(b, 0)) return a;
  return arithmetic(ctx, BinaryOp::Add, a, b, node, node, node);
}

Value difference(Context& ctx, const Value& a, const Value& b, const Node* node) {
  if (is_exactly(b, 0)) return a;
  return arithmetic(ctx, BinaryOp::Sub, a, b, node, node, node);
}

Value product(Context& ctx, const Value& a, const Value& b, const Node* node) {
  if (is_exactly(a, 1) || is_exactly(b, 0)) return b;
  if (is_exactly(b, 1) || is_exactly(a, 0)) return a;
  return arithmetic(ctx, BinaryOp::Mult, a, b, node, node, node);
}

Value quotient(Context& ctx, const Value& a, const Value& b, const Node* node) {
  if (is_exactly(b, 1)) return a;
  return arithmetic(ctx, BinaryOp::FloorDiv, a, b, node, node, node);
}

// --- the form and its numbers ---

static Layout identity(size_t ndim) {
  Layout layout;
  for (size_t axis = 0; axis < ndim; ++axis) {
    const auto number = static_cast<uint8_t>(axis);
    layout.memory.push_back({int64_constant(0), {{number, int64_constant(1)}}});
    layout.axes.push_back({static_cast<int8_t>(axis), {}});
  }
  return layout;
}

Layout layout_of(Window window) {
  Layout layout = identity(window.shape.size());
  layout.window = std::move(window);
  return layout;
}

Layout layout_of(const Value::Array& array) {
  if (!array.form) return identity(array.type.ndim);
  const Value::ViewForm& form = *array.form;
  auto next = array.view.begin();
  Layout layout;
  layout.packed = form.packed;
  if (form.window) {
    const auto ndim = static_cast<std::ptrdiff_t>(form.moving.size());
    layout.window =
        Window{*next, {next + 1, next + 1 + ndim}, {next + 1 + ndim, next + 1 + 2 * ndim}};
    next += 1 + 2 * ndim;
  }
  for (const std::vector<uint8_t>& moving : form.moving) {
    MemoryAxis axis{*next++, {}};
    for (uint8_t number : moving) axis.steps.push_back({number, *next++});
    layout.memory.push_back(std::move(axis));
  }
  for (int8_t whole : form.whole)
    layout.axes.push_back({whole, whole == Value::kOwnExtent ? *next++ : Value()});
  return layout;
}

Value::Array view_of(const Value::Array& array, const DataType& element, Layout layout) {
  Value::Array v = array;
  v.element = element;
  v.type = array_type(element, static_cast<int>(layout.axes.size()), array.type.space);
  v.form = Value::ViewForm{layout.window.has_value(), layout.packed, {}, {}};
  v.view.clear();
  if (layout.window) {
    v.view.push_back(layout.window->offset);
    v.view.insert(v.view.end(), layout.window->shape.begin(), layout.window->shape.end());
    v.view.insert(v.view.end(), layout.window->strides.begin(), layout.window->strides.end());
  }
  for (MemoryAxis& axis : layout.memory) {
    v.view.push_back(axis.start);
    v.form->moving.emplace_back();
    for (MemoryAxis::Step& step : axis.steps) {
      v.form->moving.back().push_back(step.axis);
      v.view.push_back(step.by);
    }
  }
  for (ViewAxis& axis : layout.axes) {
    v.form->whole.push_back(axis.whole);
    if (axis.whole == Value::kOwnExtent) v.view.push_back(axis.extent);
  }
  return v;
}

// --- memory ---

static Inst* base_of(Context& ctx, const Value::Array& array) {
  return std::visit(
      Visitor{[&](Value::Parameter base) { return ctx.parameters.at(base.index); },
              [&](Value::Allocation base) {
                return ctx.builder.op(Op::Array, {}, number_of_array(ctx, base.index));
              },
              [&](Value::DynamicShared) { return ctx.builder.op(Op::DynamicShared, {}); }},
      array.base);
}

static Inst* memory_of(Context& ctx, const Value::Array& array, const Layout& layout) {
  Inst* base = base_of(ctx, array);
  if (!layout.window) return base;
  const Window& window = *layout.window;
  std::vector<Inst*> operands = {base, inst_of(ctx, window.offset, nullptr)};
  for (const Value& extent : window.shape) operands.push_back(inst_of(ctx, extent, nullptr));
  for (const Value& stride : window.strides) operands.push_back(inst_of(ctx, stride, nullptr));
  const auto ndim = static_cast<int>(window.shape.size());
  return ctx.builder.typed(Op::View, array_type(array.element, ndim, array.type.space),
                           std::move(operands));
}

// An extent or stride of the memory; nothing: only an instruction tells.
static std::optional<Value> known_number(const Context& ctx, const Value::Array& array,
                                         const Layout& layout, size_t axis, Op op) {
  const bool extent = op == Op::Extent;
  if (layout.window) return (extent ? layout.window->shape : layout.window->strides)[axis];
  if (const uint32_t* own = array.allocation()) {
    const ir::Allocation& a = ctx.session.allocations.at(*own);
    return int64_constant(extent ? a.shape.at(axis) : a.strides.at(axis));
  }
  if (array.is_dynamic_shared() && !extent) return int64_constant(1);
  return std::nullopt;
}

static Value memory_number(Context& ctx, const Value::Array& array, const Layout& layout,
                           size_t axis, Op op) {
  if (std::optional<Value> known = known_number(ctx, array, layout, axis, op)) return *known;
  return Value::number(TypeCode::i8,
                       ctx.builder.op(op, {base_of(ctx, array)}, static_cast<int64_t>(axis)));
}

std::optional<__int128> known_extent(const Context& ctx, const Value::Array& array,
                                     const Layout& layout, size_t axis) {
  const ViewAxis& a = layout.axes[axis];
  std::optional<Value> extent = a.extent;
  if (a.whole != Value::kOwnExtent)
    extent = known_number(ctx, array, layout, static_cast<size_t>(a.whole), Op::Extent);
  if (!extent || !extent->exact()) return std::nullopt;
  return extent->exact()->integer;
}

Value extent_in(Context& ctx, const Value::Array& array, const Layout& layout, size_t axis) {
  const ViewAxis& a = layout.axes[axis];
  if (a.whole == Value::kOwnExtent) return a.extent;
  return memory_number(ctx, array, layout, static_cast<size_t>(a.whole), Op::Extent);
}

uint32_t element_bytes_of_base(Context& ctx, const Value::Array& array) {
  return static_cast<uint32_t>(base_of(ctx, array)->type.element_bytes());
}

// That of a new axis is 0, as NumPy has it. `stride_of` gives those of the memory.
template <class F>
static Value stride_by(Context& ctx, const Layout& layout, size_t axis, const F& stride_of) {
  Value stride = int64_constant(0);
  for (size_t k = 0; k < layout.memory.size(); ++k)
    for (const MemoryAxis::Step& step : layout.memory[k].steps)
      if (step.axis == axis)
        stride = sum(ctx, stride, product(ctx, stride_of(k), step.by, nullptr), nullptr);
  return stride;
}

Value stride_in(Context& ctx, const Value::Array& array, const Layout& layout, size_t axis) {
  return stride_by(ctx, layout, axis,
                   [&](size_t k) { return memory_number(ctx, array, layout, k, Op::Stride); });
}

// As the program cannot see, but an access may use: that of an inner axis of one element is any.
static Value usable_stride(Context& ctx, const Value::Array& array, const Layout& layout,
                           size_t axis) {
  auto* parameter = std::get_if<Value::Parameter>(&array.base);
  const bool inner = parameter && !layout.window && axis + 1 == layout.memory.size();
  if (inner && ctx.function->params[parameter->index].facts.unit_inner)
    return int64_constant(ctx.function->params[parameter->index].type.element_bytes());
  return memory_number(ctx, array, layout, axis, Op::Stride);
}

Window window_of(Context& ctx, const Value::Array& array, const Layout& layout, const Node* node) {
  Window w;
  w.offset = layout.window ? layout.window->offset : int64_constant(0);
  for (size_t k = 0; k < layout.memory.size(); ++k) {
    const Value& start = layout.memory[k].start;
    if (is_exactly(start, 0)) continue;
    const Value stride = usable_stride(ctx, array, layout, k);
    const Value bytes = product(ctx, convert(ctx, start, TypeCode::i8, node), stride, node);
    w.offset = sum(ctx, w.offset, bytes, node);
  }
  for (size_t axis = 0; axis < layout.axes.size(); ++axis) {
    w.shape.push_back(extent_in(ctx, array, layout, axis));
    w.strides.push_back(stride_by(ctx, layout, axis,
                                  [&](size_t k) { return usable_stride(ctx, array, layout, k); }));
  }
  return w;
}

std::optional<std::string> misplaced(const Window& window, int64_t bytes) {
  const Value& offset = window.offset;
  if (offset.exact() && offset.exact()->integer % bytes != 0)
    return "this part of it begins at byte " + to_text(offset.exact()->integer);
  for (size_t k = 0; k + 1 < window.strides.size(); ++k) {
    const Value &extent = window.shape[k], &stride = window.strides[k];
    const bool is_row = !extent.exact() || extent.exact()->integer > 1;
    if (is_row && stride.exact() && stride.exact()->integer % bytes != 0)
      return "rows of this part are " + to_text(stride.exact()->integer) + " bytes apart";
  }
  return std::nullopt;
}

std::vector<Inst*> operands_at(Context& ctx, const Value::Array& array, const Layout& layout,
                               const std::vector<Value>& at, const Node* node) {
  std::vector<Inst*> operands = {memory_of(ctx, array, layout)};
  for (const MemoryAxis& axis : layout.memory) {
    Value index = axis.start;
    for (const MemoryAxis::Step& step : axis.steps)
      index = sum(ctx, index, product(ctx, at[step.axis], step.by, node), node);
    operands.push_back(inst_of(ctx, index, node));
  }
  return operands;
}

Value with_own_extents(Context* ctx, const Value::Array& array) {
  Layout layout = layout_of(array);
  layout.packed = false;
  for (size_t axis = 0; axis < layout.axes.size(); ++axis) {
    const Value extent = ctx ? extent_in(*ctx, array, layout, axis)
                         : layout.axes[axis].whole == Value::kOwnExtent
                             ? layout.axes[axis].extent
                             : Value::number(TypeCode::i8, nullptr);
    layout.axes[axis] = {Value::kOwnExtent, extent};
  }
  return view_of(array, array.element, std::move(layout));
}

}  // namespace cuda_device::frontend
