// Assignments in all their forms, and annotations.
#include <algorithm>

#include "frontend/intrinsics.h"
#include "frontend/lowerer.h"
#include "frontend/operator_names.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

using syntax::NodeKind;

bool holds_every_value(TypeCode to, TypeCode from) {
  const std::optional<ScalarKind> wide = scalar_of(to), narrow = scalar_of(from);
  return wide && narrow && cuda_device::holds_every_value(*wide, *narrow);
}

// A builtin number takes any format of its kind or above.
bool converts_silently(TypeCode to, TypeCode from) {
  if (from == TypeCode::weak_int && (is_int(to) || is_float(to))) return true;
  if (from == TypeCode::weak_float && is_float(to)) return true;
  return holds_every_value(to, from);
}

// A format that holds a constant which its builtin does not.
std::string wide_format(const Value& constant) {
  if (is_float(constant.code)) return "device.float64";
  for (TypeCode code : {TypeCode::i8, TypeCode::u8})
    if (fits(constant.exact->integer, code)) return "device." + std::string(name_of(code));
  return "device.float64";
}

}  // namespace

void Lowerer::lower_assign(const syntax::Assign* node) {
  auto* name = syntax::as<syntax::Name>(node->targets[0]);
  assigned_ = {node->value, name ? name->id : ""};
  const Value v = expr(node->value);
  for (const Node* target : node->targets) assign(target, v, node->value);
}

void Lowerer::assign(const Node* target, const Value& value, const Node* source) {
  const Level level(levels_);
  if (too_deep(target)) return;
  at(target);
  switch (target->kind) {
    case NodeKind::Name:
      return define(target, declared(target, value, source), source);
    case NodeKind::Tuple:
      return unpack(syntax::as<syntax::Tuple>(target), value, source);
    case NodeKind::Subscript:
      return assign_element(syntax::as<syntax::Subscript>(target), value, source);
    case NodeKind::Attribute:
      return assign_attribute(syntax::as<syntax::Attribute>(target));
    case NodeKind::Starred:
      return assign(syntax::as<syntax::Starred>(target)->value, unsupported(target), source);
    default:
      unsupported(target);
  }
}

// `i, j = device.tid(1)`
std::string Lowerer::unpacking_hint(const Node* source, size_t count) const {
  auto* call = syntax::as<syntax::Call>(source);
  const auto bound = instance_->function->bindings.find(call ? call->func : nullptr);
  const bool known = bound != instance_->function->bindings.end();
  const std::string& name = known ? bound->second.name : "";
  if ((name == "device.tid" || name == "device.grid_size") && count <= 3)
    return "write " + written(call->func, "tid") + "(" + std::to_string(count) +
           "), which gives one value for each dimension";
  return "tuples can; read the elements of an array by index";
}

void Lowerer::unpack(const syntax::Tuple* target, const Value& value, const Node* source) {
  const std::optional<std::vector<Value>> elements = elements_of(value);
  const size_t count = target->elts.size();
  if (!elements && !value.is_unknown())
    wrong_kind(DiagCode::not_unpackable, source, value,
               {type_text(value), unpacking_hint(source, count)});
  const bool starred =
      std::any_of(target->elts.begin(), target->elts.end(),
                  [](const Node* element) { return element->kind == NodeKind::Starred; });
  if (elements && elements->size() != count && !starred) {
    error(DiagCode::unpack_count, source,
          {count_text(elements->size(), "value"), count_text(count, "name")});
  }
  if (starred) silent();  // the starred one says why
  const bool fine = elements && elements->size() == count;
  for (size_t i = 0; i < count; ++i)
    assign(target->elts[i], fine ? (*elements)[i] : Value::unknown(), source);
}

void Lowerer::assign_element(const syntax::Subscript* target, const Value& value,
                             const Node* source) {
  const Value base = expr(target->value);
  const Value index = expr_or_slice(target->slice);
  if (base.is_unknown() || index.is_unknown()) return;
  at(target);
  if (!base.is_array()) {
    element_not_assignable(base, target);
    return;
  }
  auto operands = element_operands(base, index, target);
  if (!check_writable(base, target) || !operands) return;
  store_element(base, std::move(*operands), value, source);
}

void Lowerer::element_not_assignable(const Value& base, const syntax::Subscript* target) {
  if (base.is_tuple())
    error(DiagCode::tuple_assigned, target, {type_text(base)});
  else
    error(DiagCode::not_assignable, target, {"an element of " + type_text(base)});
}

void Lowerer::assign_attribute(const syntax::Attribute* target) {
  const Value base = expr(target->value);
  if (base.is_unknown()) return;
  error(DiagCode::not_assignable, target, {"'" + target->attr + "' of " + type_text(base)});
}

void Lowerer::lower_aug_assign(const syntax::AugAssign* node) {
  const BinaryOp op = *binary_named(node->op);
  if (auto* name = syntax::as<syntax::Name>(node->target)) {
    const Value old = read_name(name);
    const Value operand = expr(node->value);
    const Value result = binary(op, old, operand, node, name, node->value);
    return define(name, declared(name, result, node), node);
  }
  auto* element = syntax::as<syntax::Subscript>(node->target);
  if (!element) {
    expr(node->value);
    return assign(node->target, Value::unknown(), node->value);
  }
  const Value base = expr(element->value);
  const Value index = expr_or_slice(element->slice);
  if (!base.is_array() || index.is_unknown()) {
    if (!base.is_unknown() && !index.is_unknown()) element_not_assignable(base, element);
    expr(node->value);
    return;
  }
  auto operands = element_operands(base, index, element);
  const bool writable = check_writable(base, element);
  const Value old = operands ? load_element(base, *operands) : Value::unknown();
  const Value operand = expr(node->value);
  const Value result = binary(op, old, operand, node, element, node->value);
  at(node);
  if (operands && writable) store_element(base, std::move(*operands), result, node);
}

void Lowerer::lower_ann_assign(const syntax::AnnAssign* node) {
  if (!node->value) return;
  Value v = expr(node->value);
  auto* name = syntax::as<syntax::Name>(node->target);
  v = annotated(node->annotation, std::move(v), node->value,
                name ? "'" + name->id + "'" : std::string("the target"));
  assign(node->target, v, node->value);
}

// As the annotation of a local variable, at another of its assignments, says.
Value Lowerer::declared(const Node* target, const Value& value, const Node* source) {
  auto* name = syntax::as<syntax::Name>(target);
  const auto& all = instance_->webs->declared;
  const auto at = name ? all.find(name->id) : all.end();
  if (at == all.end() || !at->second) return value;
  return annotated(at->second, value, source, "'" + name->id + "'");
}

// An annotation declares the type: what loses nothing is converted, anything else is an error.
Value Lowerer::annotated(const Node* annotation, Value value, const Node* node,
                         const std::string& what) {
  if (!annotation) return value;
  if (auto* generic = syntax::as<syntax::Subscript>(annotation)) {
    const Value base = expr(generic->value);
    if (!base.is_unknown())
      not_implemented(annotation, "the annotation '" + type_text(base) + "[...]'");
    return value;
  }
  // Python evaluated it when the function was defined; text and those of locals it did not.
  const auto bound = instance_->function->bindings.find(annotation);
  const bool known = bound != instance_->function->bindings.end() &&
                     bound->second.kind != syntax::Binding::Kind::Undefined;
  const Value declared = known ? binding_value(bound->second, annotation, "") : expr(annotation);
  if (value.is_unknown() || declared.is_unknown()) return value;
  if (declared.is_none() && value.is_none()) return value;
  const std::optional<TypeCode> code =
      declared.kind == Value::Kind::Entity ? type_entity(declared.name) : std::nullopt;
  if (!code && !declared.is_none()) {
    // Some class of arrays says no more than that it is one.
    const bool is_class =
        declared.kind == Value::Kind::Object || declared.kind == Value::Kind::Module;
    if (is_class && value.is_array()) return value;
    if (is_class)
      return not_implemented(annotation, "the annotation '" + type_text(declared) + "'");
    if (declared.kind == Value::Kind::Text)
      return not_implemented(annotation, "an annotation in quotes");
    const std::string text = declared.is_number() ? "a number" : "'" + type_text(declared) + "'";
    return error(DiagCode::annotation_type, annotation, {text});
  }
  const bool fine =
      code && value.is_number() && (value.code == *code || converts_silently(*code, value.code));
  if (!fine) {
    return error(DiagCode::annotation_mismatch, node,
                 {what, code ? std::string(name_of(*code)) : "None", type_text(value)});
  }
  at(node);
  Value converted = convert(value, *code, node);
  if (fits_builtin(converted)) return converted;
  return error(DiagCode::weak_range, node,
               {to_text(*code, *converted.exact), std::string(name_of(*code)),
                "declare it " + wide_format(converted)});
}

}  // namespace cuda_device::frontend
