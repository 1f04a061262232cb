// Conditions, and / or / not, conditional expressions. A constant condition prunes: what it
// excludes is neither typed nor compiled.
#include "frontend/lowerer.h"
#include "ir/effects.h"

namespace cuda_device::frontend {
namespace {

using ir::Op;

// Operations. A chain of bounds, two an axis, is one condition: what it says of the axes is then
// known under it.
constexpr int kCheapCount = 8;
constexpr int kCheapChain = 16;

// Evaluating it where it is not needed does no harm and costs less than a branch.
bool is_cheap(const ir::Block& block, int most = kCheapCount) {
  int count = 0;
  for (const ir::Inst* inst : block.insts) {
    const bool read = inst->op == Op::SlotLoad || inst->op == Op::Const;
    if (!ir::may_speculate(inst->op) || ir::is_costly(inst->op)) return false;
    if (!read) ++count;
  }
  return count <= most;
}

bool is_selectable(const Value& v) {
  if (!v.is_tuple()) return v.is_number();
  for (const Value& e : v.elements)
    if (!is_selectable(e)) return false;
  return true;
}

}  // namespace

void Lowerer::splice(ir::Block& from) {
  auto& to = builder_.block().insts;
  to.insert(to.end(), from.insts.begin(), from.insts.end());
  from.insts.clear();
}

Value Lowerer::truth(const Value& v, const Node* node) {
  switch (v.kind) {
    case Value::Kind::Unknown:
      return v;
    case Value::Kind::None:
      return Value::boolean(false);
    case Value::Kind::Number:
      if (v.exact) return Value::boolean(frontend::truth(v.code, *v.exact));
      if (is_bool(v.code)) return v;
      at(node);
      return Value::number(TypeCode::b1, builder_.typed(Op::Convert, ir::kBool, {v.inst}));
    case Value::Kind::Tuple:
      return Value::boolean(!v.elements.empty());
    case Value::Kind::Text:
      return Value::boolean(!v.name.empty());
    case Value::Kind::Function:
      return Value::boolean(true);
    case Value::Kind::Array:
      return error(DiagCode::array_condition, node, {v.name, type_text(v)});
    default:
      return wrong_kind(DiagCode::condition_type, node, v, {type_text(v)});
  }
}

Value Lowerer::condition(const Node* node) {
  const Level level(levels_);
  if (too_deep(node)) return Value::unknown();
  if (auto* e = syntax::as<syntax::BoolOp>(node))
    return chain(e->values, 0, e->op == "And", true, node);
  if (auto* e = syntax::as<syntax::UnaryOp>(node); e && e->op == "Not")
    return negated(condition(e->operand), node);
  return truth(expr(node), node);
}

Value Lowerer::negated(const Value& v, const Node* node) {
  if (v.is_unknown()) return v;
  if (v.exact) return Value::boolean(v.exact->integer == 0);
  at(node);
  return Value::number(TypeCode::b1, builder_.op(Op::Not, {v.inst}));
}

Value Lowerer::bool_op(const syntax::BoolOp* node) {
  return chain(node->values, 0, node->op == "And", false, node);
}

// operands[from] and operands[from + 1] and ...: the value of the operand that decides, or only its
// truth.
Value Lowerer::chain(const Nodes& operands, size_t from, bool is_and, bool as_condition,
                     const Node* node) {
  const Level level(levels_);
  if (too_deep(node)) return Value::unknown();
  const Node* operand = operands[from];
  const Value first = as_condition ? condition(operand) : expr(operand);
  if (from + 1 == operands.size()) return first;
  const Value test = truth(first, operand);
  if (test.exact && (test.exact->integer != 0) != is_and) return first;
  if (test.exact) return chain(operands, from + 1, is_and, as_condition, node);
  Captured rest = capture([&] { return chain(operands, from + 1, is_and, as_condition, node); });
  if (test.is_unknown()) return test;
  return combine(first, test, is_and, std::move(rest), node);
}

// `first and second` or `first or second`, second evaluated only where it decides.
Value Lowerer::combine(const Value& first, const Value& test, bool is_and, Captured second,
                       const Node* node) {
  const bool bools = first.is_number() && is_bool(first.code) && second.value.is_number() &&
                     is_bool(second.value.code);
  if (bools && is_cheap(second.block, kCheapChain)) {
    splice(second.block);
    at(node);
    Inst* other = inst_of(second.value, node);
    return Value::number(TypeCode::b1, builder_.op(is_and ? Op::And : Op::Or, {first.inst, other}));
  }
  Captured decided{{}, first};
  if (is_and) return choose(test, std::move(second), std::move(decided), node);
  return choose(test, std::move(decided), std::move(second), node);
}

Value Lowerer::if_exp(const syntax::IfExp* node) {
  const Value test = condition(node->test);
  if (test.exact) return expr(test.exact->integer ? node->body : node->orelse);
  Captured then = capture([&] { return expr(node->body); });
  Captured otherwise = capture([&] { return expr(node->orelse); });
  if (test.is_unknown()) return test;
  return choose(test, std::move(then), std::move(otherwise), node);
}

Value Lowerer::choose(const Value& test, Captured then, Captured otherwise, const Node* node) {
  // Nothing is emitted for a value that is not known yet: the type of the other side is the best
  // guess.
  if (then.value.is_unknown()) return otherwise.value;
  if (otherwise.value.is_unknown()) return then.value;
  const Value a = abstract_of(then.value), b = abstract_of(otherwise.value);
  std::optional<Value> joined = join(a, b);
  if (!joined) {
    if (const auto arrays = different_arrays(a, b)) return array_choice("this", *arrays, node);
    return error(DiagCode::no_common_choice, node, {type_text(a), type_text(b)});
  }
  if (is_cheap(then.block) && is_cheap(otherwise.block) && is_selectable(*joined)) {
    splice(then.block);
    splice(otherwise.block);
    at(node);
    return select(test, then.value, otherwise.value, *joined, node);
  }
  return branch(test, std::move(then), std::move(otherwise), *joined, node);
}

Value Lowerer::branch(const Value& test, Captured then, Captured otherwise, const Value& joined,
                      const Node* node) {
  at(node);
  WebState temporary;
  temporary.abstract = joined;
  make_slots(temporary, "");
  Inst* chosen = builder_.control(Op::If, {test.inst}, 2);
  ir::Block* outer = &builder_.block();
  for (int side = 0; side < 2; ++side) {
    Captured& captured = side == 0 ? then : otherwise;
    chosen->regions[side] = std::move(captured.block);
    builder_.set_block(chosen->regions[side]);
    store_web(temporary, "", captured.value, node);
  }
  builder_.set_block(*outer);
  return load_web(temporary, "");
}

Value Lowerer::select(const Value& test, const Value& then, const Value& otherwise,
                      const Value& joined, const Node* node) {
  if (joined.is_tuple()) {
    std::vector<Value> elements;
    elements.reserve(joined.elements.size());
    for (size_t i = 0; i < joined.elements.size(); ++i)
      elements.push_back(
          select(test, then.elements[i], otherwise.elements[i], joined.elements[i], node));
    return Value::tuple(std::move(elements));
  }
  if (joined.exact) return joined;
  const Value a = convert(then, joined.code, node), b = convert(otherwise, joined.code, node);
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  return Value::number(joined.code,
                       builder_.op(Op::Select, {test.inst, inst_of(a, node), inst_of(b, node)}));
}

}  // namespace cuda_device::frontend
