// Assignments in all their forms, and annotations.
#include "frontend/control/assign.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/choices.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/control.h"
#include "frontend/control/iteration.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"
#include "support/render.h"

namespace cuda_device::frontend {
using syntax::NodeKind;

void lower_assign(Context& ctx, const syntax::Assign* node) {
  auto* name = syntax::as<syntax::Name>(node->targets[0]);
  ctx.assigned = {node->value, name ? name->id : "", syntax::as<syntax::Tuple>(node->targets[0])};
  const Value v = expr(ctx, node->value);
  for (const Node* target : node->targets) assign(ctx, target, v, node->value);
}

// As the annotation of a local variable, at another of its assignments, says.
static Value declared(Context& ctx, const Node* target, const Value& value, const Node* source) {
  auto* name = syntax::as<syntax::Name>(target);
  const auto& all = ctx.instance->webs->declared;
  const auto at = name ? all.find(name->id) : all.end();
  if (at == all.end() || !at->second) return value;
  return annotated(ctx, at->second, value, source, "'" + name->id + "'");
}

// `i, j = device.tid(1)`
static std::string unpacking_hint(const Context& ctx, const Node* source, size_t count) {
  auto* call = syntax::as<syntax::Call>(source);
  const auto bound = ctx.instance->function->bindings.find(call ? call->func : nullptr);
  const bool known = bound != ctx.instance->function->bindings.end();
  const std::string& name = known ? bound->second.name : "";
  const Intrinsic* position = find_intrinsic(name);
  if (position && (position->op == Op::Tid || position->op == Op::GridSize) && count <= 3)
    return "write " + written(call->func, "tid") + "(" + std::to_string(count) +
           "), which gives one value for each dimension";
  return "tuples can; read the elements of an array by index";
}

// How many elements the starred one of some targets takes, and which it is; nothing: none is.
struct Star {
  size_t at, count;
};
static std::optional<Star> star_of(const syntax::Tuple* target, size_t elements) {
  const auto star = std::find_if(target->elts.begin(), target->elts.end(), [](const Node* element) {
    return element->kind == NodeKind::Starred;
  });
  if (star == target->elts.end() || elements + 1 < target->elts.size()) return std::nullopt;
  return Star{static_cast<size_t>(star - target->elts.begin()), elements + 1 - target->elts.size()};
}

// The elements that the star takes, as a tuple. Python makes a list of them.
static std::vector<Value> with_star(std::vector<Value> elements, const Star& star) {
  const auto first = elements.begin() + static_cast<std::ptrdiff_t>(star.at);
  const auto last = first + static_cast<std::ptrdiff_t>(star.count);
  Value taken = Value::tuple(std::vector<Value>(first, last));
  elements.erase(first, last);
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(star.at), std::move(taken));
  return elements;
}

// What each of several targets gets; nothing after an error.
static std::optional<std::vector<Value>> unpacked(Context& ctx, const syntax::Tuple* target,
                                                  const Value& value, const Node* source) {
  const size_t count = target->elts.size();
  if (value.is_unknown()) return std::nullopt;
  const auto it = value.is<Value::Generator>() ? std::nullopt : iteration_of(ctx, value, source);
  const bool open_ended = value.is_array() && it && !it->length.exact();
  if (open_ended || (!it && !value.is<Value::Generator>())) {
    wrong_kind(ctx, DiagCode::not_unpackable, source, value,
               {type_text(value), unpacking_hint(ctx, source, count)});
    return std::nullopt;
  }
  std::optional<std::vector<Value>> elements = all_elements(ctx, value, source);
  if (!elements) return std::nullopt;
  if (const std::optional<Star> star = star_of(target, elements->size()))
    return with_star(std::move(*elements), *star);
  if (elements->size() == count && !star_of(target, count)) return elements;
  const bool starred = star_of(target, count).has_value();
  error(ctx, DiagCode::unpack_count, source,
        {count_text(elements->size(), "value"),
         (starred ? "at least " : "") + count_text(starred ? count - 1 : count, "name")});
  return std::nullopt;
}

static void unpack(Context& ctx, const syntax::Tuple* target, const Value& value,
                   const Node* source) {
  const std::optional<std::vector<Value>> elements = unpacked(ctx, target, value, source);
  for (size_t i = 0; i < target->elts.size(); ++i) {
    const Node* one = target->elts[i];
    if (auto* starred = syntax::as<syntax::Starred>(one)) {
      lacks(ctx, starred);
      one = starred->value;
    }
    assign(ctx, one, elements ? (*elements)[i] : Value::unknown(), source);
  }
}

// A lane of a mask that is no variable and no element of memory: what makes a changed one.
static void lane_not_assignable(Context& ctx, const syntax::Subscript* target) {
  const auto text = [&](const Node* node) { return source_text(ctx.program.files, node->span); };
  const std::string mask = text(target->value);
  const std::string changed = mask + ".with_lane(" + text(target->slice) + ", val)";
  auto* field = syntax::as<syntax::Attribute>(target->value);
  const std::string all =
      field ? "device.replace(" + text(field->value) + ", " + field->attr + "=" + changed + ")"
            : changed;
  error(ctx, DiagCode::lane_assigned, target, {"'" + mask + "'", "make a changed one: " + all});
}

static void element_not_assignable(Context& ctx, const Value& base,
                                   const syntax::Subscript* target) {
  if (is_mask(base))
    lane_not_assignable(ctx, target);
  else if (base.is_tuple())
    error(ctx, DiagCode::tuple_assigned, target, {type_text(base)});
  else
    error(ctx, DiagCode::not_assignable, target, {"an element of " + type_text(base)});
}

// What is not one element: some of them, or a field of all.
static bool names_part(const Context& ctx, const Value::Array& array, const Value& index) {
  return (index.string() && has_named_fields(array.element)) || makes_view(ctx, array, index);
}

static Value part_of(Context& ctx, const Value::Array& array, const Value& index,
                     const syntax::Subscript* node) {
  const std::string* name = index.string();
  return name && has_named_fields(array.element) ? field_of_elements(ctx, array, *name, node)
                                                 : sliced(ctx, array, index, node);
}

static void assign_in_array(Context& ctx, const Value::Array& array, const Value& index,
                            const syntax::Subscript* target, const Value& value,
                            const Node* source) {
  if (names_part(ctx, array, index)) {
    const Value view = part_of(ctx, array, index, target);
    if (check_writable(ctx, array, target) && view.is_array())
      fill(ctx, view.array(), value, target, source);
    return;
  }
  auto operands = element_operands(ctx, array, index, target);
  if (!check_writable(ctx, array, target) || !operands) return;
  store_element(ctx, array, std::move(*operands), value, source);
}

static void assign_in_choice(Context& ctx, const Value::Choice& choice, const Value& index,
                             const syntax::Subscript* target, const Value& value,
                             const Node* source) {
  of_chosen(ctx, choice, target, [&](const Value::Array& array) {
    assign_in_array(ctx, array, index, target, value, source);
    return Value::none();
  });
}

static void assign_element(Context& ctx, const syntax::Subscript* target, const Value& value,
                           const Node* source) {
  if (assign_field(ctx, target, value, source)) return;
  const Value base = expr(ctx, target->value);
  const Value index = expr_or_slice(ctx, target->slice);
  if (base.is_unknown() || index.is_unknown()) return;
  ctx.at(target);
  if (auto* array = base.as<Value::Array>())
    return assign_in_array(ctx, *array, index, target, value, source);
  if (auto* choice = base.choice_of_arrays())
    return assign_in_choice(ctx, *choice, index, target, value, source);
  if (!assign_component(ctx, target, base, index, value, source))
    element_not_assignable(ctx, base, target);
}

// What makes a changed one.
static void field_not_assignable(Context& ctx, const syntax::Attribute* target, const Value& base) {
  const RecordType& type = *base.record().type;
  const std::string name = written(target->value, "p");
  const auto i = field_named(type, target->attr);
  if (!i)
    error(ctx, DiagCode::no_attribute, target,
          {with_article(type.name), target->attr, "attributes cannot be added in a kernel"});
  else if (type.is_vector())
    error(ctx, DiagCode::vector_assigned, target,
          {target->attr, with_article(type.name), name, std::to_string(*i)});
  else
    error(ctx, DiagCode::field_assigned, target, {target->attr, with_article(type.name), name});
}

static void assign_attribute(Context& ctx, const syntax::Attribute* target, const Value& value,
                             const Node* source) {
  if (assign_field(ctx, target, value, source)) return;
  const Value base = expr(ctx, target->value);
  if (base.is_unknown()) return;
  if (base.is_record()) return field_not_assignable(ctx, target, base);
  error(ctx, DiagCode::not_assignable, target, {"'" + target->attr + "' of " + type_text(base)});
}

void assign(Context& ctx, const Node* target, const Value& value, const Node* source) {
  const Level level(ctx.levels);
  if (too_deep(ctx, target)) return;
  ctx.at(target);
  switch (target->kind) {
    case NodeKind::Name:
      return define(ctx, target, declared(ctx, target, value, source), source);
    case NodeKind::Tuple:
      return unpack(ctx, syntax::as<syntax::Tuple>(target), value, source);
    case NodeKind::Subscript:
      return assign_element(ctx, syntax::as<syntax::Subscript>(target), value, source);
    case NodeKind::Attribute:
      return assign_attribute(ctx, syntax::as<syntax::Attribute>(target), value, source);
    default:
      unsupported(ctx, target);
  }
}

static void aug_assign_in_choice(Context& ctx, const Value::Choice& choice, const Value& index,
                                 const syntax::AugAssign* node) {
  auto* target = syntax::as<syntax::Subscript>(node->target);
  const BinaryOp op = *binary_named(node->op);
  const Value old = part_of_choice(ctx, choice, index, target);
  const Value operand = expr(ctx, node->value);
  if (old.is_unknown() || operand.is_unknown()) return;
  auto* views = old.choice_of_arrays();
  if (!views) {
    const Value result = binary(ctx, op, old, operand, node, target, node->value);
    if (!result.is_unknown()) assign_in_choice(ctx, choice, index, target, result, node);
    return;
  }
  of_chosen(ctx, *views, node, [&](const Value::Array& view) {
    if (check_writable(ctx, view, target)) fill_augmented(ctx, view, op, operand, node);
    return Value::none();
  });
}

// What changes an array, or what a reference refers to, in place of `name += ...`.
static std::string change_hint(const Value::Array& array, BinaryOp op, const std::string& name) {
  if (!array.reference)
    return "for each of its elements, write " + name + "[:] in place of " + name;
  if (array.is_struct_ref()) return "name an attribute of it";
  for (const auto& [of, method] :
       {std::pair{BinaryOp::Add, "add"}, std::pair{BinaryOp::Sub, "sub"},
        std::pair{BinaryOp::BitAnd, "and_"}, std::pair{BinaryOp::BitOr, "or_"},
        std::pair{BinaryOp::BitXor, "xor"}})
    if (op == of) return "its methods change it: " + name + "." + method + "(...)";
  return "its methods change it; others than they have take a loop around " + name + ".cas(...)";
}

void lower_aug_assign(Context& ctx, const syntax::AugAssign* node) {
  const BinaryOp op = *binary_named(node->op);
  if (auto* name = syntax::as<syntax::Name>(node->target)) {
    const Value old = read_name(ctx, name);
    const Value operand = expr(ctx, node->value);
    const size_t found = ctx.diagnosis.diagnostics.size();
    const Value result = binary(ctx, op, old, operand, node, name, node->value);
    if (old.is_array() && ctx.policy.has_views && ctx.diagnosis.diagnostics.size() > found)
      ctx.diagnosis.diagnostics.back().hint = change_hint(old.array(), op, name->id);
    return define(ctx, name, declared(ctx, name, result, node), node);
  }
  if (const std::optional<FieldPlace> place = field_place(ctx, node->target)) {
    if (place->view) {
      const Value operand = expr(ctx, node->value);
      if (!operand.is_unknown()) fill_augmented(ctx, *place->view, op, operand, node);
      return;
    }
    const Value old = load_field(ctx, *place);
    const Value operand = expr(ctx, node->value);
    return store_field(ctx, *place, binary(ctx, op, old, operand, node, node->target, node->value),
                       node);
  }
  auto* element = syntax::as<syntax::Subscript>(node->target);
  if (!element) {
    const Value old = expr(ctx, node->target);
    const Value operand = expr(ctx, node->value);
    const Value result = binary(ctx, op, old, operand, node, node->target, node->value);
    return assign(ctx, node->target, result, node);
  }
  const Value base = expr(ctx, element->value);
  const Value index = expr_or_slice(ctx, element->slice);
  auto* array = base.as<Value::Array>();
  if (auto* choice = base.choice_of_arrays(); choice && !index.is_unknown())
    return aug_assign_in_choice(ctx, *choice, index, node);
  if (!array && base.is_record() && !index.is_unknown()) {
    const Value old = record_element(ctx, base, index, element);
    const Value operand = expr(ctx, node->value);
    const Value result = binary(ctx, op, old, operand, node, element, node->value);
    if (!result.is_unknown() && !assign_component(ctx, element, base, index, result, node))
      element_not_assignable(ctx, base, element);
    return;
  }
  if (!array || index.is_unknown()) {
    if (!base.is_unknown() && !index.is_unknown()) element_not_assignable(ctx, base, element);
    expr(ctx, node->value);
    return;
  }
  if (names_part(ctx, *array, index)) {
    const Value view = part_of(ctx, *array, index, element);
    const Value operand = expr(ctx, node->value);
    if (check_writable(ctx, *array, element) && view.is_array() && !operand.is_unknown())
      fill_augmented(ctx, view.array(), op, operand, node);
    return;
  }
  auto operands = element_operands(ctx, *array, index, element);
  const bool writable = check_writable(ctx, *array, element);
  if (holds_atomics(array->element)) return atomic_assigned(ctx, *array, node);
  const Value old = operands ? load_element(ctx, *array, *operands) : Value::unknown();
  const Value operand = expr(ctx, node->value);
  const Value result = binary(ctx, op, old, operand, node, element, node->value);
  ctx.at(node);
  if (operands && writable) store_element(ctx, *array, std::move(*operands), result, node);
}

void lower_ann_assign(Context& ctx, const syntax::AnnAssign* node) {
  if (!node->value) return;
  auto* name = syntax::as<syntax::Name>(node->target);
  ctx.assigned = {node->value, name ? name->id : "", nullptr};
  Value v = expr(ctx, node->value);
  v = annotated(ctx, node->annotation, std::move(v), node->value,
                name ? "'" + name->id + "'" : std::string("the target"));
  assign(ctx, node->target, v, node->value);
}

}  // namespace cuda_device::frontend
