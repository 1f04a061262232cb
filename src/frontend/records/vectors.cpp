// Vectors: construction and arithmetic (DEV-VEC; element by element, as promotion.md extends it).
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {

bool is_vector(const Value& v) {
  return (v.is_record() && v.record().type->is_vector()) || is_position(v);
}

Value vector_of_position(Context& ctx, const Value& v) {
  if (!is_position(v)) return v;
  std::vector<Value> components = *elements_of(ctx, v);
  for (Value& c : components) c = convert(ctx, c, TypeCode::u4, nullptr);
  return Value::Record{vector_type(TypeCode::u4, 3), std::move(components)};
}

Value construct_vector(Context& ctx, const RecordRef& type, const Arguments& a,
                       const std::string& name) {
  const size_t lanes = type->fields.size();
  if (!a.named.empty())
    return error(ctx, DiagCode::unexpected_keyword, a.node,
                 {name, a.named[0].first, "give its components by position"});
  if (a.has_unknown()) return Value::unknown();
  if (a.positional.size() != lanes)
    return error(ctx, DiagCode::intrinsic_count, a.node,
                 {name, count_text(lanes, "argument"), were_given(a.positional.size()),
                  "give one number for each component"});
  Value::Record vector{type, {}};
  const TypeCode code = type->fields[0].type.code;
  for (size_t i = 0; i < lanes; ++i) {
    const Value& given = a.positional[i];
    const Node* node = argument_node(a, i);
    if (!given.is_number()) {
      wrong_kind(ctx, DiagCode::field_type, node, given,
                 {"component " + type->fields[i].name + " of " + name, std::string(name_of(code)),
                  type_text(given), read_it_hint(given, "give a number")});
      return Value::unknown();
    }
    vector.fields.push_back(implicitly_converted(ctx, given, code, node));
    if (vector.fields.back().is_unknown()) return Value::unknown();
  }
  return vector;
}

// The vector of these components, all of one fixed format.
static Value vector_of(Context& ctx, std::vector<Value> components, const Node* node) {
  TypeCode code = TypeCode::b1;
  for (const Value& c : components) {
    if (c.is_unknown()) return c;
    code = fixed(c.code());
  }
  const RecordRef type = vector_type(code, static_cast<int>(components.size()));
  if (!type) return error(ctx, DiagCode::vector_component, node, {std::string(name_of(code))});
  for (Value& c : components) c = convert(ctx, c, code, node);
  return Value::Record{type, std::move(components)};
}

Value vector_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b, const Node* node,
                    const Node* left, const Node* right) {
  const size_t lanes = (is_vector(a) ? a : b).record().fields.size();
  const bool mixes = (is_vector(a) || a.is_number()) && (is_vector(b) || b.is_number());
  const bool fits = mixes && (!is_vector(a) || a.record().fields.size() == lanes) &&
                    (!is_vector(b) || b.record().fields.size() == lanes);
  if (!fits || op == BinaryOp::MatMult) {
    std::vector<std::string> args = operation_text(op, type_text(a), type_text(b));
    args.emplace_back("vectors mix with numbers, and with vectors of as many components");
    return operator_error(ctx, DiagCode::operand_types, node, left, right, sign_of(op),
                          std::move(args));
  }
  std::vector<Value> components;
  for (size_t i = 0; i < lanes; ++i) {
    components.push_back(arithmetic(ctx, op, is_vector(a) ? a.record().fields[i] : a,
                                    is_vector(b) ? b.record().fields[i] : b, node, left, right));
    if (components.back().is_unknown()) return Value::unknown();
  }
  return vector_of(ctx, std::move(components), node);
}

Value each_component(Context& ctx, const Value& v, const Node* node,
                     const std::function<Value(const Value&)>& f) {
  const Value vector = vector_of_position(ctx, v);
  std::vector<Value> components;
  for (const Value& c : vector.record().fields) components.push_back(f(c));
  return vector_of(ctx, std::move(components), node);
}

}  // namespace cuda_device::frontend
