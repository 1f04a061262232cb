// while, for, break, continue and the else of loops.
#include "frontend/control/control.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/control/assign.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

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

static void else_region(Context& ctx, ir::Block& region, const Nodes& body) {
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(region);
  ctx.reachable = true;
  block(ctx, body, false);
  ctx.builder.set_block(*outer);
}

static bool loop_region(Context& ctx, ir::Block& region, const Nodes& body) {
  ctx.frame->loops.emplace_back();
  else_region(ctx, region, body);
  const bool broke = ctx.frame->loops.back().broke;
  ctx.frame->loops.pop_back();
  return broke;
}

void lower_while(Context& ctx, const syntax::While* node) {
  Captured test = capture(ctx, [&] { return condition(ctx, node->test); });
  if (test.value.exact() && !test.value.exact()->integer) {
    splice(ctx, test.block);
    return block(ctx, node->orelse, false);
  }
  const bool endless = test.value.is_constant();
  ctx.at(node);
  Inst* loop = ctx.builder.control(Op::While, {}, 3);
  loop->regions[0] = std::move(test.block);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(loop->regions[0]);
  ctx.at(node->test);
  if (test.value.is_unknown()) test.value = Value::boolean(true);
  ctx.builder.op(Op::Yield, {inst_of(ctx, test.value, node->test)});
  ctx.builder.set_block(*outer);
  const bool broke = loop_region(ctx, loop->regions[1], node->body);
  if (!endless) else_region(ctx, loop->regions[2], node->orelse);
  ctx.reachable = broke || (!endless && ctx.reachable);
}

// The variable's own slot if its type is the counter's; otherwise the body starts with a
// conversion.
static std::optional<uint32_t> loop_slot(Context& ctx, const Node* target, TypeCode code) {
  const Webs& webs = *ctx.instance->webs;
  const auto found = webs.definition_at.find(target);
  if (target->kind != NodeKind::Name || found == webs.definition_at.end()) return std::nullopt;
  const Definition& d = webs.definitions[found->second];
  WebState& state = ctx.instance->states[d.web];
  join_definition(ctx, found->second, Value::number(code, nullptr), target);
  const Value& joined = state.abstract;
  if (!joined.is_number() || joined.exact() || scalar_of(joined.code()) != scalar_of(code))
    return std::nullopt;
  make_slots(ctx, state, d.name);
  return state.slots[0];
}

static void counted_loop(Context& ctx, const syntax::For* node, const Value::Range& range) {
  const TypeCode code = range.bounds[0].code();
  std::vector<Inst*> bounds;
  bounds.reserve(range.bounds.size());
  for (const Value& bound : range.bounds) bounds.push_back(inst_of(ctx, bound, node->iter));
  const std::optional<uint32_t> own = loop_slot(ctx, node->target, code);
  const uint32_t counter = own ? *own : make_slot(ctx, "", code);
  ctx.at(node);
  Inst* loop = ctx.builder.control(Op::For, std::move(bounds), 2, counter);
  if (!own) {
    ir::Block* outer = &ctx.builder.block();
    ctx.builder.set_block(loop->regions[0]);
    assign(ctx, node->target, Value::number(code, ctx.builder.slot_load(counter)), node->target);
    ctx.builder.set_block(*outer);
  }
  const bool broke = loop_region(ctx, loop->regions[0], node->body);
  else_region(ctx, loop->regions[1], node->orelse);
  ctx.reachable = broke || ctx.reachable;
}

void counted(Context& ctx, const Value& stop, const Node* node,
             const std::function<void(const Value&)>& body) {
  std::vector<Inst*> bounds;
  for (const Value& bound :
       {Value::constant_int(TypeCode::i8, 0), stop, Value::constant_int(TypeCode::i8, 1)})
    bounds.push_back(inst_of(ctx, bound, node));
  const uint32_t counter = make_slot(ctx, "", TypeCode::i8);
  ctx.at(node);
  Inst* loop = ctx.builder.control(Op::For, std::move(bounds), 2, counter);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(loop->regions[0]);
  body(Value::number(TypeCode::i8, ctx.builder.slot_load(counter)));
  ctx.builder.set_block(*outer);
}

// Elements, or rows of what has more axes, in the order of the first axis.
static void array_loop(Context& ctx, const syntax::For* node, const Value::Array& array) {
  bool broke = false;
  counted(ctx, extent_value(ctx, array, 0), node->iter, [&](const Value& place) {
    assign(ctx, node->target, at_first_axis(ctx, array, place, node->iter), node->iter);
    broke = loop_region(ctx, ctx.builder.block(), node->body);
  });
  Inst* loop = ctx.builder.block().insts.back();
  else_region(ctx, loop->regions[1], node->orelse);
  ctx.reachable = broke || ctx.reachable;
}

static ir::Block* open_scope(Context& ctx, const Node* node) {
  ctx.at(node);
  ir::Block* outer = &ctx.builder.block();
  Inst* scope = ctx.builder.control(Op::Scope, {}, 1);
  ctx.builder.set_block(scope->regions[0]);
  ++ctx.open_scopes;
  return outer;
}

static void close_scope(Context& ctx, ir::Block* outer) {
  if (!outer) return;
  --ctx.open_scopes;
  ctx.builder.set_block(*outer);
}

// One copy of the body for each element: they may have different types. break and continue leave
// scopes.
static void unrolled_loop(Context& ctx, const syntax::For* node,
                          const std::vector<Value>& elements) {
  const bool breaks = has_jump(node->body, NodeKind::Break);
  const bool continues = has_jump(node->body, NodeKind::Continue);
  Loop loop;
  loop.unrolled = true;
  loop.break_scope = ctx.open_scopes;
  ir::Block* outside = breaks ? open_scope(ctx, node) : nullptr;
  loop.continue_scope = ctx.open_scopes;
  bool broke = false;
  for (size_t i = 0; i < elements.size() && ctx.reachable && !too_large(ctx, node); ++i) {
    ir::Block* copy = continues ? open_scope(ctx, node) : nullptr;
    ctx.unrolled = node->iter;
    assign(ctx, node->target, elements[i], node->iter);
    ctx.unrolled = nullptr;
    ctx.frame->loops.push_back(loop);
    ctx.copies.push_back(static_cast<uint32_t>(i));
    block(ctx, node->body, false);
    ctx.copies.pop_back();
    broke |= ctx.frame->loops.back().broke;
    ctx.reachable |= ctx.frame->loops.back().continued;
    ctx.frame->loops.pop_back();
    close_scope(ctx, copy);
  }
  if (ctx.reachable) block(ctx, node->orelse, false);
  close_scope(ctx, outside);
  ctx.reachable |= broke;
}

void lower_for(Context& ctx, const syntax::For* node) {
  const Value sequence = expr(ctx, node->iter);
  ctx.at(node);
  if (auto* range = sequence.as<Value::Range>()) return counted_loop(ctx, node, *range);
  if (std::optional<std::vector<Value>> elements = elements_of(ctx, sequence))
    return unrolled_loop(ctx, node, *elements);
  if (auto* array = sequence.as<Value::Array>(); array && array->type.ndim > 0)
    return array_loop(ctx, node, *array);
  if (!sequence.is_unknown()) {
    const std::string hint = read_it_hint(sequence);
    wrong_kind(ctx, DiagCode::not_iterable, node->iter, sequence,
               {type_text(sequence), hint.empty() ? "use range() or a tuple" : hint});
  }
  // The body is looked at for its own mistakes, as if it ran once.
  Inst* placeholder = ctx.builder.control(Op::Scope, {}, 1);
  assign(ctx, node->target, Value::unknown(), node->iter);
  loop_region(ctx, placeholder->regions[0], node->body);
  else_region(ctx, placeholder->regions[0], node->orelse);
  ctx.reachable = true;
}

void lower_break(Context& ctx) {
  if (ctx.frame->loops.empty()) return;  // Python refuses it
  Loop& loop = ctx.frame->loops.back();
  loop.broke = true;
  ctx.reachable = false;
  if (loop.unrolled) return leave(ctx, loop.break_scope);
  ctx.builder.typed(Op::Break, ir::Type::none(), {});
}

void lower_continue(Context& ctx) {
  if (ctx.frame->loops.empty()) return;
  Loop& loop = ctx.frame->loops.back();
  loop.continued = true;
  ctx.reachable = false;
  if (loop.unrolled) return leave(ctx, loop.continue_scope);
  ctx.builder.typed(Op::Continue, ir::Type::none(), {});
}

}  // namespace cuda_device::frontend
