// Other arrays over the same memory: slices, rows, transposes, other shapes and element types. A
// view is the number of its base, an offset, extents and strides; what is known of them stays
// constant.
#include "frontend/arrays/arrays.h"

#include <algorithm>

#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

struct Parts {  // int64 each
  Value offset;
  std::vector<Value> shape, strides;
};

Value int64_constant(__int128 value) { return Value::constant_int(TypeCode::i8, value); }

bool is_exactly(const Value& v, __int128 value) { return v.exact() && v.exact()->integer == value; }

std::vector<Value> listed(const Value& index) {
  return index.is_tuple() ? index.elements() : std::vector<Value>{index};
}

}  // namespace

static Parts parts_of(Context& ctx, const Value::Array& array) {
  Parts parts;
  parts.offset = array.is_view() ? array.view[0] : int64_constant(0);
  parts.shape = extents(ctx, array, Op::Extent).elements();
  parts.strides = extents(ctx, array, Op::Stride).elements();
  return parts;
}

static Value view_of(const Value::Array& array, ScalarKind element, Parts parts) {
  Value::Array v = array;
  v.element = DataType::number(code_of(element));
  const int ndim = static_cast<int>(parts.shape.size());
  v.type = ir::Type::array(element, ndim, array.type.space);
  v.view = {std::move(parts.offset)};
  v.view.insert(v.view.end(), parts.shape.begin(), parts.shape.end());
  v.view.insert(v.view.end(), parts.strides.begin(), parts.strides.end());
  return v;
}

static Value calculated(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                        const Node* node) {
  if (op == BinaryOp::Mult && is_exactly(b, 1)) return a;
  if (op == BinaryOp::Add && is_exactly(a, 0)) return b;
  return arithmetic(ctx, op, a, b, node, node, node);
}

// ------------------------------------------------------------------------------ slices and rows

bool makes_view(const Value::Array& array, const Value& index) {
  if (array.is_argument()) return false;
  const std::vector<Value> indices = listed(index);
  const bool slices = std::any_of(indices.begin(), indices.end(),
                                  [](const Value& v) { return v.is<Value::Slice>(); });
  return slices || indices.size() < array.type.ndim;
}

static Value wrapped_index(Context& ctx, const Value& index, const Value& extent,
                           const Node* node) {
  if (index.exact()) {
    const Value wide = convert(ctx, index, TypeCode::i8, node);
    if (wide.is_unknown() || index.exact()->integer >= 0) return wide;
    return calculated(ctx, BinaryOp::Add, extent, wide, node);
  }
  if (is_unsigned(index.code())) return convert(ctx, index, TypeCode::i8, node);
  return Value::number(TypeCode::i8,
                       ctx.builder.op(Op::Wrap, {index.inst(), inst_of(ctx, extent, node)}));
}

// A bound as Python takes it: counted from the end where negative, never outside of [least, most].
static std::optional<Value> slice_bound(Context& ctx, const Value& bound, const Value& extent,
                                        int64_t least, const Value& most, const Node* node) {
  if (!bound.is_number() || !is_int(bound.code())) {
    wrong_kind(ctx, DiagCode::slice_bound, node, bound, {type_text(bound)});
    return std::nullopt;
  }
  const Value at = wrapped_index(ctx, bound, extent, node);
  if (at.is_unknown()) return std::nullopt;
  const Value low = min_max(ctx, at, int64_constant(least), Op::Max, node);
  return min_max(ctx, low, most, Op::Min, node);
}

static bool slice_axis(Context& ctx, Parts& parts, const Value& extent, const Value& stride,
                       const Value::Slice& slice, const Node* node) {
  const Value &lower = slice.bounds[0], &upper = slice.bounds[1], &step = slice.bounds[2];
  if (!step.is_none() && !(step.is_constant() && is_int(step.code()))) {
    if (step.is_number() && is_int(step.code()))
      not_implemented(ctx, node, "a slice whose step is known at run time only");
    else
      wrong_kind(ctx, DiagCode::slice_bound, node, step, {type_text(step)});
    return false;
  }
  const __int128 by = step.is_none() ? 1 : step.exact()->integer;
  if (by == 0 || by < INT32_MIN || by > INT32_MAX) {
    error(ctx, DiagCode::slice_step_zero, node);
    return false;
  }
  const bool forward = by > 0;
  const int64_t least = forward ? 0 : -1;
  const Value last = calculated(ctx, BinaryOp::Sub, extent, int64_constant(1), node);
  const Value most = forward ? extent : last;
  std::optional<Value> start = forward ? int64_constant(0) : last;
  std::optional<Value> stop = forward ? extent : int64_constant(-1);
  if (!lower.is_none()) start = slice_bound(ctx, lower, extent, least, most, node);
  if (!upper.is_none()) stop = slice_bound(ctx, upper, extent, least, most, node);
  if (!start || !stop) return false;
  const __int128 size = forward ? by : -by;
  Value length =
      calculated(ctx, BinaryOp::Sub, forward ? *stop : *start, forward ? *start : *stop, node);
  if (size != 1) {
    length = calculated(ctx, BinaryOp::Add, length, int64_constant(size - 1), node);
    length = calculated(ctx, BinaryOp::FloorDiv, length, int64_constant(size), node);
  }
  parts.shape.push_back(min_max(ctx, length, int64_constant(0), Op::Max, node));
  parts.strides.push_back(calculated(ctx, BinaryOp::Mult, stride, int64_constant(by), node));
  const Value bytes = calculated(ctx, BinaryOp::Mult, *start, stride, node);
  parts.offset = calculated(ctx, BinaryOp::Add, parts.offset, bytes, node);
  return true;
}

Value sliced(Context& ctx, const Value::Array& array, const Value& index,
             const syntax::Subscript* node) {
  const std::vector<Value> indices = listed(index);
  const auto ndim = static_cast<size_t>(array.type.ndim);
  if (indices.size() > ndim) {
    const std::string given = std::to_string(indices.size()) + " indices are";
    return error(ctx, DiagCode::too_many_indices, node,
                 {type_text(array), count_text(ndim, "dimension"), given});
  }
  const Parts whole = parts_of(ctx, array);
  Parts parts;
  parts.offset = whole.offset;
  for (size_t i = 0; i < ndim; ++i) {
    const Value &extent = whole.shape[i], &stride = whole.strides[i];
    const Node* place = index_node(node, i);
    if (i >= indices.size()) {
      parts.shape.push_back(extent);
      parts.strides.push_back(stride);
    } else if (auto* slice = indices[i].as<Value::Slice>()) {
      if (!slice_axis(ctx, parts, extent, stride, *slice, place)) return Value::unknown();
    } else {
      if (!check_index(ctx, indices[i], place)) return Value::unknown();
      const Value at = wrapped_index(ctx, indices[i], extent, place);
      if (at.is_unknown()) return at;
      const Value bytes = calculated(ctx, BinaryOp::Mult, at, stride, place);
      parts.offset = calculated(ctx, BinaryOp::Add, parts.offset, bytes, place);
    }
  }
  return view_of(array, array.type.scalar(), std::move(parts));
}

Value transposed(Context& ctx, const Value::Array& array) {
  Parts parts = parts_of(ctx, array);
  std::reverse(parts.shape.begin(), parts.shape.end());
  std::reverse(parts.strides.begin(), parts.strides.end());
  return view_of(array, array.type.scalar(), std::move(parts));
}

// --------------------------------------------------------------------------------- view, reshape

// What is known of the place of elements of so many bytes and is no multiple of their size.
static std::optional<std::string> misplaced(const Parts& parts, int bytes) {
  const Value& offset = parts.offset;
  if (offset.exact() && offset.exact()->integer % bytes != 0)
    return "this part of it begins at byte " + to_text(offset.exact()->integer);
  for (size_t k = 0; k + 1 < parts.strides.size(); ++k) {
    const Value &extent = parts.shape[k], &stride = parts.strides[k];
    const bool is_row = !extent.exact() || extent.exact()->integer > 1;
    if (is_row && stride.exact() && stride.exact()->integer % bytes != 0)
      return "rows of this part are " + to_text(stride.exact()->integer) + " bytes apart";
  }
  return std::nullopt;
}

static bool check_view(Context& ctx, const Value::Array& array, ScalarKind element,
                       const Parts& parts, const Node* node) {
  const int from = bytes_of(array.type.scalar()), to = bytes_of(element);
  const std::string name(name_of(element));
  if (from != to && (parts.strides.empty() || !is_exactly(parts.strides.back(), from))) {
    error(ctx, DiagCode::array_view_axis, node, {name});
    return false;
  }
  if (from != to && parts.shape.back().exact()) {
    const __int128 count = parts.shape.back().exact()->integer;
    if (count * from % to != 0) {
      error(ctx, DiagCode::array_view_size, node,
            {to_text(count), std::string(name_of(array.type.scalar())), name});
      return false;
    }
  }
  if (const auto where = misplaced(parts, to)) {
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

// The same bytes as elements of another type: the last axis has as many as fit.
static Value viewed_as(Context& ctx, const Value::Array& array, const Arguments& a) {
  if (a.positional.empty()) return array;
  if (a.positional.size() > 1) return error(ctx, DiagCode::expected_type, a.node, {"view"});
  const std::optional<TypeCode> code =
      read_dtype(ctx, {&a.positional[0], argument_node(a, 0)}, "view");
  if (!code) return Value::unknown();
  const ScalarKind element = *scalar_of(*code);
  Parts parts = parts_of(ctx, array);
  if (!check_view(ctx, array, element, parts, a.node)) return Value::unknown();
  const int from = bytes_of(array.type.scalar()), to = bytes_of(element);
  if (from != to) {
    const Value bytes =
        calculated(ctx, BinaryOp::Mult, parts.shape.back(), int64_constant(from), a.node);
    parts.shape.back() = calculated(ctx, BinaryOp::FloorDiv, bytes, int64_constant(to), a.node);
    parts.strides.back() = int64_constant(to);
  }
  return view_of(array, element, std::move(parts));
}

// Elements follow each other, the last axis first.
static bool is_packed(const Value::Array& array, const Parts& parts) {
  __int128 step = bytes_of(array.type.scalar());
  for (size_t k = parts.shape.size(); k-- > 0;) {
    if (!is_exactly(parts.strides[k], step)) return false;
    if (k > 0 && !parts.shape[k].exact()) return false;
    if (k > 0) step *= parts.shape[k].exact()->integer;
  }
  return true;
}

static Value reshaped(Context& ctx, const Value::Array& array, const Arguments& a) {
  const bool tuple = a.positional.size() == 1 && a.positional[0].is_tuple();
  const std::vector<Value>& wanted = tuple ? a.positional[0].elements() : a.positional;
  const Parts whole = parts_of(ctx, array);
  if (!is_packed(array, whole)) return error(ctx, DiagCode::reshape_layout, a.node, {array.name});
  Parts parts;
  parts.offset = whole.offset;
  std::optional<size_t> open;  // the axis given as -1: what is left
  Value known = int64_constant(1);
  for (const Value& extent : wanted) {
    if (!extent.is_number() || !is_int(extent.code()))
      return wrong_kind(ctx, DiagCode::array_shape_type, a.node, extent,
                        {"reshape", type_text(extent)});
    const bool left_open = is_exactly(extent, -1) && !open;
    if (left_open) open = parts.shape.size();
    parts.shape.push_back(left_open ? int64_constant(1)
                                    : convert(ctx, extent, TypeCode::i8, a.node));
    known = calculated(ctx, BinaryOp::Mult, known, parts.shape.back(), a.node);
  }
  const Value size = array_size(ctx, array, a.node);
  if (open && !is_exactly(known, 0))
    parts.shape[*open] = calculated(ctx, BinaryOp::FloorDiv, size, known, a.node);
  if (size.exact() && known.exact()) {
    const __int128 have = size.exact()->integer, want = known.exact()->integer;
    if (open ? want == 0 || have % want != 0 : have != want) {
      std::string text = "(";
      for (const Value& e : wanted)
        text += (text.size() > 1 ? ", " : "") + to_text(e.code(), *e.exact());
      return error(ctx, DiagCode::reshape_size, a.node, {to_text(have), text + ")"});
    }
  }
  Value step = int64_constant(bytes_of(array.type.scalar()));
  parts.strides.resize(parts.shape.size());
  for (size_t k = parts.shape.size(); k-- > 0;) {
    parts.strides[k] = step;
    step = calculated(ctx, BinaryOp::Mult, step, parts.shape[k], a.node);
  }
  return view_of(array, array.type.scalar(), std::move(parts));
}

Value call_array_method(Context& ctx, const Value::Array& array, Method method,
                        const Arguments& a) {
  if (!a.named.empty())
    return not_implemented(ctx, a.node,
                           "a keyword argument of " + std::string(name_of(method)) + "()");
  ctx.at(a.node);
  return method == Method::View ? viewed_as(ctx, array, a) : reshaped(ctx, array, a);
}

}  // namespace cuda_device::frontend
