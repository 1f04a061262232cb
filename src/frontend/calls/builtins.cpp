// Python's builtin functions, the position functions and the bit intrinsics.
#include "frontend/calls/handlers.h"

#include <algorithm>
#include <cmath>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/choices.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/complex/complex.h"
#include "frontend/control/iteration.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/class_operators.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/range_types.h"
#include "frontend/operators/ranges.h"
#include "frontend/records/enumerations.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {

static Value magnitude(Context& ctx, Value v, const Arguments& a) {
  if (is_bool(v.code())) v = convert(ctx, v, ctx.policy.bool_arithmetic, a.node);
  if (is_unsigned(v.code())) return v;
  if (!v.exact())
    return Value::number(v.code(), ctx.builder.op(Op::Abs, {v.inst()}), v.is_intact());
  if (is_float(v.code())) return Value::constant(v.code(), {0, std::fabs(v.exact()->real)});
  return v.exact()->integer < 0 ? negative(ctx, v, a.node) : v;
}

Value call_abs(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value v = number_of_mask(ctx, a.positional[0], a.node);
  if (const auto own = class_call(ctx, v, "__abs__", {}, a.node)) return *own;
  if (is_vector(v))
    return each_component(ctx, v, a.node, [&](const Value& c) { return magnitude(ctx, c, a); });
  if (v.is_complex()) return complex_abs(ctx, v, a.node);
  if (!require_number(ctx, v, argument_node(a, 0), "abs()")) return Value::unknown();
  return magnitude(ctx, v, a);
}

Value call_divmod(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& x = a.positional[0];
  const Value& y = a.positional[1];
  const Node *left = argument_node(a, 0), *right = argument_node(a, 1);
  const Value quotient = binary(ctx, BinaryOp::FloorDiv, x, y, a.node, left, right);
  if (quotient.is_unknown()) return quotient;
  return Value::tuple({quotient, binary(ctx, BinaryOp::Mod, x, y, a.node, left, right)});
}

Value call_len(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& v = a.positional[0];
  if (v.is_array() && v.array().type.ndim > 0) return extent_value(ctx, v.array(), 0);
  if (auto* choice = v.choice_of_arrays(); choice && choice->parts[1].array().type.ndim > 0)
    return of_each(ctx, *choice, a.node,
                   [&](const Value::Array& array) { return extent_value(ctx, array, 0); });
  if (auto* range = v.as<Value::Range>()) return range_size(ctx, *range, a.node);
  if (auto* text = v.as<Text>()) return text_length(ctx, *text, a.node);
  if (auto* keywords = v.as<Value::Keywords>())
    return Value::constant_int(ctx.policy.int_literal(0),
                               static_cast<__int128>(keywords->names.size()));
  if (const auto own = class_call(ctx, v, "__len__", {}, a.node)) return *own;
  const std::optional<std::vector<Value>> elements = elements_of(ctx, v);
  if (!elements) return wrong_kind(ctx, DiagCode::no_len, argument_node(a, 0), v, {type_text(v)});
  const auto size = static_cast<__int128>(elements->size());
  return Value::constant_int(ctx.policy.int_literal(size), size);
}

// Whether a value is of the class that an entity names. Formats of NumPy's are classes of their
// own, but for float64 and complex128, which are Python's float and complex too.
static bool is_instance(const Value& v, const std::string& cls) {
  if (cls == "builtins.tuple") return v.is_tuple() && !is_plain_object(v);
  if (cls == "builtins.str") return is_text(v);
  const std::optional<TypeCode> code = numeric_named(
      public_name(cls).starts_with("device.") ? public_name(cls).substr(7) : public_name(cls));
  if (!code || !(v.is_number() || v.is_complex())) return false;
  if (name_of(v.code()) == name_of(*code)) return true;
  if (*code == TypeCode::weak_int) return is_bool(v.code());
  if (*code == TypeCode::weak_float) return v.code() == TypeCode::f8;
  return *code == TypeCode::weak_complex && v.code() == TypeCode::c16;
}

// Nothing: kernels do not ask for such a class. A uint32x3 is a Dim3 to them, and a Dim3 a
// uint32x3.
std::optional<bool> is_instance(Context& ctx, const Value& v, const Value& cls) {
  auto* named = cls.as<Value::Class>();
  if (named && named->type->kind == RecordType::Kind::NamedTuple)
    return is_of_class(ctx.session, v, named->type);
  if (is_enumeration(cls)) return class_of(v) == named->type;
  if (cls.is_entity("device.Vector")) return is_vector(v);
  if (cls.is_entity("device.AtomicInterface") || cls.is_entity("device.AtomicRef"))
    return v.is_array() && v.array().is_atomic_ref();
  const std::optional<DataType> type = data_type_of(cls);
  if (type && holds_atomics(*type) && !is_atomic(*type))
    return v.is_array() && v.array().is_struct_ref() && v.array().element == *type;
  if (type && type->is_record() && is_position(v))
    return type->record == vector_type(TypeCode::u4, 3);
  if (type && type->is_record()) return v.is_record() && v.record().type == type->record;
  auto* entity = cls.as<Value::Entity>();
  if (!entity || !(type_entity(entity->name) || entity->name == "builtins.tuple" ||
                   entity->name == "builtins.str"))
    return std::nullopt;
  return is_instance(is_mask(v) ? Value::number(TypeCode::i4, nullptr) : v, entity->name);
}

Value call_super(Context& ctx, const Arguments& a, const Intrinsic&) {
  return error(ctx, DiagCode::super_use, a.node, {});
}

Value call_isinstance(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& classes = a.positional[1];
  const std::vector<Value> all =
      classes.is_tuple() ? classes.elements() : std::vector<Value>{classes};
  bool any = false;
  for (const Value& cls : all) {
    const std::optional<bool> is = is_instance(ctx, a.positional[0], behind_alias(cls));
    if (!is) return error(ctx, DiagCode::isinstance_class, argument_node(a, 1), {type_text(cls)});
    any |= *is;
  }
  return Value::boolean(any);
}

// Bounds in one type, where that wraps: without a sign only where none may be negative.
static void wrap_bounds(Context& ctx, std::vector<Value>& bounds, TypeCode code, const Node* node) {
  const auto may_be_negative = [](const Value& v) {
    return is_signed(v.code()) && limits_of(v).least < 0;
  };
  const bool mixed = is_unsigned(code) && std::ranges::any_of(bounds, may_be_negative);
  for (Value& bound : bounds) bound = convert(ctx, bound, mixed ? TypeCode::i8 : code, node);
}

Value call_range(Context& ctx, const Arguments& a, const Intrinsic&) {
  bool fine = true;
  std::vector<Value> given;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    const Value& v = given.emplace_back(number_of_mask(ctx, a.positional[i], a.node));
    const bool whole = v.is_number() && (is_int(v.code()) || is_bool(v.code()));
    if (!whole) error(ctx, DiagCode::range_type, argument_node(a, i), {type_text(v)});
    fine &= whole;
  }
  if (!fine) return Value::unknown();
  const bool only_stop = given.size() == 1;
  std::vector<Value> bounds = {
      only_stop ? Value::constant_int(ctx.policy.int_literal(0), 0) : given[0],
      given[only_stop ? 0 : 1],
      given.size() == 3 ? given[2] : Value::constant_int(ctx.policy.int_literal(1), 1)};
  if (bounds[2].exact() && bounds[2].exact()->integer == 0)
    return error(ctx, DiagCode::range_step_zero, argument_node(a, 2));
  for (Value& bound : bounds)
    if (is_bool(bound.code())) bound = convert(ctx, bound, ctx.policy.bool_arithmetic, a.node);
  const TypeCode code = type_of_numbers(ctx, bounds);
  if (!ctx.policy.compares_exactly) wrap_bounds(ctx, bounds, code, a.node);
  check_step(ctx, bounds[2], a.node);
  return Value::Range{std::move(bounds), code};
}

Value call_tid(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value& n = a.positional[0];
  const bool known = n.is_constant() && is_int(n.code());
  if (!known)
    return error(ctx, DiagCode::ndims_constant, argument_node(a, 0),
                 {i.short_name(), type_text(n)});
  if (n.exact()->integer < 1 || n.exact()->integer > 3)
    return error(ctx, DiagCode::ndims_range, argument_node(a, 0),
                 {i.short_name(), to_text(n.exact()->integer)});
  std::vector<Value> axes;
  axes.reserve(3);
  for (int axis = 0; axis < n.exact()->integer; ++axis)
    axes.push_back(Value::number(TypeCode::i4, ctx.builder.op(i.op, {}, axis)));
  return axes.size() == 1 ? axes[0] : Value::tuple(std::move(axes));
}

Value call_bits(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value v = number_of_mask(ctx, a.positional[0], a.node);
  if (!v.is_number() || !is_int(v.code()))
    return error(ctx, DiagCode::needs_integer, argument_node(a, 0), {i.short_name(), type_text(v)});
  Inst* operand = inst_of(ctx, v, argument_node(a, 0));
  const TypeCode result = i.op == Op::Brev ? v.code() : TypeCode::i4;
  return Value::number(result, ctx.builder.op(i.op, {operand}));
}

}  // namespace cuda_device::frontend
