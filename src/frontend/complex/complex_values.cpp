// What complex numbers are made of, and their attributes.
#include "frontend/complex/complex.h"

#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {

Value complex_abs(Context& ctx, const Value& v, const Node* node) {
  const Parts parts = parts_of(ctx, v, v.code(), node);
  if (!parts.re) return Value::unknown();
  return Value::number(component_of(v.code()), ctx.builder.op(Op::Hypot, {parts.re, parts.im}));
}

// complex(x, y) is x + y * 1j, of complex x and y too.
static Value from_two(Context& ctx, TypeCode code, const Arguments& a) {
  const Value x = convert(ctx, a.positional[0], code, argument_node(a, 0));
  const Value y = convert(ctx, a.positional[1], code, argument_node(a, 1));
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  if (!a.positional[0].is_complex() && !a.positional[1].is_complex())
    return Value::Complex{code, {x.parts()[0], y.parts()[0]}};
  const TypeCode part = component_of(code);
  const Value real = same_type(ctx, BinaryOp::Sub, part, x.parts()[0], y.parts()[1], a.node);
  const Value imag = same_type(ctx, BinaryOp::Add, part, x.parts()[1], y.parts()[0], a.node);
  return Value::Complex{code, {real, imag}};
}

Value construct_complex(Context& ctx, TypeCode code, const Arguments& a) {
  const std::string what = std::string(name_of(code)) + "()";
  for (size_t k = 0; k < a.positional.size(); ++k)
    if (!a.positional[k].is_complex() &&
        !require_number(ctx, a.positional[k], argument_node(a, k), what))
      return Value::unknown();
  ctx.at(a.node);
  if (a.positional.empty()) return complex_constant(code, 0, 0);
  if (a.positional.size() == 2) return from_two(ctx, code, a);
  return convert(ctx, a.positional[0], code, argument_node(a, 0));
}

std::optional<Value> complex_attribute(Context& ctx, const std::string& name, const Value& v) {
  if (name == "real") return v.parts()[0];
  if (name == "imag") return v.parts()[1];
  if (name == "dtype") return Value(Value::Entity{entity_of_type(fixed(v.code()))});
  if (name == "shape" || name == "strides") return Value::tuple({});
  if (name == "ndim" || name == "ndims") return Value::constant_int(ctx.policy.int_literal(0), 0);
  if (name == "size") return Value::constant_int(ctx.policy.int_literal(1), 1);
  if (name == "T") return v;
  for (const Method method : {Method::View, Method::Conjugate, Method::AsType, Method::Reshape})
    if (name == name_of(method)) return Value::BoundMethod{method, std::make_shared<Value>(v)};
  return std::nullopt;
}

}  // namespace cuda_device::frontend
