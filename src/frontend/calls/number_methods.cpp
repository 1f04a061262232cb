// The methods of numbers, which are arrays of no dimension: view, astype, reshape. Those of arrays
// are in arrays/views.cpp.
#include <cmath>

#include "frontend/arrays/arrays.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/complex/complex.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

// The type that an argument names. A number is not copied, so astype(T, copy=...) says nothing.
std::optional<TypeCode> named_type(const Context& ctx, Method method, const Arguments& a) {
  std::vector<Value> types = a.positional;
  for (const auto& [name, value] : a.named) {
    if (name == "dtype") types.push_back(value);
    if (name != "dtype" && (name != "copy" || method != Method::AsType)) return std::nullopt;
  }
  if (types.size() != 1) return std::nullopt;
  const Value& v = types[0];
  std::optional<TypeCode> code;
  if (auto* entity = v.as<Value::Entity>()) code = type_entity(entity->name);
  if (const std::string* text = v.string()) code = type_of_text(*text);
  if (code) code = ctx.policy.constructed(*code);
  return code;
}

bool is_64_bits(TypeCode code) {
  return code == TypeCode::c8 || (!is_complex(code) && scalar_of(code) && bits_of(code) == 64);
}

constexpr ir::Type kPartBits = ir::Type::of(ScalarKind::U32),
                   kWholeBits = ir::Type::of(ScalarKind::U64);

// The parts of a complex64 side by side, the real one first.
Value complex_as_bits(Context& ctx, const Value& self, TypeCode to, const Node* node) {
  const auto bits = [&](const Value& part) {
    Inst* narrow = ctx.builder.typed(Op::Bitcast, kPartBits, {inst_of(ctx, part, node)});
    return ctx.builder.typed(Op::Convert, kWholeBits, {narrow});
  };
  Inst* high = ctx.builder.op(Op::Shl, {bits(self.parts()[1]), constant_inst(ctx, kWholeBits, 32)});
  Inst* all = ctx.builder.op(Op::Or, {bits(self.parts()[0]), high});
  const ir::Type type = ir::Type::of(*scalar_of(to));
  return Value::number(fixed(to),
                       type == kWholeBits ? all : ctx.builder.typed(Op::Bitcast, type, {all}));
}

Value bits_as_complex(Context& ctx, const Value& self, const Node* node) {
  Inst* all = inst_of(ctx, self, node);
  if (all->type != kWholeBits) all = ctx.builder.typed(Op::Bitcast, kWholeBits, {all});
  const auto part = [&](Inst* bits) {
    Inst* narrow = ctx.builder.typed(Op::Convert, kPartBits, {bits});
    return Value::number(TypeCode::f4,
                         ctx.builder.typed(Op::Bitcast, ir::Type::of(ScalarKind::F32), {narrow}));
  };
  const Value real = part(all);
  return Value::Complex{
      TypeCode::c8,
      {real, part(ctx.builder.op(Op::Shr, {all, constant_inst(ctx, kWholeBits, 32)}))}};
}

// The same bits as another type of the same size.
Value viewed_as(Context& ctx, const Value& self, TypeCode to, const Node* node) {
  if (is_64_bits(self.code()) && is_64_bits(to) && (self.is_complex() || is_complex(to))) {
    ctx.at(node);
    if (self.is_complex() && is_complex(to)) return self;
    return self.is_complex() ? complex_as_bits(ctx, self, to, node)
                             : bits_as_complex(ctx, self, node);
  }
  const bool bits = self.is_number() && scalar_of(to) && !is_bool(self.code()) && !is_bool(to) &&
                    bits_of(self.code()) == bits_of(to);
  if (!bits)
    return error(ctx, DiagCode::view_size, node, {type_text(self), std::string(name_of(to))});
  ctx.at(node);
  Inst* from = inst_of(ctx, self, node);
  const ir::Type type = ir::Type::of(*scalar_of(to));
  if (from->type == type) return Value::number(fixed(to), from);
  return Value::number(fixed(to), ctx.builder.typed(Op::Bitcast, type, {from}));
}

Value conjugated(Context& ctx, const Value& self, const Arguments& a) {
  if (a.positional.empty() && a.named.empty()) return call_conjugate(ctx, self, a.node);
  return error(
      ctx, DiagCode::intrinsic_count, a.node,
      {"conjugate", "no arguments", were_given(a.positional.size()), "call it without arguments"});
}

// Whether there is nothing after the point.
Value is_integer(Context& ctx, const Value& self) {
  if (!is_float(self.code())) return Value::boolean(true);
  if (self.exact()) {
    const double x = self.exact()->real;
    return Value::boolean(std::isfinite(x) && std::trunc(x) == x);
  }
  ir::Builder& e = ctx.builder;
  Inst* whole = e.op(Op::Eq, {e.op(Op::Trunc, {self.inst()}), self.inst()});
  return Value::number(TypeCode::b1, e.op(Op::And, {whole, e.op(Op::IsFinite, {self.inst()})}));
}

// The bits of the magnitude, as Python counts: that of the least number has one bit set, the
// sign's.
Value bits_of_magnitude(Context& ctx, const Value& self, bool length, const Arguments& a) {
  if (self.exact() && is_weak(self.code())) {
    const __int128 n = self.exact()->integer;
    auto rest = static_cast<unsigned __int128>(n < 0 ? -n : n);
    int bits = 0;
    for (; rest; rest >>= 1) bits += length ? 1 : static_cast<int>(rest & 1);
    return Value::constant_int(TypeCode::weak_int, bits);
  }
  Inst* number = inst_of(ctx, self, a.node);
  if (!is_unsigned(self.code())) number = ctx.builder.op(Op::Abs, {number});
  if (!length) return Value::number(TypeCode::i4, ctx.builder.op(Op::Popc, {number}));
  Inst* width = constant_inst(ctx, ir::Type::of(ScalarKind::I32), bits_of(self.code()));
  Inst* zeros = ctx.builder.op(Op::Clz, {number});
  return Value::number(TypeCode::i4, ctx.builder.op(Op::Sub, {width, zeros}));
}

// Methods of Python's numbers, without arguments.
Value counted(Context& ctx, const Value& self, Method method, const Arguments& a) {
  const std::string name(name_of(method));
  if (!a.positional.empty() || !a.named.empty())
    return error(
        ctx, DiagCode::intrinsic_count, a.node,
        {name, "no arguments", were_given(a.positional.size()), "call it without arguments"});
  if (!self.is_number() || is_bool(self.code()))
    return error(ctx, DiagCode::needs_integer, a.node, {name + "()", type_text(self)});
  ctx.at(a.node);
  if (method == Method::IsInteger) return is_integer(ctx, self);
  if (is_float(self.code()))
    return error(ctx, DiagCode::needs_integer, a.node, {name + "()", type_text(self)});
  return bits_of_magnitude(ctx, self, method == Method::BitLength, a);
}

// A number has no axes, and so has what is made of it.
Value reshaped(Context& ctx, const Value& self, const Arguments& a) {
  const bool none = a.positional.size() == 1 && a.positional[0].is_tuple() &&
                    a.positional[0].elements().empty() && a.named.empty();
  return none ? self
              : not_implemented(ctx, a.node, "reshape() of a number to an array",
                                "keep it in device.local_array(1, dtype)");
}

}  // namespace

Value call_number_method(Context& ctx, const Value& self, Method method, const Arguments& a) {
  if (method == Method::Reshape) return reshaped(ctx, self, a);
  if (method == Method::Conjugate) return conjugated(ctx, self, a);
  if (method == Method::IsInteger || method == Method::BitCount || method == Method::BitLength)
    return counted(ctx, self, method, a);
  const std::optional<TypeCode> to = named_type(ctx, method, a);
  if (!to) return error(ctx, DiagCode::expected_type, a.node, {std::string(name_of(method))});
  if (method == Method::AsType && is_complex(*to)) return convert(ctx, self, *to, a.node);
  return method == Method::AsType ? constructed(ctx, self, *to, a.node)
                                  : viewed_as(ctx, self, *to, a.node);
}

}  // namespace cuda_device::frontend
