// Conversion from one numeric type to another, of constants with the range rules of literals.
#include "frontend/operators/convert.h"

#include <cctype>
#include <cmath>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/operators.h"
#include "frontend/warps/warps.h"
#include "support/check.h"
#include "support/render.h"

namespace cuda_device::frontend {

static bool holds_every_value(TypeCode to, TypeCode from) {
  const std::optional<ScalarKind> wide = scalar_of(is_complex(to) ? component_of(to) : to),
                                  narrow = scalar_of(is_complex(from) ? component_of(from) : from);
  if (is_complex(from) && !is_complex(to)) return false;
  return wide && narrow && cuda_device::holds_every_value(*wide, *narrow);
}

bool converts_silently(TypeCode to, TypeCode from) {
  if (is_weak(from))
    return is_complex(to) || (is_float(to) && !is_complex(from)) || (is_int(to) && is_int(from));
  return holds_every_value(to, from);
}

bool may_be_cut(const Value& value, TypeCode code) {
  const bool ints = value.is<Value::Scalar>() && is_int(value.code()) && is_int(code);
  return ints && is_weak(value.code()) && !is_weak(code) &&
         !cuda_device::holds_every_value(*scalar_of(code), *scalar_of(value.code()));
}

// What to do about a literal that does not fit.
std::string range_hint(const Value& literal, TypeCode to) {
  if (is_float(to))
    return overflows(*literal.exact(), literal.code(), TypeCode::f4)
               ? "use float64"
               : "use a wider type, such as float32";
  if (is_float(literal.code()) && !std::isfinite(literal.exact()->real))
    return "integers are finite numbers";
  const bool negative =
      is_int(literal.code()) ? literal.exact()->integer < 0 : literal.exact()->real < 0;
  if (negative && is_unsigned(to)) return "use a signed type, such as int64";
  return bits_of(to) == 64 || is_weak(to) ? "use float64" : "use a wider type, such as int64";
}

bool literal_fits(const Context& ctx, const Value& v, TypeCode to) {
  if (!ctx.policy.literals_must_fit || !is_weak(v.code())) return true;
  if (is_float(to)) return is_weak(to) || !overflows(*v.exact(), v.code(), to);
  if (!is_int(to)) return true;
  if (is_float(v.code()) && !has_integer(v.exact()->real)) return false;
  if (is_weak(to)) return true;
  return fits(converted(*v.exact(), v.code(), TypeCode::weak_int).integer, to);
}

bool fits_builtin(const Value& v) {
  if (!v.exact() || !is_weak(v.code())) return true;
  return is_int(v.code()) ? fits(v.exact()->integer, v.code())
                          : !overflows(*v.exact(), v.code(), v.code());
}

bool check_literal(Context& ctx, const Value& v, TypeCode to, const Node* node) {
  if (!v.exact() || literal_fits(ctx, v, to)) return true;
  error(ctx, DiagCode::literal_range, node,
        {to_text(v.code(), *v.exact()), std::string(name_of(to)), range_hint(v, to)});
  return false;
}

static Value convert_constant(Context& ctx, const Value& v, TypeCode to, const Node* node) {
  if (!check_literal(ctx, v, to, node)) return Value::unknown();
  return Value::constant(to, converted(*v.exact(), v.code(), to));
}

// A real number gets an imaginary part of zero.
static Value convert_complex(Context& ctx, const Value& v, TypeCode to, const Node* node) {
  const TypeCode part = component_of(to);
  const Value zero = Value::constant(part, {});
  const Value real = v.is_complex() ? v.parts()[0] : v;
  const Value x = convert(ctx, real, part, node);
  const Value y = v.is_complex() ? convert(ctx, v.parts()[1], part, node) : zero;
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  return Value::Complex{to, {x, y}};
}

Value convert(Context& ctx, const Value& v, TypeCode to, const Node* node) {
  if (v.is_unknown()) return v;
  if (is_complex(to)) return convert_complex(ctx, v, to, node);
  if (!scalar_of(to)) return Value::unknown();
  CD_CHECK(v.is_number(), "conversion of " + type_text(v));
  if (v.exact()) return convert_constant(ctx, v, to, node);
  const ir::Type type = ir::Type::of(*scalar_of(to));
  if (v.inst()->type == type)
    return Value::number(to, v.inst(), v.is_intact() && is_weak(v.code()));
  return Value::number(to, ctx.builder.typed(Op::Convert, type, {v.inst()}));
}

static std::string subject(const Context& ctx, const Node* node) {
  return "'" + source_text(ctx.program.files, node->span) + "'";
}

void warn_of_precision(Context& ctx, const Value& v, TypeCode to, const Node* node) {
  if (v.is_complex()) {
    if (is_complex(to)) warn_of_precision(ctx, v.parts()[0], component_of(to), node);
    return;
  }
  if (!node || !v.inst() || !is_weak(v.code()) || v.is_intact() || is_weak(to)) return;
  if (bits_of(v.code()) == 64) return;
  if (is_float(v.code()) && (is_float(to) || is_complex(to)) && bits_of(to) == 64)
    return warn(ctx, DiagCode::float_meets_float64, node, {subject(ctx, node)});
  if (is_int(v.code()) && is_int(to) && bits_of(to) == 64)
    warn(ctx, DiagCode::int_meets_int64, node,
         {subject(ctx, node), with_article(std::string(name_of(to)))});
}

Value implicitly_converted(Context& ctx, const Value& v, TypeCode to, const Node* node) {
  warn_of_precision(ctx, v, to, node);
  return convert(ctx, v, to, node);
}

Value in_builtins(Context& ctx, const Value& v, const Node* node) {
  if (!v.is_number() && !v.is_complex()) return v;
  const TypeCode own = ctx.policy.constructed(v.code());
  return own == v.code() ? v : convert(ctx, v, own, node);
}

Value as_intact(const Value& v) { return v.inst() ? Value::number(v.code(), v.inst(), true) : v; }

Inst* inst_of(Context& ctx, const Value& v, const Node* node) {
  CD_CHECK(v.is_number(), "no number: " + type_text(v));
  if (v.inst()) return v.inst();
  CD_CHECK(v.exact(), "a number without a value");
  const ir::Type type = ir::Type::of(*scalar_of(v.code()));
  // A weak constant has kept its full value so far: now it takes the builtin's 32-bit format.
  if (!fits_builtin(v)) {
    const std::string text = to_text(v.code(), *v.exact()), wide = "device.float64(" + text + ")";
    const std::string hint =
        is_float(v.code()) ? "write " + wide
                           : "give it a format, such as device.int64(" + text + ") or " + wide;
    error(ctx, DiagCode::weak_range, node,
          {text, std::string(name_of(v.code())), hint, std::to_string(bits_of(v.code()))});
  }
  if (type.is_float()) return ctx.builder.const_float(type, v.exact()->real);
  return ctx.builder.const_int(type, static_cast<int64_t>(v.exact()->integer));
}

Inst* constant_inst(Context& ctx, ir::Type type, double value) {
  if (type.is_float()) return ctx.builder.const_float(type, value);
  return ctx.builder.const_int(type, static_cast<int64_t>(value));
}

bool require_number(Context& ctx, const Value& v, const Node* node, const std::string& what) {
  if (v.is_number()) return true;
  if (v.is_complex()) {
    error(ctx, DiagCode::needs_real, node, {what, type_text(v)});
    return false;
  }
  std::string hint = read_it_hint(v);
  if (hint.empty())
    hint = v.is_array() ? "arrays are worked on element by element" : "it works on numbers";
  if (!v.is_unknown()) wrong_kind(ctx, DiagCode::not_a_number, node, v, {what, type_text(v), hint});
  return false;
}

// What to write in place of a text that Python makes a number of.
static std::string number_for(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string sign = text.starts_with('-') ? "-" : "";
  if (text.starts_with('-') || text.starts_with('+')) text = text.substr(1);
  if (text == "inf" || text == "infinity") return "write " + sign + "math.inf";
  if (text == "nan") return "write math.nan";
  return "write the number, without quotes";
}

void warn_of_narrow_int(Context& ctx, const Value& v, TypeCode to, const syntax::Node* node) {
  if (to != TypeCode::weak_int || !v.inst() || is_weak(v.code()) || bits_of(v.code()) != 64) return;
  auto* call = syntax::as<syntax::Call>(node);
  if (!call || call->args.empty()) return;
  warn(ctx, DiagCode::int_of_wide, node,
       {subject(ctx, node), with_article(std::string(name_of(v.code()))),
        source_text(ctx.program.files, call->args[0]->span)});
}

Value constructed(Context& ctx, const Value& given, TypeCode to, const Node* node) {
  const Value v = number_of_mask(ctx, given, node);
  const std::string what = std::string(name_of(to)) + "()";
  const bool has_truth = v.is_number() || v.is_complex() || v.is_tuple() || v.is<Value::Range>() ||
                         v.is<Value::Text>() || v.is<Value::Enum>();
  if (is_bool(to) && has_truth) return truth(ctx, v, node);
  if (const std::string* text = v.string())
    return error(ctx, DiagCode::not_a_number, node, {what, type_text(v), number_for(*text)});
  if (!require_number(ctx, v, node, what)) return Value::unknown();
  ctx.at(node);
  warn_of_narrow_int(ctx, v, to, node);
  const Value result = convert(ctx, v, to, node);
  return is_int(to) ? as_intact(result) : result;
}

}  // namespace cuda_device::frontend
