// while, for, break, continue and the else of loops.
#include <algorithm>

#include "frontend/lowerer.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;
using syntax::NodeKind;

// Whether the statements hold a break or continue of the loop they are the body of.
bool has_jump(const std::vector<Node*>& body, NodeKind jump) {
  return std::any_of(body.begin(), body.end(), [&](const Node* s) {
    if (s->kind == jump) return true;
    if (auto* branch = syntax::as<syntax::If>(s))
      return has_jump(branch->body, jump) || has_jump(branch->orelse, jump);
    // Those in the else of an inner loop are ours.
    if (auto* loop = syntax::as<syntax::For>(s)) return has_jump(loop->orelse, jump);
    if (auto* loop = syntax::as<syntax::While>(s)) return has_jump(loop->orelse, jump);
    return false;
  });
}

}  // namespace

bool Lowerer::loop_region(ir::Block& region, const Nodes& body) {
  frame_->loops.emplace_back();
  else_region(region, body);
  const bool broke = frame_->loops.back().broke;
  frame_->loops.pop_back();
  return broke;
}

void Lowerer::else_region(ir::Block& region, const Nodes& body) {
  ir::Block* outer = &builder_.block();
  builder_.set_block(region);
  reachable_ = true;
  block(body, false);
  builder_.set_block(*outer);
}

void Lowerer::lower_while(const syntax::While* node) {
  Captured test = capture([&] { return condition(node->test); });
  if (test.value.exact && !test.value.exact->integer) {
    splice(test.block);
    return block(node->orelse, false);
  }
  const bool endless = test.value.exact.has_value();
  at(node);
  Inst* loop = builder_.control(Op::While, {}, 3);
  loop->regions[0] = std::move(test.block);
  ir::Block* outer = &builder_.block();
  builder_.set_block(loop->regions[0]);
  at(node->test);
  if (test.value.is_unknown()) test.value = Value::boolean(true);
  builder_.op(Op::Yield, {inst_of(test.value, node->test)});
  builder_.set_block(*outer);
  const bool broke = loop_region(loop->regions[1], node->body);
  if (!endless) else_region(loop->regions[2], node->orelse);
  reachable_ = broke || (!endless && reachable_);
}

void Lowerer::lower_for(const syntax::For* node) {
  const Value sequence = expr(node->iter);
  at(node);
  if (sequence.kind == Value::Kind::Range) return counted_loop(node, sequence);
  if (std::optional<std::vector<Value>> elements = elements_of(sequence))
    return unrolled_loop(node, *elements);
  if (!sequence.is_unknown()) {
    if (sequence.is_array()) {
      not_implemented(node->iter, "iterating over an array");
    } else {
      wrong_kind(DiagCode::not_iterable, node->iter, sequence,
                 {type_text(sequence), "use range() or a tuple"});
    }
  }
  // The body is looked at for its own mistakes, as if it ran once.
  Inst* placeholder = builder_.control(Op::Scope, {}, 1);
  assign(node->target, Value::unknown(), node->iter);
  loop_region(placeholder->regions[0], node->body);
  else_region(placeholder->regions[0], node->orelse);
  reachable_ = true;
}

// The variable's own slot if its type is the counter's; otherwise the body starts with a
// conversion.
std::optional<uint32_t> Lowerer::loop_slot(const Node* target, TypeCode code) {
  const Webs& webs = *instance_->webs;
  const auto found = webs.definition_at.find(target);
  if (target->kind != NodeKind::Name || found == webs.definition_at.end()) return std::nullopt;
  const Definition& d = webs.definitions[found->second];
  WebState& state = instance_->states[d.web];
  join_definition(found->second, Value::number(code, nullptr), target);
  const Value& joined = state.abstract;
  if (!joined.is_number() || joined.exact || scalar_of(joined.code) != scalar_of(code))
    return std::nullopt;
  make_slots(state, d.name);
  return state.slots[0];
}

void Lowerer::counted_loop(const syntax::For* node, const Value& range) {
  const TypeCode code = range.elements[0].code;
  std::vector<Inst*> bounds;
  bounds.reserve(range.elements.size());
  for (const Value& bound : range.elements) bounds.push_back(inst_of(bound, node->iter));
  const std::optional<uint32_t> own = loop_slot(node->target, code);
  const uint32_t counter = own ? *own : make_slot("", code);
  at(node);
  Inst* loop = builder_.control(Op::For, std::move(bounds), 2, counter);
  if (!own) {
    ir::Block* outer = &builder_.block();
    builder_.set_block(loop->regions[0]);
    assign(node->target, Value::number(code, builder_.slot_load(counter)), node->target);
    builder_.set_block(*outer);
  }
  const bool broke = loop_region(loop->regions[0], node->body);
  else_region(loop->regions[1], node->orelse);
  reachable_ = broke || reachable_;
}

ir::Block* Lowerer::open_scope(const Node* node) {
  at(node);
  ir::Block* outer = &builder_.block();
  Inst* scope = builder_.control(Op::Scope, {}, 1);
  builder_.set_block(scope->regions[0]);
  ++open_scopes_;
  return outer;
}

void Lowerer::close_scope(ir::Block* outer) {
  if (!outer) return;
  --open_scopes_;
  builder_.set_block(*outer);
}

// One copy of the body for each element: they may have different types. break and continue leave
// scopes.
void Lowerer::unrolled_loop(const syntax::For* node, const std::vector<Value>& elements) {
  const bool breaks = has_jump(node->body, NodeKind::Break);
  const bool continues = has_jump(node->body, NodeKind::Continue);
  Loop loop;
  loop.unrolled = true;
  loop.break_scope = open_scopes_;
  ir::Block* outside = breaks ? open_scope(node) : nullptr;
  loop.continue_scope = open_scopes_;
  bool broke = false;
  for (size_t i = 0; i < elements.size() && reachable_ && !too_large(node); ++i) {
    ir::Block* copy = continues ? open_scope(node) : nullptr;
    assign(node->target, elements[i], node->iter);
    frame_->loops.push_back(loop);
    copies_.push_back(static_cast<uint32_t>(i));
    block(node->body, false);
    copies_.pop_back();
    broke |= frame_->loops.back().broke;
    reachable_ |= frame_->loops.back().continued;
    frame_->loops.pop_back();
    close_scope(copy);
  }
  if (reachable_) block(node->orelse, false);
  close_scope(outside);
  reachable_ |= broke;
}

void Lowerer::lower_break() {
  if (frame_->loops.empty()) return;  // Python refuses it
  Loop& loop = frame_->loops.back();
  loop.broke = true;
  reachable_ = false;
  if (loop.unrolled) return leave(loop.break_scope);
  builder_.typed(Op::Break, ir::Type::none(), {});
}

void Lowerer::lower_continue() {
  if (frame_->loops.empty()) return;
  Loop& loop = frame_->loops.back();
  loop.continued = true;
  reachable_ = false;
  if (loop.unrolled) return leave(loop.continue_scope);
  builder_.typed(Op::Continue, ir::Type::none(), {});
}

}  // namespace cuda_device::frontend
