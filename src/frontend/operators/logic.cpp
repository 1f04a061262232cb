// Conditions, and / or / not, conditional expressions. A constant condition prunes: what it
// excludes is neither typed nor compiled.
#include "frontend/choices.h"
#include "frontend/operators/class_operators.h"
#include "frontend/operators/operators.h"

#include <algorithm>

#include "frontend/calls/targets.h"
#include "frontend/complex/complex.h"
#include "frontend/control/iteration.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"
#include "ir/effects.h"

namespace cuda_device::frontend {
namespace {

// Operations. A chain of bounds, two an axis, is one condition: what it says of the axes is then
// known under it.
constexpr int kCheapCount = 8;
constexpr int kCheapChain = 16;

// Evaluating it where it is not needed does no harm and costs less than a branch.
bool is_cheap(const ir::Block& block, int most = kCheapCount) {
  int count = 0;
  for (const Inst* inst : block.insts) {
    const bool read = inst->op == Op::SlotLoad || inst->op == Op::Const;
    if (!ir::may_speculate(inst->op) || ir::is_costly(inst->op)) return false;
    if (!read) ++count;
  }
  return count <= most;
}

}  // namespace

bool is_selectable(const Value& v) {
  return v.is_aggregate() ? std::ranges::all_of(v.parts(), is_selectable) : v.is_number();
}

Value truth(Context& ctx, const Value& v, const Node* node) {
  if (v.is_unknown()) return v;
  if (v.is_none()) return Value::boolean(false);
  if (target_set(v)) return description_as_condition(ctx, node);
  if (v.exact()) return Value::boolean(frontend::truth(v.code(), *v.exact()));
  if (v.is_number()) {
    if (is_bool(v.code())) return v;
    ctx.at(node);
    return Value::number(TypeCode::b1, ctx.builder.typed(Op::Convert, ir::kBool, {v.inst()}));
  }
  if (v.is_complex()) return complex_truth(ctx, v, node);
  if (is_mask(v)) return truth(ctx, mask_bits(v), node);
  for (const char* method : {"__bool__", "__len__"})
    if (const auto own = class_call(ctx, v, method, {}, node)) return truth(ctx, *own, node);
  if (v.is_tuple()) return Value::boolean(is_plain_object(v) || !v.elements().empty());
  if (auto* text = v.as<Text>()) return text_truth(ctx, *text, node);
  if (auto* range = v.as<Value::Range>())
    return compare(ctx, CompareOp::Gt, range_length(ctx, *range, node),
                   Value::constant_int(TypeCode::weak_int, 0), node);
  if (v.is_function()) return Value::boolean(true);
  if (auto* member = v.as<Value::Enum>())
    return member->flag ? truth(ctx, member->number[0], node) : Value::boolean(true);
  if (auto* array = v.as<Value::Array>(); array && array->reference)
    return error(ctx, DiagCode::reference_condition, node, {with_article(type_text(v))});
  if (auto* array = v.as<Value::Array>())
    return error(ctx, DiagCode::array_condition, node, {array->name, type_text(v)});
  return wrong_kind(ctx, DiagCode::condition_type, node, v, {type_text(v)});
}

Value as_test(Context& ctx, const Value& condition, const Node* node) {
  if (ctx.policy.constants_prune || !condition.exact()) return condition;
  return Value::number(TypeCode::b1, inst_of(ctx, condition, node));
}

// operands[from] and operands[from + 1] and ...: the value of the operand that decides, or only its
// truth.
static Value chain(Context& ctx, const Nodes& operands, size_t from, bool is_and, bool as_condition,
                   const Node* node) {
  const Level level(ctx.levels);
  if (too_deep(ctx, node)) return Value::unknown();
  const Node* operand = operands[from];
  const Value first = as_condition ? condition(ctx, operand) : expr(ctx, operand);
  if (from + 1 == operands.size()) return first;
  const Value test = as_test(ctx, truth(ctx, first, operand), operand);
  if (test.exact() && (test.exact()->integer != 0) != is_and) return first;
  // What host code decides here never comes to the operands after it.
  const DeadOnHost rest_dead(ctx, answer_on_host(ctx, operand) == !is_and);
  if (test.exact()) return chain(ctx, operands, from + 1, is_and, as_condition, node);
  Captured rest = rest_of(ctx, operands[from + 1], [&] {
    return chain(ctx, operands, from + 1, is_and, as_condition, node);
  });
  if (test.is_unknown()) return test;
  return combine(ctx, first, test, is_and, std::move(rest), node, operands[from + 1]);
}

Value condition(Context& ctx, const Node* node) {
  const Level level(ctx.levels);
  if (too_deep(ctx, node)) return Value::unknown();
  if (auto* e = syntax::as<syntax::BoolOp>(node))
    return chain(ctx, e->values, 0, e->op == "And", true, node);
  if (auto* e = syntax::as<syntax::UnaryOp>(node); e && e->op == "Not")
    return negated(ctx, condition(ctx, e->operand), node);
  return truth(ctx, expr(ctx, node), node);
}

Value negated(Context& ctx, const Value& v, const Node* node) {
  if (v.is_unknown()) return v;
  if (v.exact()) return Value::boolean(v.exact()->integer == 0);
  ctx.at(node);
  return Value::number(TypeCode::b1, ctx.builder.op(Op::Not, {v.inst()}));
}

Value bool_op(Context& ctx, const syntax::BoolOp* node) {
  return chain(ctx, node->values, 0, node->op == "And", false, node);
}

static Value select_complex(Context& ctx, const Value& test, const Value& then,
                            const Value& otherwise, TypeCode code, const Node* node) {
  const Value a = convert(ctx, then, code, node), b = convert(ctx, otherwise, code, node);
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  const Value part = Value::number(component_of(code), nullptr);
  std::vector<Value> parts;
  parts.reserve(2);
  for (size_t i = 0; i < 2; ++i)
    parts.push_back(select(ctx, test, a.parts()[i], b.parts()[i], part, node));
  return Value::Complex{code, std::move(parts)};
}

// What gives the one value or the other.
static const Node* side_of(const Node* node, int side) {
  auto* choice = syntax::as<syntax::IfExp>(node);
  if (!choice) return node;
  return side == 0 ? choice->body : choice->orelse;
}

Value select(Context& ctx, const Value& test, const Value& then, const Value& otherwise,
             const Value& joined, const Node* node) {
  if (joined.is_complex()) return select_complex(ctx, test, then, otherwise, joined.code(), node);
  if (joined.is_aggregate()) {
    const Value a = in_form_of(ctx, joined, then, side_of(node, 0)),
                b = in_form_of(ctx, joined, otherwise, side_of(node, 1));
    std::vector<Value> parts;
    parts.reserve(joined.parts().size());
    for (size_t i = 0; i < joined.parts().size(); ++i)
      parts.push_back(select(ctx, test, a.parts()[i], b.parts()[i], joined.parts()[i], node));
    return joined.with_parts(std::move(parts));
  }
  if (joined.exact()) return joined;
  const Value a = implicitly_converted(ctx, then, joined.code(), side_of(node, 0)),
              b = implicitly_converted(ctx, otherwise, joined.code(), side_of(node, 1));
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  return joined.computed_by(
      ctx.builder.op(Op::Select, {test.inst(), inst_of(ctx, a, node), inst_of(ctx, b, node)}));
}

static Value branch(Context& ctx, const Value& test, Captured then, Captured otherwise,
                    const Value& joined, const Node* node) {
  ctx.at(node);
  WebState temporary;
  temporary.abstract = joined;
  make_slots(ctx, temporary, "");
  Inst* chosen = ctx.builder.control(Op::If, {test.inst()}, 2);
  ir::Block* outer = &ctx.builder.block();
  for (int side = 0; side < 2; ++side) {
    Captured& captured = side == 0 ? then : otherwise;
    chosen->regions[side] = std::move(captured.block);
    ctx.builder.set_block(chosen->regions[side]);
    store_web(ctx, temporary, "", captured.value, side_of(node, side));
  }
  ctx.builder.set_block(*outer);
  return load_web(ctx, temporary, "");
}

// Parts that are not known yet have the type of the other side.
static Value best_guess(const Value& a, const Value& b) {
  if (a.is_unknown()) return b;
  if (b.is_unknown() || !a.contains_unknown()) return a;
  if (!b.is_aggregate() || !same_form(a, b) || a.parts().size() != b.parts().size()) return b;
  std::vector<Value> parts;
  parts.reserve(a.parts().size());
  for (size_t i = 0; i < a.parts().size(); ++i)
    parts.push_back(best_guess(a.parts()[i], b.parts()[i]));
  return a.with_parts(std::move(parts));
}

// What two values have in common; of builtin ints of which one is a literal that needs 64 bits, an
// int64, which both are in Python.
static std::optional<Value> join_of_choice(const Context& ctx, const Value& a, const Value& b) {
  std::optional<Value> joined = join(ctx, a, b);
  const bool ints = joined && joined->is<Value::Scalar>() && ctx.policy.compares_exactly &&
                    is_weak(joined->code()) && is_int(joined->code());
  const auto fits_in = [&](TypeCode code) {
    return is_within(limits_of(a), limits_of(code)) && is_within(limits_of(b), limits_of(code));
  };
  if (!ints || fits_in(joined->code()) || !fits_in(TypeCode::i8)) return joined;
  return Value::number(TypeCode::i8, nullptr);
}

Value choose(Context& ctx, const Value& test, Captured then, Captured otherwise, const Node* node) {
  // Nothing is emitted for a value that is not known yet.
  if (then.value.contains_unknown() || otherwise.value.contains_unknown())
    return best_guess(then.value, otherwise.value);
  const Value a = abstract_of(then.value), b = abstract_of(otherwise.value);
  std::optional<Value> joined = join_of_choice(ctx, a, b);
  if (!joined) {
    if (const auto arrays = different_arrays(a, b)) return array_choice(ctx, "this", *arrays, node);
    if (is_callable(a) && is_callable(b)) return function_choice(ctx, "this", node);
    return error(ctx, DiagCode::no_common_choice, node, {type_text(a), type_text(b)});
  }
  if (is_cheap(then.block) && is_cheap(otherwise.block) && is_selectable(*joined)) {
    splice(ctx, then.block);
    splice(ctx, otherwise.block);
    ctx.at(node);
    return select(ctx, test, then.value, otherwise.value, *joined, node);
  }
  return branch(ctx, test, std::move(then), std::move(otherwise), *joined, node);
}

Captured rest_of(Context& ctx, const Node* next, const std::function<Value()>& evaluate) {
  return capture(ctx, [&] {
    const Value value = evaluate();
    carry(ctx, next, PathEnd::Then);
    return value;
  });
}

Value combine(Context& ctx, const Value& first, const Value& test, bool is_and, Captured second,
              const Node* node, const Node* next) {
  const bool bools = first.is_number() && is_bool(first.code()) && second.value.is_number() &&
                     is_bool(second.value.code());
  // What the last operand decides alone, as target() does, is known; the first has been evaluated.
  if (bools && ctx.policy.constants_prune && second.value.exact() &&
      is_cheap(second.block, kCheapChain))
    return (second.value.exact()->integer != 0) == is_and ? first : second.value;
  if (bools && is_cheap(second.block, kCheapChain)) {
    splice(ctx, second.block);
    ctx.at(node);
    Inst* decides = inst_of(ctx, first, node);
    Inst* other = inst_of(ctx, second.value, node);
    return Value::number(TypeCode::b1, ctx.builder.op(is_and ? Op::And : Op::Or, {decides, other}));
  }
  Captured decided = capture(ctx, [&] {
    carry(ctx, next, PathEnd::Otherwise);
    return first;
  });
  if (is_and) return choose(ctx, test, std::move(second), std::move(decided), node);
  return choose(ctx, test, std::move(decided), std::move(second), node);
}

Value if_exp(Context& ctx, const syntax::IfExp* node) {
  const Value test = as_test(ctx, condition(ctx, node->test), node->test);
  const std::optional<bool> on_host = answer_on_host(ctx, node->test);
  const auto side = [&](bool then) {
    const DeadOnHost dead(ctx, on_host == !then);
    const Value value = expr(ctx, then ? node->body : node->orelse);
    carry(ctx, node, then ? PathEnd::Then : PathEnd::Otherwise);
    return value;
  };
  if (test.exact()) return side(test.exact()->integer != 0);
  Captured then = capture(ctx, [&] { return side(true); });
  Captured otherwise = capture(ctx, [&] { return side(false); });
  if (test.is_unknown()) return test;
  return choose(ctx, test, std::move(then), std::move(otherwise), node);
}

}  // namespace cuda_device::frontend
