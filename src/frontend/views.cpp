// Other arrays over the same memory: slices, rows, transposes, other shapes and element types. A
// view is the number of its base, an offset, extents and strides; what is known of them stays
// constant.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

Value int64_constant(__int128 value) { return Value::constant_int(TypeCode::i8, value); }

bool is_exactly(const Value& v, __int128 value) { return v.exact && v.exact->integer == value; }

std::vector<Value> listed(const Value& index) {
  return index.is_tuple() ? index.elements : std::vector<Value>{index};
}

}  // namespace

Lowerer::Parts Lowerer::parts_of(const Value& array) {
  Parts parts;
  parts.offset = array.is_view() ? array.elements[0] : int64_constant(0);
  parts.shape = extents(array, Op::Extent).elements;
  parts.strides = extents(array, Op::Stride).elements;
  return parts;
}

Value Lowerer::view_of(const Value& array, ScalarKind element, Parts parts) const {
  Value v = array;
  const int ndim = static_cast<int>(parts.shape.size());
  v.array = ir::Type::array(element, ndim, array.array.space);
  v.elements = {std::move(parts.offset)};
  v.elements.insert(v.elements.end(), parts.shape.begin(), parts.shape.end());
  v.elements.insert(v.elements.end(), parts.strides.begin(), parts.strides.end());
  return v;
}

Value Lowerer::calculated(BinaryOp op, const Value& a, const Value& b, const Node* node) {
  if (op == BinaryOp::Mult && is_exactly(b, 1)) return a;
  if (op == BinaryOp::Add && is_exactly(a, 0)) return b;
  return arithmetic(op, a, b, node, node, node);
}

// ------------------------------------------------------------------------------ slices and rows

// Arrays of the launch have no views yet.
bool Lowerer::makes_view(const Value& array, const Value& index) const {
  if (array.array.space == ir::AddressSpace::Global) return false;
  const std::vector<Value> indices = listed(index);
  const bool slices = std::any_of(indices.begin(), indices.end(),
                                  [](const Value& v) { return v.kind == Value::Kind::Slice; });
  return slices || indices.size() < array.array.ndim;
}

Value Lowerer::wrapped_index(const Value& index, const Value& extent, const Node* node) {
  if (index.exact) {
    const Value wide = convert(index, TypeCode::i8, node);
    if (wide.is_unknown() || index.exact->integer >= 0) return wide;
    return calculated(BinaryOp::Add, extent, wide, node);
  }
  if (is_unsigned(index.code)) return convert(index, TypeCode::i8, node);
  return Value::number(TypeCode::i8, builder_.op(Op::Wrap, {index.inst, inst_of(extent, node)}));
}

Value Lowerer::sliced(const Value& array, const Value& index, const syntax::Subscript* node) {
  const std::vector<Value> indices = listed(index);
  const auto ndim = static_cast<size_t>(array.array.ndim);
  if (indices.size() > ndim) {
    const std::string given = std::to_string(indices.size()) + " indices are";
    return error(DiagCode::too_many_indices, node,
                 {type_text(array), count_text(ndim, "dimension"), given});
  }
  const Parts whole = parts_of(array);
  Parts parts;
  parts.offset = whole.offset;
  for (size_t i = 0; i < ndim; ++i) {
    const Value &extent = whole.shape[i], &stride = whole.strides[i];
    const Node* place = index_node(node, i);
    if (i >= indices.size()) {
      parts.shape.push_back(extent);
      parts.strides.push_back(stride);
    } else if (indices[i].kind == Value::Kind::Slice) {
      if (!slice_axis(parts, extent, stride, indices[i], place)) return Value::unknown();
    } else {
      if (!check_index(indices[i], place)) return Value::unknown();
      const Value at = wrapped_index(indices[i], extent, place);
      if (at.is_unknown()) return at;
      const Value bytes = calculated(BinaryOp::Mult, at, stride, place);
      parts.offset = calculated(BinaryOp::Add, parts.offset, bytes, place);
    }
  }
  return view_of(array, array.array.scalar, std::move(parts));
}

// A bound as Python takes it: counted from the end where negative, never outside of [least, most].
std::optional<Value> Lowerer::slice_bound(const Value& bound, const Value& extent, int64_t least,
                                          const Value& most, const Node* node) {
  if (!bound.is_number() || !is_int(bound.code)) {
    wrong_kind(DiagCode::slice_bound, node, bound, {type_text(bound)});
    return std::nullopt;
  }
  const Value at = wrapped_index(bound, extent, node);
  if (at.is_unknown()) return std::nullopt;
  const Value low = min_max(at, int64_constant(least), Op::Max, node);
  return min_max(low, most, Op::Min, node);
}

bool Lowerer::slice_axis(Parts& parts, const Value& extent, const Value& stride, const Value& slice,
                         const Node* node) {
  const Value &lower = slice.elements[0], &upper = slice.elements[1], &step = slice.elements[2];
  if (!step.is_none() && !(step.is_constant() && is_int(step.code))) {
    if (step.is_number() && is_int(step.code))
      not_implemented(node, "a slice whose step is known at run time only");
    else
      wrong_kind(DiagCode::slice_bound, node, step, {type_text(step)});
    return false;
  }
  const __int128 by = step.is_none() ? 1 : step.exact->integer;
  if (by == 0 || by < INT32_MIN || by > INT32_MAX) {
    error(DiagCode::slice_step_zero, node);
    return false;
  }
  const bool forward = by > 0;
  const int64_t least = forward ? 0 : -1;
  const Value last = calculated(BinaryOp::Sub, extent, int64_constant(1), node);
  const Value most = forward ? extent : last;
  std::optional<Value> start = forward ? int64_constant(0) : last;
  std::optional<Value> stop = forward ? extent : int64_constant(-1);
  if (!lower.is_none()) start = slice_bound(lower, extent, least, most, node);
  if (!upper.is_none()) stop = slice_bound(upper, extent, least, most, node);
  if (!start || !stop) return false;
  const __int128 size = forward ? by : -by;
  Value length =
      calculated(BinaryOp::Sub, forward ? *stop : *start, forward ? *start : *stop, node);
  if (size != 1) {
    length = calculated(BinaryOp::Add, length, int64_constant(size - 1), node);
    length = calculated(BinaryOp::FloorDiv, length, int64_constant(size), node);
  }
  parts.shape.push_back(min_max(length, int64_constant(0), Op::Max, node));
  parts.strides.push_back(calculated(BinaryOp::Mult, stride, int64_constant(by), node));
  const Value bytes = calculated(BinaryOp::Mult, *start, stride, node);
  parts.offset = calculated(BinaryOp::Add, parts.offset, bytes, node);
  return true;
}

Value Lowerer::transposed(const Value& array) {
  Parts parts = parts_of(array);
  std::reverse(parts.shape.begin(), parts.shape.end());
  std::reverse(parts.strides.begin(), parts.strides.end());
  return view_of(array, array.array.scalar, std::move(parts));
}

// --------------------------------------------------------------------------------- view, reshape

Value Lowerer::call_array_method(const Value& method, const Arguments& a) {
  const Value& array = method.elements[0];
  if (!a.named.empty())
    return not_implemented(a.node, "a keyword argument of " + method.name + "()");
  at(a.node);
  return method.name == "view" ? viewed_as(array, a) : reshaped(array, a);
}

// The same bytes as elements of another type: the last axis has as many as fit.
Value Lowerer::viewed_as(const Value& array, const Arguments& a) {
  if (a.positional.empty()) return array;
  if (a.positional.size() > 1) return error(DiagCode::expected_type, a.node, {"view"});
  const std::optional<TypeCode> code = read_dtype({&a.positional[0], argument_node(a, 0)}, "view");
  if (!code) return Value::unknown();
  const ScalarKind element = *scalar_of(*code);
  Parts parts = parts_of(array);
  if (!check_view(array, element, parts, a.node)) return Value::unknown();
  const int from = bytes_of(array.array.scalar), to = bytes_of(element);
  if (from != to) {
    const Value bytes =
        calculated(BinaryOp::Mult, parts.shape.back(), int64_constant(from), a.node);
    parts.shape.back() = calculated(BinaryOp::FloorDiv, bytes, int64_constant(to), a.node);
    parts.strides.back() = int64_constant(to);
  }
  return view_of(array, element, std::move(parts));
}

// What is known of the place of elements of so many bytes and is no multiple of their size.
std::optional<std::string> Lowerer::misplaced(const Parts& parts, int bytes) {
  const Value& offset = parts.offset;
  if (offset.exact && offset.exact->integer % bytes != 0)
    return "this part of it begins at byte " + to_text(offset.exact->integer);
  for (size_t k = 0; k + 1 < parts.strides.size(); ++k) {
    const Value &extent = parts.shape[k], &stride = parts.strides[k];
    const bool is_row = !extent.exact || extent.exact->integer > 1;
    if (is_row && stride.exact && stride.exact->integer % bytes != 0)
      return "rows of this part are " + to_text(stride.exact->integer) + " bytes apart";
  }
  return std::nullopt;
}

bool Lowerer::check_view(const Value& array, ScalarKind element, const Parts& parts,
                         const Node* node) {
  const int from = bytes_of(array.array.scalar), to = bytes_of(element);
  const std::string name(name_of(element));
  if (from != to && (parts.strides.empty() || !is_exactly(parts.strides.back(), from))) {
    error(DiagCode::array_view_axis, node, {name});
    return false;
  }
  if (from != to && parts.shape.back().exact) {
    const __int128 count = parts.shape.back().exact->integer;
    if (count * from % to != 0) {
      error(DiagCode::array_view_size, node,
            {to_text(count), std::string(name_of(array.array.scalar)), name});
      return false;
    }
  }
  if (const auto where = misplaced(parts, to)) {
    error(DiagCode::array_view_place, node, {name, std::to_string(to), array.name, *where});
    return false;
  }
  if (array.is_dynamic_shared()) return true;
  const uint32_t align = session_.allocations.at(array.index).align;
  if (align >= static_cast<uint32_t>(to)) return true;
  error(DiagCode::array_view_align, node,
        {name, std::to_string(to), array.name, std::to_string(align)});
  return false;
}

// Elements follow each other, the last axis first.
bool Lowerer::is_packed(const Value& array, const Parts& parts) const {
  __int128 step = bytes_of(array.array.scalar);
  for (size_t k = parts.shape.size(); k-- > 0;) {
    if (!is_exactly(parts.strides[k], step)) return false;
    if (k > 0 && !parts.shape[k].exact) return false;
    if (k > 0) step *= parts.shape[k].exact->integer;
  }
  return true;
}

Value Lowerer::reshaped(const Value& array, const Arguments& a) {
  const bool tuple = a.positional.size() == 1 && a.positional[0].is_tuple();
  const std::vector<Value>& wanted = tuple ? a.positional[0].elements : a.positional;
  const Parts whole = parts_of(array);
  if (!is_packed(array, whole)) return error(DiagCode::reshape_layout, a.node, {array.name});
  Parts parts;
  parts.offset = whole.offset;
  std::optional<size_t> open;  // the axis given as -1: what is left
  Value known = int64_constant(1);
  for (const Value& extent : wanted) {
    if (!extent.is_number() || !is_int(extent.code))
      return wrong_kind(DiagCode::array_shape_type, a.node, extent, {"reshape", type_text(extent)});
    const bool left_open = is_exactly(extent, -1) && !open;
    if (left_open) open = parts.shape.size();
    parts.shape.push_back(left_open ? int64_constant(1) : convert(extent, TypeCode::i8, a.node));
    known = calculated(BinaryOp::Mult, known, parts.shape.back(), a.node);
  }
  const Value size = array_size(array, a.node);
  if (open && !is_exactly(known, 0))
    parts.shape[*open] = calculated(BinaryOp::FloorDiv, size, known, a.node);
  if (size.exact && known.exact) {
    const __int128 have = size.exact->integer, want = known.exact->integer;
    if (open ? want == 0 || have % want != 0 : have != want) {
      std::string text = "(";
      for (const Value& e : wanted)
        text += (text.size() > 1 ? ", " : "") + to_text(e.code, *e.exact);
      return error(DiagCode::reshape_size, a.node, {to_text(have), text + ")"});
    }
  }
  Value step = int64_constant(bytes_of(array.array.scalar));
  parts.strides.resize(parts.shape.size());
  for (size_t k = parts.shape.size(); k-- > 0;) {
    parts.strides[k] = step;
    step = calculated(BinaryOp::Mult, step, parts.shape[k], a.node);
  }
  return view_of(array, array.array.scalar, std::move(parts));
}

}  // namespace cuda_device::frontend
