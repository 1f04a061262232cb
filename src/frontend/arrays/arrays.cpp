// Arrays: attributes, element access.
#include "frontend/arrays/arrays.h"
#include "frontend/arrays/tables.h"

#include <algorithm>

#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

constexpr std::string_view kHostOnly[] = {"flags", "device", "data", "base", "ctypes"};

bool is_among(const std::string& name, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

Value extent_value(Context& ctx, const Value::Array& array, int axis) {
  return extent_in(ctx, array, layout_of(array), static_cast<size_t>(axis));
}

Value extents(Context& ctx, const Value::Array& array, Op op) {
  const Layout layout = layout_of(array);
  std::vector<Value> out;
  out.reserve(layout.axes.size());
  for (size_t axis = 0; axis < layout.axes.size(); ++axis)
    out.push_back(op == Op::Extent ? extent_in(ctx, array, layout, axis)
                                   : stride_in(ctx, array, layout, axis));
  return Value::tuple(std::move(out));
}

Value array_size(Context& ctx, const Value::Array& array, const Node* node) {
  std::optional<Value> size;
  const Value shape = extents(ctx, array, Op::Extent);
  for (const Value& extent : shape.elements())
    size = size ? arithmetic(ctx, BinaryOp::Mult, *size, extent, node, node, node) : extent;
  return size.value_or(Value::constant_int(TypeCode::i8, 1));
}

// The type itself, as a value.
Value dtype_value(const DataType& type) {
  if (type.is_number()) return Value::Entity{entity_of_type(type.code)};
  if (type.record->is_vector()) return Value::Entity{"device." + type.record->name};
  return Value::Class{type.record};
}

Value array_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& array) {
  const std::string& name = node->attr;
  ctx.at(node);
  if (array.is_struct_ref()) return struct_ref_attribute(ctx, node, array);
  if (array.reference) return atomic_attribute(ctx, node, array);
  if (name == "shape") return extents(ctx, array, Op::Extent);
  if (name == "strides") return extents(ctx, array, Op::Stride);
  if (name == "size") return array_size(ctx, array, node);
  if (name == "ndim" || (name == "ndims" && ctx.policy.has_views)) {
    const int ndim = array.type.ndim;
    return Value::constant_int(ctx.policy.array_ndim, ndim);
  }
  if (!ctx.policy.has_views) return no_attribute(ctx, node, array, {});
  if (name == "dtype") return dtype_value(array.element);
  if (name == "T") return transposed(array);
  for (Method method : {Method::View, Method::Reshape, Method::AsType})
    if (name == name_of(method)) return Value::BoundMethod{method, std::make_shared<Value>(array)};
  if (is_among(name, kHostOnly)) return error(ctx, DiagCode::host_only_attribute, node, {name});
  return no_attribute(ctx, node, array,
                      {"shape", "strides", "size", "ndim", "dtype", "view", "reshape", "astype"});
}

// A constant beyond a known extent, where it is certain that the code runs: what stands under
// conditions may be there for other extents.
static void check_index_range(Context& ctx, const Value::Array& array, const Layout& layout,
                              const Value& index, size_t axis, const Node* node) {
  if (&ctx.builder.block() != &ctx.function->body) return;
  const std::optional<__int128> extent = known_extent(ctx, array, layout, axis);
  if (!extent) return;
  const __int128 i = index.exact()->integer, n = *extent;
  if (i < n && i >= -n) return;
  const std::string named = array.name.empty() ? "an array" : "'" + array.name + "'";
  const std::string which = (array.is_view() ? "a view of " : "") + named;
  const std::string where =
      array.type.ndim == 1 ? which : "axis " + std::to_string(axis) + " of " + which;
  const std::string can_be = n == 0 ? std::string("it has no elements")
                                    : "it can be from " + to_text(-n) + " to " + to_text(n - 1);
  error(ctx, DiagCode::index_range, node, {to_text(i), where, to_text(n), can_be});
}

// At no cost where the sign is known.
Value counted_index(Context& ctx, const Value::Array& array, const Layout& layout,
                    const Value& index, size_t axis, const Node* node) {
  if (index.exact()) check_index_range(ctx, array, layout, index, axis, node);
  return counted_from_start(ctx, index, node, [&] { return extent_in(ctx, array, layout, axis); });
}

std::optional<std::vector<Value>> element_indices(Context& ctx, const Value::Array& array,
                                                  const Value& index,
                                                  const syntax::Subscript* node) {
  const std::optional<Indices> indices =
      indices_of(ctx, [&] { return type_text(array); }, array.type.ndim, index, node);
  if (!indices) return std::nullopt;
  ctx.at(node);
  const Layout layout = layout_of(array);
  std::vector<Value> at;
  for (size_t axis = 0; axis < indices->size(); ++axis) {
    const auto& [value, place] = (*indices)[axis];
    at.push_back(counted_index(ctx, array, layout, value, axis, place));
    if (at.back().is_unknown()) return std::nullopt;
  }
  return at;
}

std::optional<std::vector<Inst*>> element_operands(Context& ctx, const Value::Array& array,
                                                   const Value& index,
                                                   const syntax::Subscript* node) {
  const auto at = element_indices(ctx, array, index, node);
  if (!at) return std::nullopt;
  return operands_at(ctx, array, layout_of(array), *at, node);
}

const Node* index_node(const syntax::Subscript* node, size_t i) {
  auto* display = syntax::as<syntax::Tuple>(node->slice);
  return display && i < display->elts.size() ? display->elts[i] : node->slice;
}

static bool is_division(const Node* node) {
  auto* operation = syntax::as<syntax::BinOp>(node);
  return operation && operation->op == "Div";
}

bool check_index(Context& ctx, const Value& index, const Node* node) {
  if (index.is_unknown()) return false;
  if (index.is_number() && is_int(index.code())) return true;
  const std::string read = read_it_hint(index);
  const std::string hint =
      is_division(node)    ? "convert it with int(), or write // where both are integers"
      : index.is_number()  ? "convert it with int()"
      : is_position(index) ? "name a component of it: .x, .y or .z"
      : !read.empty()      ? read
      : index.is_array()
          ? "kernels have no memory for a copy of the chosen elements; read them one "
            "by one, such as a[i[k]]"
          : "give one integer for each dimension";
  wrong_kind(ctx, DiagCode::index_type, node, index, {type_text(index), hint});
  return false;
}

// Elements are numbers, each of one scalar.
static bool is_plain(const Value::Array& array) { return !array.type.has_records(); }

// view() as another type of the same size reads the bits of what the memory holds.
Value load_element(Context& ctx, const Value::Array& array, std::vector<Inst*> operands) {
  if (std::optional<Value> known = table_element(ctx, array, operands)) return *known;
  if (!is_plain(array)) return load_data(ctx, array.element, operands, 0);
  const ir::Type type = ir::Type::of(array.type.scalar());
  const ir::Type stored = ir::Type::of(operands[0]->type.scalar());
  Inst* element = ctx.builder.typed(Op::Load, stored, std::move(operands));
  if (stored != type) element = ctx.builder.typed(Op::Bitcast, type, {element});
  return Value::number(array.element.code, element);
}

void atomic_assigned(Context& ctx, const Value::Array& array, const Node* node) {
  error(ctx, DiagCode::atomic_assigned, node,
        {"an element of '" + array.name + "'", type_text(array.element)});
}

void store_element(Context& ctx, const Value::Array& array, std::vector<Inst*> operands,
                   const Value& value, const Node* source) {
  if (holds_atomics(array.element)) {
    if (!value.contains_unknown()) atomic_assigned(ctx, array, source);
    return;
  }
  if (!is_plain(array)) {
    const Value stored = as_data(ctx, value, array.element, Conversion::Stored, source,
                                 "an element of '" + array.name + "'");
    if (!stored.is_unknown()) store_data(ctx, array.element, operands, 0, stored, source);
    return;
  }
  if (is_mask(value))
    return store_element(ctx, array, std::move(operands), number_of_mask(ctx, value, source),
                         source);
  if (!value.is_number()) {
    std::string hint =
        is_position(value) ? "name a component of it: .x, .y or .z" : read_it_hint(value);
    if (value.is_complex()) hint = ".real and abs() are numbers without an imaginary part";
    if (hint.empty()) hint = "an element takes a number";
    wrong_kind(ctx, DiagCode::store_type, source, value,
               {type_text(value), type_text(array.element), hint});
    return;
  }
  const Value converted = implicitly_converted(ctx, value, array.element.code, source);
  if (converted.is_unknown()) return;
  Inst* element = inst_of(ctx, converted, source);
  const ir::Type stored = ir::Type::of(operands[0]->type.scalar());
  if (element->type != stored) element = ctx.builder.typed(Op::Bitcast, stored, {element});
  operands.push_back(element);
  ctx.builder.typed(Op::Store, ir::Type::none(), std::move(operands));
}

bool check_writable(Context& ctx, const Value::Array& array, const Node* target) {
  if (!array.read_only) return true;
  if (array.allocation()) {
    error(ctx, DiagCode::store_constant, target, {array.name});
    return false;
  }
  error(ctx, DiagCode::store_read_only, target, {array.name});
  return false;
}

}  // namespace cuda_device::frontend
