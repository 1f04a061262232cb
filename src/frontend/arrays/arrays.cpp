// Arrays: attributes, element access.
#include "frontend/arrays/arrays.h"

#include <algorithm>

#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

// Attributes of arrays on the host that a kernel cannot have, or does not have yet: the methods of
// arrays in memory of the kernel's own are there, those of its arguments are not.
constexpr std::string_view kMethods[] = {"view", "reshape"};
constexpr std::string_view kLater[] = {"T", "view", "reshape", "astype"};
constexpr std::string_view kHostOnly[] = {"flags", "device", "data", "base", "ctypes"};

bool is_among(const std::string& name, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

static Inst* array_base(Context& ctx, const Value::Array& array) {
  return std::visit(
      Visitor{[&](Value::Parameter base) { return ctx.parameters.at(base.index); },
              [&](Value::Allocation base) {
                return ctx.builder.op(Op::Array, {}, number_of_array(ctx, base.index));
              },
              [&](Value::DynamicShared) { return ctx.builder.op(Op::DynamicShared, {}); }},
      array.base);
}

static Inst* array_inst(Context& ctx, const Value::Array& array) {
  Inst* base = array_base(ctx, array);
  if (!array.is_view()) return base;
  std::vector<Inst*> operands = {base};
  for (const Value& number : array.view) operands.push_back(inst_of(ctx, number, nullptr));
  return ctx.builder.typed(Op::View, array.type, std::move(operands));
}

// Constants where they are known.
static Value array_number(Context& ctx, const Value::Array& array, int axis, Op op) {
  const auto i = static_cast<size_t>(axis);
  const bool extent = op == Op::Extent;
  if (array.is_view()) return array.view[1 + i + (extent ? 0 : size_t{array.type.ndim})];
  if (const uint32_t* own = array.allocation()) {
    const ir::Allocation& a = ctx.session.allocations.at(*own);
    return Value::constant_int(TypeCode::i8, extent ? a.shape.at(i) : a.strides.at(i));
  }
  if (array.is_dynamic_shared() && !extent) return Value::constant_int(TypeCode::i8, 1);
  return Value::number(TypeCode::i8, ctx.builder.op(op, {array_inst(ctx, array)}, axis));
}

Value extent_value(Context& ctx, const Value::Array& array, int axis) {
  return array_number(ctx, array, axis, Op::Extent);
}

Value extents(Context& ctx, const Value::Array& array, Op op) {
  std::vector<Value> out;
  out.reserve(array.type.ndim);
  for (int axis = 0; axis < array.type.ndim; ++axis)
    out.push_back(array_number(ctx, array, axis, op));
  return Value::tuple(std::move(out));
}

Value array_size(Context& ctx, const Value::Array& array, const Node* node) {
  std::optional<Value> size;
  const Value shape = extents(ctx, array, Op::Extent);
  for (const Value& extent : shape.elements())
    size = size ? arithmetic(ctx, BinaryOp::Mult, *size, extent, node, node, node) : extent;
  return size.value_or(Value::constant_int(TypeCode::i8, 1));
}

Value array_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& array) {
  const std::string& name = node->attr;
  ctx.at(node);
  if (name == "shape") return extents(ctx, array, Op::Extent);
  if (name == "strides") return extents(ctx, array, Op::Stride);
  if (name == "size") return array_size(ctx, array, node);
  if (name == "ndim" || name == "ndims") {
    const int ndim = array.type.ndim;
    return Value::constant_int(ctx.policy.int_literal(ndim), ndim);
  }
  if (name == "dtype") return Value(Value::Entity{entity_of_type(code_of(array.type.scalar()))});
  const bool own = !array.is_argument();
  if (own && name == "T") return transposed(ctx, array);
  if (own && is_among(name, kMethods)) {
    const Method method = name == "view" ? Method::View : Method::Reshape;
    return Value::BoundMethod{method, std::make_shared<Value>(array)};
  }
  if (is_among(name, kLater)) return not_implemented(ctx, node, "'" + name + "' of an array");
  if (is_among(name, kHostOnly)) return error(ctx, DiagCode::host_only_attribute, node, {name});
  return no_attribute(ctx, node, array, {"shape", "strides", "size", "ndim", "dtype"});
}

// "a[y, x]"
static std::string all_indices(const syntax::Subscript* node, size_t ndim) {
  std::string text = ndim == 1 ? "i" : ndim == 2 ? "y, x" : ndim == 3 ? "z, y, x" : "";
  for (size_t i = 0; ndim > 3 && i < ndim; ++i) text += (i == 0 ? "i" : ", i") + std::to_string(i);
  return written(node->value, "a") + "[" + text + "]";
}

// Whether the shape is known when compiling: that of the kernel's own arrays; the extents of others
// are read at run time.
static bool has_known_shape(const Value::Array& array) {
  return array.is_view() || array.allocation();
}

// A constant beyond a known extent, where it is certain that the code runs: what stands under
// conditions may be there for other extents.
static void check_index_range(Context& ctx, const Value::Array& array, const Value& index, int axis,
                              const Node* node) {
  if (&ctx.builder.block() != &ctx.function->body || !has_known_shape(array)) return;
  const Value extent = extent_value(ctx, array, axis);
  if (!extent.exact()) return;
  const __int128 i = index.exact()->integer, n = extent.exact()->integer;
  if (i < n && i >= -n) return;
  const std::string named = array.name.empty() ? "an array" : "'" + array.name + "'";
  const std::string which = (array.is_view() ? "a view of " : "") + named;
  const std::string where =
      array.type.ndim == 1 ? which : "axis " + std::to_string(axis) + " of " + which;
  const std::string can_be = n == 0 ? std::string("it has no elements")
                                    : "it can be from " + to_text(-n) + " to " + to_text(n - 1);
  error(ctx, DiagCode::index_range, node, {to_text(i), where, to_text(n), can_be});
}

// Python's negative indices, at no cost where the sign is known.
static Inst* index_operand(Context& ctx, const Value::Array& array, const Value& index, int axis,
                           const Node* node) {
  if (index.exact()) {
    check_index_range(ctx, array, index, axis, node);
    const Value wide = convert(ctx, index, TypeCode::i8, node);
    if (wide.is_unknown()) return ctx.builder.const_int(ir::kI64, 0);
    Inst* constant = inst_of(ctx, wide, node);
    if (index.exact()->integer >= 0) return constant;
    Inst* extent = inst_of(ctx, extent_value(ctx, array, axis), node);
    return ctx.builder.op(Op::Add, {extent, constant});
  }
  if (is_unsigned(index.code())) return index.inst();
  Inst* extent = inst_of(ctx, extent_value(ctx, array, axis), node);
  return ctx.builder.op(Op::Wrap, {index.inst(), extent});
}

std::optional<std::vector<Inst*>> element_operands(Context& ctx, const Value::Array& array,
                                                   const Value& index,
                                                   const syntax::Subscript* node) {
  const std::vector<Value> indices =
      index.is_tuple() ? index.elements() : std::vector<Value>{index};
  bool fine = true;
  for (size_t i = 0; i < indices.size(); ++i)
    fine &= check_index(ctx, indices[i], index_node(node, i));
  if (!fine) return std::nullopt;
  const auto ndim = static_cast<size_t>(array.type.ndim);
  const std::vector<std::string> counts = {type_text(array), std::to_string(ndim),
                                           std::to_string(indices.size())};
  if (indices.size() > ndim) {
    const std::string given = indices.size() == 1 ? "1 index is" : counts[2] + " indices are";
    error(ctx, DiagCode::too_many_indices, node, {counts[0], count_text(ndim, "dimension"), given});
    return std::nullopt;
  }
  if (indices.size() < ndim) {
    not_implemented(
        ctx, node,
        "a view of an array from fewer indices (" + counts[2] + ") than dimensions (" + counts[1] +
            ")",
        "an element has all its indices in one pair of brackets: " + all_indices(node, ndim));
    return std::nullopt;
  }
  ctx.at(node);
  std::vector<Inst*> operands = {array_inst(ctx, array)};
  for (size_t i = 0; i < indices.size(); ++i)
    operands.push_back(
        index_operand(ctx, array, indices[i], static_cast<int>(i), index_node(node, i)));
  return operands;
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
  if (index.is<Value::Slice>()) {
    slicing(ctx, node);
  } else if (index.is_none()) {
    not_implemented(ctx, node, "None (a new axis) as an index");
  } else if (index.is_entity("builtins.Ellipsis")) {
    not_implemented(ctx, node, "an ellipsis as an index",
                    "give an index for each axis, in a loop such as for i in range(a.shape[0]): "
                    "a[i] = 0");
  } else {
    const char* hint = is_division(node)
                           ? "convert it with int(), or write // where both are integers"
                       : index.is_number()  ? "convert it with int()"
                       : is_position(index) ? "name a component of it: .x, .y or .z"
                                            : "give one integer for each dimension";
    wrong_kind(ctx, DiagCode::index_type, node, index, {type_text(index), hint});
  }
  return false;
}

Value load_element(Context& ctx, const Value::Array& array, std::vector<Inst*> operands) {
  const ir::Type type = ir::Type::of(array.type.scalar());
  return Value::number(code_of(array.type.scalar()),
                       ctx.builder.typed(Op::Load, type, std::move(operands)));
}

void store_element(Context& ctx, const Value::Array& array, std::vector<Inst*> operands,
                   const Value& value, const Node* source) {
  if (!value.is_number()) {
    std::string hint =
        is_position(value) ? "name a component of it: .x, .y or .z" : read_it_hint(value);
    if (hint.empty()) hint = "an element takes a number";
    wrong_kind(ctx, DiagCode::store_type, source, value,
               {type_text(value), std::string(name_of(array.type.scalar())), hint});
    return;
  }
  const Value converted = convert(ctx, value, code_of(array.type.scalar()), source);
  if (converted.is_unknown()) return;
  operands.push_back(inst_of(ctx, converted, source));
  ctx.builder.typed(Op::Store, ir::Type::none(), std::move(operands));
}

bool check_writable(Context& ctx, const Value::Array& array, const syntax::Subscript* target) {
  if (!array.read_only) return true;
  error(ctx, DiagCode::store_read_only, target, {array.name});
  return false;
}

}  // namespace cuda_device::frontend
