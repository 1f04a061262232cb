// Arrays: attributes, element access.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

// Attributes of arrays on the host that a kernel cannot have, or does not have yet: the methods of
// arrays in memory of the kernel's own are there, those of its arguments are not.
constexpr std::string_view kMethods[] = {"view", "reshape"};
constexpr std::string_view kLater[] = {"T", "view", "reshape", "astype"};
constexpr std::string_view kHostOnly[] = {"flags", "device", "data", "base", "ctypes"};

bool is_one_of(const std::string& name, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

ir::Inst* Lowerer::array_base(const Value& array) {
  if (array.array.space == ir::AddressSpace::Global) return parameters_.at(array.index);
  if (array.is_dynamic_shared()) return builder_.op(Op::DynamicShared, {});
  return builder_.op(Op::Array, {}, number_of_array(array.index));
}

ir::Inst* Lowerer::array_inst(const Value& array) {
  Inst* base = array_base(array);
  if (!array.is_view()) return base;
  std::vector<Inst*> operands = {base};
  for (const Value& number : array.elements) operands.push_back(inst_of(number, nullptr));
  return builder_.typed(Op::View, array.array, std::move(operands));
}

// Constants where they are known.
Value Lowerer::array_number(const Value& array, int axis, Op op) {
  const auto i = static_cast<size_t>(axis);
  const bool extent = op == Op::Extent;
  if (array.is_view()) return array.elements[1 + i + (extent ? 0 : size_t{array.array.ndim})];
  if (array.array.space != ir::AddressSpace::Global && !array.is_dynamic_shared()) {
    const ir::Allocation& a = session_.allocations.at(array.index);
    return Value::constant_int(TypeCode::i8, extent ? a.shape.at(i) : a.strides.at(i));
  }
  if (array.is_dynamic_shared() && !extent) return Value::constant_int(TypeCode::i8, 1);
  return Value::number(TypeCode::i8, builder_.op(op, {array_inst(array)}, axis));
}

Value Lowerer::extent_value(const Value& array, int axis) {
  return array_number(array, axis, Op::Extent);
}

Value Lowerer::stride_value(const Value& array, int axis) {
  return array_number(array, axis, Op::Stride);
}

Value Lowerer::extents(const Value& array, Op op) {
  std::vector<Value> out;
  out.reserve(array.array.ndim);
  for (int axis = 0; axis < array.array.ndim; ++axis) out.push_back(array_number(array, axis, op));
  return Value::tuple(std::move(out));
}

Value Lowerer::array_size(const Value& array, const Node* node) {
  std::optional<Value> size;
  for (const Value& extent : extents(array, Op::Extent).elements)
    size = size ? arithmetic(BinaryOp::Mult, *size, extent, node, node, node) : extent;
  return size.value_or(Value::constant_int(TypeCode::i8, 1));
}

Value Lowerer::array_attribute(const syntax::Attribute* node, const Value& base) {
  const std::string& name = node->attr;
  at(node);
  if (name == "shape") return extents(base, Op::Extent);
  if (name == "strides") return extents(base, Op::Stride);
  if (name == "size") return array_size(base, node);
  if (name == "ndim" || name == "ndims") {
    const int ndim = base.array.ndim;
    return Value::constant_int(policy_.int_literal(ndim), ndim);
  }
  if (name == "dtype")
    return Value::named(Value::Kind::Entity, entity_of_type(code_of(base.array.scalar)));
  const bool own = base.array.space != ir::AddressSpace::Global;
  if (own && name == "T") return transposed(base);
  if (own && is_one_of(name, kMethods)) {
    Value method = Value::named(Value::Kind::Method, name);
    method.elements = {base};
    return method;
  }
  if (is_one_of(name, kLater)) return not_implemented(node, "'" + name + "' of an array");
  if (is_one_of(name, kHostOnly)) return error(DiagCode::host_only_attribute, node, {name});
  return no_attribute(node, base, {"shape", "strides", "size", "ndim", "dtype"});
}

// "a[y, x]"
static std::string all_indices(const syntax::Subscript* node, size_t ndim) {
  std::string text = ndim == 1 ? "i" : ndim == 2 ? "y, x" : ndim == 3 ? "z, y, x" : "";
  for (size_t i = 0; ndim > 3 && i < ndim; ++i) text += (i == 0 ? "i" : ", i") + std::to_string(i);
  return written(node->value, "a") + "[" + text + "]";
}

// One operand per axis, the array first; reports what does not index an element.
std::optional<std::vector<ir::Inst*>> Lowerer::element_operands(const Value& array,
                                                                const Value& index,
                                                                const syntax::Subscript* node) {
  const std::vector<Value> indices = index.is_tuple() ? index.elements : std::vector<Value>{index};
  bool fine = true;
  for (size_t i = 0; i < indices.size(); ++i) fine &= check_index(indices[i], index_node(node, i));
  if (!fine) return std::nullopt;
  const auto ndim = static_cast<size_t>(array.array.ndim);
  const std::vector<std::string> counts = {type_text(array), std::to_string(ndim),
                                           std::to_string(indices.size())};
  if (indices.size() > ndim) {
    const std::string given = indices.size() == 1 ? "1 index is" : counts[2] + " indices are";
    error(DiagCode::too_many_indices, node, {counts[0], count_text(ndim, "dimension"), given});
    return std::nullopt;
  }
  if (indices.size() < ndim) {
    not_implemented(
        node,
        "a view of an array from fewer indices (" + counts[2] + ") than dimensions (" + counts[1] +
            ")",
        "an element has all its indices in one pair of brackets: " + all_indices(node, ndim));
    return std::nullopt;
  }
  at(node);
  std::vector<Inst*> operands = {array_inst(array)};
  for (size_t i = 0; i < indices.size(); ++i)
    operands.push_back(index_operand(array, indices[i], static_cast<int>(i), index_node(node, i)));
  return operands;
}

const syntax::Node* Lowerer::index_node(const syntax::Subscript* node, size_t i) const {
  auto* display = syntax::as<syntax::Tuple>(node->slice);
  return display && i < display->elts.size() ? display->elts[i] : node->slice;
}

static bool is_division(const syntax::Node* node) {
  auto* operation = syntax::as<syntax::BinOp>(node);
  return operation && operation->op == "Div";
}

bool Lowerer::check_index(const Value& index, const Node* node) {
  if (index.is_unknown()) return false;
  if (index.is_number() && is_int(index.code)) return true;
  if (index.kind == Value::Kind::Slice) {
    not_implemented(node, "slicing");
  } else if (index.is_none()) {
    not_implemented(node, "None (a new axis) as an index");
  } else if (index.is_entity("builtins.Ellipsis")) {
    not_implemented(node, "an ellipsis as an index");
  } else {
    const char* hint = is_division(node)
                           ? "convert it with int(), or write // where both are integers"
                       : index.is_number()  ? "convert it with int()"
                       : is_position(index) ? "name a component of it: .x, .y or .z"
                                            : "give one integer for each dimension";
    wrong_kind(DiagCode::index_type, node, index, {type_text(index), hint});
  }
  return false;
}

// Of arrays of the kernel's own; the extents of others are read at run time.
static bool has_known_shape(const Value& array) {
  return array.is_view() ||
         (array.array.space != ir::AddressSpace::Global && !array.is_dynamic_shared());
}

// A constant beyond a known extent, where it is certain that the code runs: what stands under
// conditions may be there for other extents.
void Lowerer::check_index_range(const Value& array, const Value& index, int axis,
                                const Node* node) {
  if (&builder_.block() != &function_->body || !has_known_shape(array)) return;
  const Value extent = extent_value(array, axis);
  if (!extent.exact) return;
  const __int128 i = index.exact->integer, n = extent.exact->integer;
  if (i < n && i >= -n) return;
  const std::string named = array.name.empty() ? "an array" : "'" + array.name + "'";
  const std::string which = (array.is_view() ? "a view of " : "") + named;
  const std::string where =
      array.array.ndim == 1 ? which : "axis " + std::to_string(axis) + " of " + which;
  const std::string can_be = n == 0 ? std::string("it has no elements")
                                    : "it can be from " + to_text(-n) + " to " + to_text(n - 1);
  error(DiagCode::index_range, node, {to_text(i), where, to_text(n), can_be});
}

// Python's negative indices, at no cost where the sign is known.
ir::Inst* Lowerer::index_operand(const Value& array, const Value& index, int axis,
                                 const Node* node) {
  if (index.exact) {
    check_index_range(array, index, axis, node);
    const Value wide = convert(index, TypeCode::i8, node);
    if (wide.is_unknown()) return builder_.const_int(ir::kI64, 0);
    Inst* constant = inst_of(wide, node);
    if (index.exact->integer >= 0) return constant;
    Inst* extent = inst_of(extent_value(array, axis), node);
    return builder_.op(Op::Add, {extent, constant});
  }
  if (is_unsigned(index.code)) return index.inst;
  Inst* extent = inst_of(extent_value(array, axis), node);
  return builder_.op(Op::Wrap, {index.inst, extent});
}

Value Lowerer::load_element(const Value& array, std::vector<Inst*> operands) {
  const ir::Type type = ir::Type::of(array.array.scalar);
  return Value::number(code_of(array.array.scalar),
                       builder_.typed(Op::Load, type, std::move(operands)));
}

void Lowerer::store_element(const Value& array, std::vector<Inst*> operands, const Value& value,
                            const Node* source) {
  if (!value.is_number()) {
    std::string hint =
        is_position(value) ? "name a component of it: .x, .y or .z" : read_it_hint(value);
    if (hint.empty()) hint = "an element takes a number";
    wrong_kind(DiagCode::store_type, source, value,
               {type_text(value), std::string(name_of(array.array.scalar)), hint});
    return;
  }
  const Value converted = convert(value, code_of(array.array.scalar), source);
  if (converted.is_unknown()) return;
  operands.push_back(inst_of(converted, source));
  builder_.typed(Op::Store, ir::Type::none(), std::move(operands));
}

bool Lowerer::check_writable(const Value& array, const syntax::Subscript* target) {
  if (!array.read_only) return true;
  error(DiagCode::store_read_only, target, {array.name});
  return false;
}

}  // namespace cuda_device::frontend
