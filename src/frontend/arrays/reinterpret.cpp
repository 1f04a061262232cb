// view(dtype), reshape() and astype(): the same memory as elements of another type or in another
// shape.
#include "frontend/arrays/arrays.h"

#include <algorithm>

#include "frontend/arrays/layout.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/control.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

int64_t element_bytes(const Value::Array& array) { return bytes_of(array.element); }

const ArrayFacts* facts_of(const Context& ctx, const Value::Array& array) {
  auto* parameter = std::get_if<Value::Parameter>(&array.base);
  return parameter ? &ctx.function->params[parameter->index].facts : nullptr;
}

std::string element_text(const Value::Array& array) {
  return array.element.is_number() ? std::string(name_of(fixed(array.element.code)))
                                   : type_text(array.element);
}

std::string shape_text(const std::vector<Value>& shape) {
  std::string text = "(";
  for (const Value& e : shape)
    text += (text.size() > 1 ? ", " : "") + to_text(e.code(), *e.exact());
  return text + ")";
}

// The arguments of a method by their names.
class Named {
 public:
  Named(Context& ctx, const Arguments& a, Method method, std::vector<std::string_view> names)
      : given_(names.size()) {
    const std::string name(name_of(method));
    if (a.positional.size() > names.size()) {
      error(ctx, DiagCode::intrinsic_count, a.node,
            {name, "at most " + count_text(names.size(), "argument"),
             were_given(a.positional.size()), "leave out the others"});
      fine_ = false;
      return;
    }
    for (size_t i = 0; i < a.positional.size(); ++i)
      given_[i] = {&a.positional[i], argument_node(a, i)};
    for (size_t k = 0; k < a.named.size(); ++k) {
      const auto at = std::ranges::find(names, a.named[k].first);
      Given* given = at == names.end() ? nullptr : &given_[static_cast<size_t>(at - names.begin())];
      fine_ &= given && !given->value;
      if (given && !given->value) {
        *given = {&a.named[k].second, a.named_sources[k]};
        continue;
      }
      std::string there_are;
      for (std::string_view n : names)
        there_are += (there_are.empty() ? "" : ", ") + std::string(n);
      error(ctx, given ? DiagCode::argument_twice : DiagCode::unexpected_keyword, a.node,
            {name, a.named[k].first, "its parameters are " + there_are});
    }
  }

  bool fine() const { return fine_; }
  const Given& operator[](size_t i) const { return given_[i]; }

 private:
  std::vector<Given> given_;
  bool fine_ = true;
};

bool is_bool_constant(const Given& given, bool value) {
  return given.value && given.value->is_constant() && is_bool(given.value->code()) &&
         is_exactly(*given.value, value);
}

}  // namespace

// Whether the view takes a contiguous argument's first axes at an index, a part of the next, and
// all of the others.
static bool is_contiguous(const Context& ctx, const Value::Array& array, const Layout& layout) {
  const ArrayFacts* facts = facts_of(ctx, array);
  if (layout.window) return layout.packed;
  if (!facts || !facts->contiguous) return false;
  bool inside = false;  // an axis has been met that is not at an index
  int before = -1;
  for (size_t k = 0; k < layout.memory.size(); ++k) {
    const std::vector<MemoryAxis::Step>& steps = layout.memory[k].steps;
    if (steps.size() != 1 && (inside || !steps.empty())) return false;
    if (steps.empty()) continue;
    const bool whole = layout.axes[steps[0].axis].whole == static_cast<int8_t>(k);
    if (!is_exactly(steps[0].by, 1) || (inside && !whole) || steps[0].axis <= before) return false;
    inside = true;
    before = steps[0].axis;
  }
  return true;
}

static Value same_number(Context& ctx, const Value& a, const Value& b, const Node* node) {
  return Value::number(TypeCode::b1,
                       ctx.builder.op(Op::Eq, {inst_of(ctx, a, node), inst_of(ctx, b, node)}));
}

// ------------------------------------------------------------------------------------------ view

static bool check_view(Context& ctx, const Value::Array& array, const DataType& element,
                       const Window& window, const Node* node) {
  const int64_t from = element_bytes(array), to = bytes_of(element);
  const std::string name = type_text(element);
  if (from != to && (window.strides.empty() || !is_exactly(window.strides.back(), from))) {
    error(ctx, DiagCode::array_view_axis, node, {name});
    return false;
  }
  if (from != to && window.shape.back().exact()) {
    const __int128 count = window.shape.back().exact()->integer;
    if (count * from % to != 0) {
      error(ctx, DiagCode::array_view_size, node, {to_text(count), element_text(array), name});
      return false;
    }
  }
  if (const auto where = misplaced(window, to)) {
    error(ctx, DiagCode::array_view_place, node, {name, std::to_string(to), array.name, *where});
    return false;
  }
  const uint32_t* own = array.allocation();
  if (!own) return true;
  const uint32_t align = ctx.session.allocations.at(*own).align;
  if (align >= static_cast<uint32_t>(to)) return true;
  error(ctx, DiagCode::array_view_align, node,
        {name, std::to_string(to), array.name, std::to_string(align)});
  return false;
}

static bool is_one_scalar(const DataType& type) {
  return type.is_number() && !is_complex(type.code);
}

// The same bytes as elements of another type: the last axis has as many as fit. Elements of the
// same size stay where they are, and an access reads their bits.
static Value viewed_as(Context& ctx, const Value::Array& array, const Arguments& a) {
  const Named given(ctx, a, Method::View, {"dtype"});
  if (!given.fine()) return Value::unknown();
  if (!given[0].value) return array;
  const std::optional<DataType> dtype = read_dtype(ctx, given[0], "view");
  if (!dtype) return Value::unknown();
  const DataType element = dtype->is_number() ? DataType::number(fixed(dtype->code)) : *dtype;
  if (array.element == element) return array;
  const Layout layout = layout_of(array);
  const int64_t from = element_bytes(array), to = bytes_of(element);
  const bool bools = (element.is_number() && is_bool(element.code)) ||
                     (array.element.is_number() && is_bool(array.element.code));
  const bool numbers = is_one_scalar(array.element) && is_one_scalar(element);
  if (from == to && numbers && !bools && (array.is_argument() || layout.window))
    return view_of(array, element, layout);
  Window window = window_of(ctx, array, layout, a.node);
  if (!check_view(ctx, array, element, window, a.node)) return Value::unknown();
  if (from != to) {
    const Value bytes = product(ctx, window.shape.back(), int64_constant(from), a.node);
    window.shape.back() = quotient(ctx, bytes, int64_constant(to), a.node);
    const Value whole = product(ctx, window.shape.back(), int64_constant(to), a.node);
    // The rest of dynamic shared memory stays unused.
    if (!bytes.exact() && from % to != 0 && array.is_argument() && ctx.policy.can_fail)
      fail_unless(
          ctx, same_number(ctx, whole, bytes, a.node), a.node,
          {"ValueError", {"the last axis is no whole number of elements of the new dtype"}});
    window.strides.back() = int64_constant(to);
  }
  Layout result = layout_of(std::move(window));
  result.packed = is_contiguous(ctx, array, layout);
  return view_of(array, element, std::move(result));
}

// --------------------------------------------------------------------------------------- reshape

// At run time, what is not known before: as many elements as there are, and no negative extent.
static void check_shape(Context& ctx, const Value& size, const std::vector<Value>& shape,
                        const Node* node) {
  Value count = int64_constant(1);
  for (const Value& extent : shape) count = product(ctx, count, extent, node);
  if (!ctx.policy.can_fail || (size.exact() && count.exact())) return;
  Value fine = same_number(ctx, count, size, node);
  for (const Value& extent : shape) {
    if (extent.exact()) continue;
    Inst* negative = ctx.builder.op(Op::Lt, {extent.inst(), inst_of(ctx, int64_constant(0), node)});
    Inst* not_negative = ctx.builder.op(Op::Not, {negative});
    fine = Value::number(TypeCode::b1, ctx.builder.op(Op::And, {fine.inst(), not_negative}));
  }
  fail_unless(ctx, fine, node,
              {"ValueError", {"an array cannot be reshaped into a shape of another size"}});
}

// Extents that are wanted, with what one of -1 stands for; nothing: they are no shape of the array.
static std::optional<std::vector<Value>> wanted_shape(Context& ctx, const Value& size,
                                                      const std::vector<Value>& wanted,
                                                      const Node* node) {
  std::vector<Value> shape;
  std::optional<size_t> open;  // the axis given as -1: what is left
  Value known = int64_constant(1);
  for (const Value& extent : wanted) {
    if (!extent.is_number() || !is_int(extent.code())) {
      wrong_kind(ctx, DiagCode::array_shape_type, node, extent, {"reshape", type_text(extent)});
      return std::nullopt;
    }
    const bool left_open = is_exactly(extent, -1) && !open;
    if (left_open) open = shape.size();
    shape.push_back(left_open ? int64_constant(1) : convert(ctx, extent, TypeCode::i8, node));
    if (shape.back().is_unknown()) return std::nullopt;
    if (shape.back().exact() && shape.back().exact()->integer < 0) {
      error(ctx, DiagCode::array_shape_negative, node,
            {"reshape", to_text(shape.back().exact()->integer)});
      return std::nullopt;
    }
    known = product(ctx, known, shape.back(), node);
  }
  if (size.exact() && known.exact()) {
    const __int128 have = size.exact()->integer, want = known.exact()->integer;
    if (open ? want == 0 || have % want != 0 : have != want) {
      error(ctx, DiagCode::reshape_size, node, {to_text(have), shape_text(wanted)});
      return std::nullopt;
    }
  }
  if (open) shape[*open] = quotient(ctx, size, known, node);
  check_shape(ctx, size, shape, node);
  return shape;
}

// The axes of the layout in C order along one axis of its memory, from the innermost step on.
static Layout split(Context& ctx, Layout layout, std::optional<size_t> along, Value step,
                    const std::vector<Value>& shape, const Node* node) {
  for (MemoryAxis& axis : layout.memory) axis.steps.clear();
  layout.axes.clear();
  for (const Value& extent : shape) layout.axes.push_back({Value::kOwnExtent, extent});
  layout.packed = true;
  if (!along) return layout;
  std::vector<MemoryAxis::Step>& steps = layout.memory[*along].steps;
  for (size_t k = shape.size(); k-- > 0;) {
    steps.push_back({static_cast<uint8_t>(k), step});
    if (k > 0) step = product(ctx, step, shape[k], node);
  }
  std::ranges::reverse(steps);
  return layout;
}

// The axis of the memory that all elements lie along at equal distances, in order, and the
// distance; nothing: there is no such axis. An array of one element has no axis, at no distance.
struct Line {
  std::optional<size_t> along;
  Value step = int64_constant(1);
};
static std::optional<Line> line_of(const Layout& layout) {
  Line line;
  for (size_t k = 0; k < layout.memory.size(); ++k) {
    const std::vector<MemoryAxis::Step>& steps = layout.memory[k].steps;
    if (steps.empty()) continue;
    if (line.along || (steps.size() > 1 && !layout.packed)) return std::nullopt;
    line = {k, steps.back().by};
  }
  return line;
}

// Elements follow each other, the last axis first, as far as constants tell.
static bool is_packed(const Value::Array& array, const Window& window) {
  __int128 step = element_bytes(array);
  for (size_t k = window.shape.size(); k-- > 0;) {
    if (!is_exactly(window.strides[k], step)) return false;
    if (k > 0 && !window.shape[k].exact()) return false;
    if (k > 0) step *= window.shape[k].exact()->integer;
  }
  return true;
}

static Value packed_window(Context& ctx, const Value::Array& array, Value offset,
                           std::vector<Value> shape, const Node* node) {
  Window window{std::move(offset), std::move(shape), {}};
  window.strides.resize(window.shape.size());
  Value step = int64_constant(element_bytes(array));
  for (size_t k = window.shape.size(); k-- > 0;) {
    window.strides[k] = step;
    if (k > 0) step = product(ctx, step, window.shape[k], node);
  }
  Layout layout = layout_of(std::move(window));
  layout.packed = true;
  return view_of(array, array.element, std::move(layout));
}

static Value in_shape(Context& ctx, const Value::Array& array, const std::vector<Value>& wanted,
                      const Node* node) {
  const Layout layout = layout_of(array);
  const std::optional<Line> line = line_of(layout);
  std::optional<Window> window;
  if (!line) {
    window = window_of(ctx, array, layout, node);
    if (!is_contiguous(ctx, array, layout) && !is_packed(array, *window))
      return error(ctx, DiagCode::reshape_layout, node, {array.name});
  }
  const auto shape = wanted_shape(ctx, array_size(ctx, array, node), wanted, node);
  if (!shape) return Value::unknown();
  if (window) return packed_window(ctx, array, window->offset, *shape, node);
  return view_of(array, array.element, split(ctx, layout, line->along, line->step, *shape, node));
}

static Value reshaped(Context& ctx, const Value::Array& array, const Arguments& a) {
  // The extents stand alone or as a tuple.
  Arguments one = a;
  const bool alone = !a.positional.empty() && !a.positional[0].is_tuple();
  if (alone) one.positional = {Value::tuple(a.positional)};
  const Named given(ctx, one, Method::Reshape, {"shape", "order", "copy"});
  if (!given.fine()) return Value::unknown();
  const Given &shape = given[0], &order = given[1], &copy = given[2];
  if (!shape.value)
    return error(ctx, DiagCode::missing_argument, a.node,
                 {"reshape", "shape", "for example " + array.name + ".reshape(-1)"});
  const std::string* text = order.value ? order.value->string() : nullptr;
  if (order.value && !(text && (*text == "C" || *text == "A")))
    return error(ctx, DiagCode::reshape_order, order.node,
                 {text ? "'" + *text + "'" : type_text(*order.value)});
  if (copy.value && !copy.value->is_none() && !is_bool_constant(copy, false))
    return error(ctx, DiagCode::reshape_copies, copy.node, {array.name});
  const Value& wanted = *shape.value;
  return in_shape(ctx, array, wanted.is_tuple() ? wanted.elements() : std::vector<Value>{wanted},
                  a.node);
}

// ---------------------------------------------------------------------------------------- astype

static Value as_type(Context& ctx, const Value::Array& array, const Arguments& a) {
  const Named given(ctx, a, Method::AsType, {"dtype", "copy"});
  if (!given.fine()) return Value::unknown();
  if (!given[0].value) return error(ctx, DiagCode::expected_type, a.node, {"astype"});
  const std::optional<DataType> dtype = read_dtype(ctx, given[0], "astype");
  if (!dtype) return Value::unknown();
  const bool same =
      array.element == (dtype->is_number() ? DataType::number(fixed(dtype->code)) : *dtype);
  if (same && is_bool_constant(given[1], false)) return array;
  const std::string name = array.name.empty() ? "a" : array.name;
  return error(ctx, DiagCode::astype_copies, a.node,
               {name, same ? "with copy=False it gives the array itself"
                           : "convert elements where they are read, such as device." +
                                 type_text(*dtype) + "(" + name + "[i])"});
}

Value call_array_method(Context& ctx, const Value::Array& array, Method method,
                        const Arguments& a) {
  ctx.at(a.node);
  if (array.reference) return call_atomic_method(ctx, array, method, a);
  switch (method) {
    case Method::View:
      return viewed_as(ctx, array, a);
    case Method::Reshape:
      return reshaped(ctx, array, a);
    case Method::AsType:
      return as_type(ctx, array, a);
    default:
      break;  // of numbers and atomics
  }
  return Value::unknown();
}

}  // namespace cuda_device::frontend
