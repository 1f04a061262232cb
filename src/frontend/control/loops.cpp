// while, for, break, continue and the else of loops.
#include "frontend/control/control.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "frontend/control/assign.h"
#include "frontend/control/generators.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/range_types.h"
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
    if (auto* match = syntax::as<syntax::Match>(s))
      return std::ranges::any_of(match->cases, [&](const Node* one) {
        return has_jump(syntax::as<syntax::match_case>(one)->body, jump);
      });
    // Those in the else of an inner loop are ours.
    if (auto* loop = syntax::as<syntax::For>(s)) return has_jump(loop->orelse, jump);
    if (auto* loop = syntax::as<syntax::While>(s)) return has_jump(loop->orelse, jump);
    return false;
  });
}

}  // namespace

// The body or the else of a loop.
static void region_of(Context& ctx, ir::Block& region, const Node* loop, PathEnd end,
                      const Nodes& body) {
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(region);
  ctx.reachable = true;
  block(ctx, body, false);
  carry(ctx, loop, end);
  ctx.builder.set_block(*outer);
}

static void else_region(Context& ctx, ir::Block& region, const Node* loop, const Nodes& body) {
  region_of(ctx, region, loop, PathEnd::Else, body);
}

static bool loop_region(Context& ctx, ir::Block& region, const Node* loop, const Nodes& body) {
  ctx.frame->loops.emplace_back();
  region_of(ctx, region, loop, PathEnd::Back, body);
  const bool broke = ctx.frame->loops.back().broke;
  ctx.frame->loops.pop_back();
  return broke;
}

void lower_while(Context& ctx, const syntax::While* node) {
  Captured test = capture(ctx, [&] { return condition(ctx, node->test); });
  if (ctx.policy.constants_prune && test.value.exact() && !test.value.exact()->integer) {
    splice(ctx, test.block);
    return block(ctx, node->orelse, false);
  }
  const bool endless = test.value.exact() && test.value.exact()->integer;
  ctx.at(node);
  Inst* loop = ctx.builder.control(Op::While, {}, 3);
  loop->regions[0] = std::move(test.block);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(loop->regions[0]);
  ctx.at(node->test);
  if (test.value.is_unknown()) test.value = Value::boolean(true);
  ctx.builder.op(Op::Yield, {inst_of(ctx, test.value, node->test)});
  ctx.builder.set_block(*outer);
  const bool broke = loop_region(ctx, loop->regions[1], node, node->body);
  if (!endless) else_region(ctx, loop->regions[2], node, node->orelse);
  ctx.reachable = broke || (!endless && ctx.reachable);
}

// The variable's own slot if its type is the counter's; otherwise the body starts with a
// conversion.
static std::optional<uint32_t> loop_slot(Context& ctx, const Node* target, TypeCode code) {
  const Webs& webs = *ctx.instance->webs;
  const auto found = webs.definition_at.find(ctx.place(target));
  if (target->kind != NodeKind::Name || found == webs.definition_at.end()) return std::nullopt;
  const Definition& d = webs.definitions[found->second];
  WebState& state = ctx.instance->states[d.web];
  join_definition(ctx, found->second, Value::number(code, nullptr, true), target);
  const Value& joined = state.abstract;
  if (!joined.is_number() || joined.exact() || scalar_of(joined.code()) != scalar_of(code))
    return std::nullopt;
  make_slots(ctx, state, d.name);
  return state.slots[0];
}

// `element`: what the target gets in place of the counter; empty: the counter itself.
static void counted_loop(Context& ctx, const syntax::For* node, const std::array<Value, 3>& range,
                         const std::function<Value(const Value&)>& element) {
  const TypeCode code = range[0].code();
  std::vector<Inst*> bounds;
  bounds.reserve(range.size());
  for (const Value& bound : range) bounds.push_back(inst_of(ctx, bound, node->iter));
  carry(ctx, node, PathEnd::Entry);
  const std::optional<uint32_t> own = element ? std::nullopt : loop_slot(ctx, node->target, code);
  const uint32_t counter = own ? *own : make_slot(ctx, "", code);
  ctx.at(node);
  Inst* loop = ctx.builder.control(Op::For, std::move(bounds), 2, counter);
  if (!own) {
    ir::Block* outer = &ctx.builder.block();
    ctx.builder.set_block(loop->regions[0]);
    const Value position = Value::number(code, ctx.builder.slot_load(counter), true);
    assign(ctx, node->target, element ? element(position) : position,
           element ? node->iter : node->target);
    ctx.builder.set_block(*outer);
  }
  const bool broke = loop_region(ctx, loop->regions[0], node, node->body);
  else_region(ctx, loop->regions[1], node, node->orelse);
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

// Ends the loop before a copy of whose element there is none.
static void stop_there(Context& ctx, const Iteration& it, size_t element, const Node* node,
                       size_t scope) {
  Inst* branch = ctx.builder.control(Op::If, {has_element(ctx, it, element, node)}, 2);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(branch->regions[1]);
  leave(ctx, scope);
  ctx.builder.set_block(*outer);
}

static void copy_of_body(Context& ctx, const syntax::For* node, const Value& element, uint32_t i) {
  const uint32_t inside = ctx.instance->unrolled.copy_of(ctx.place(node), i);
  const uint32_t outer = std::exchange(ctx.copy, inside);
  assign(ctx, node->target, element, node->iter);
  block(ctx, node->body, false);
  ctx.copy = outer;
}

// One copy of the body for each element, with webs of its own. break and continue leave scopes.
static void unrolled_loop(Context& ctx, const syntax::For* node, const Iteration& it) {
  const bool may_stop = !it.length.exact();
  if (!knows_copies(ctx, node, {static_cast<uint32_t>(it.most), may_stop})) return;
  const bool breaks = has_jump(node->body, NodeKind::Break);
  const bool continues = has_jump(node->body, NodeKind::Continue);
  Loop loop;
  loop.unrolled = true;
  loop.break_scope = ctx.open_scopes;
  ir::Block* outside = breaks ? open_scope(ctx, node) : nullptr;
  const size_t stop_scope = ctx.open_scopes;
  ir::Block* copies = may_stop ? open_scope(ctx, node) : nullptr;
  loop.continue_scope = ctx.open_scopes;
  bool broke = false;
  for (size_t i = 0; i < it.most && ctx.reachable && !too_large(ctx, node); ++i) {
    if (may_stop) stop_there(ctx, it, i, node->iter, stop_scope);
    ir::Block* copy = continues ? open_scope(ctx, node) : nullptr;
    ctx.at(node->iter);
    const Value position = Value::constant_int(ctx.policy.int_literal(0), static_cast<__int128>(i));
    const Value element = it.element(position);
    ctx.frame->loops.push_back(loop);
    copy_of_body(ctx, node, element, static_cast<uint32_t>(i));
    broke |= ctx.frame->loops.back().broke;
    ctx.reachable |= ctx.frame->loops.back().continued;
    ctx.frame->loops.pop_back();
    close_scope(ctx, copy);
  }
  close_scope(ctx, copies);
  ctx.reachable |= may_stop;
  if (ctx.reachable) block(ctx, node->orelse, false);
  close_scope(ctx, outside);
  ctx.reachable |= broke;
}

static void loop_over(Context& ctx, const syntax::For* node, const Iteration& it) {
  if (it.unrolled) return unrolled_loop(ctx, node, it);
  const TypeCode code = it.length.code();
  counted_loop(ctx, node, {Value::constant_int(code, 0), it.length, Value::constant_int(code, 1)},
               it.element);
}

// A generator expression with conditions or several loops: they are lowered with the body inside,
// as often as the elements of tuples among them ask for. break and continue leave scopes.
static void loop_within(Context& ctx, const syntax::For* node, const Value::Generator& generator) {
  Instance* instance = ctx.instance;
  const uint32_t copy = ctx.copy;
  const auto found = instance->unrolled.loops.find(ctx.place(node));
  const uint32_t known = found == instance->unrolled.loops.end() ? 0 : found->second.copies;
  Loop loop;
  loop.unrolled = true;
  loop.break_scope = ctx.open_scopes;
  ir::Block* outside = has_jump(node->body, NodeKind::Break) ? open_scope(ctx, node) : nullptr;
  uint32_t copies = 0;
  each_generated(ctx, generator, [&](const Value& element) {
    if (copies++ >= known) return;
    Instance* within = std::exchange(ctx.instance, instance);
    const uint32_t copy_within = std::exchange(ctx.copy, copy);
    loop.continue_scope = ctx.open_scopes;
    ir::Block* body = has_jump(node->body, NodeKind::Continue) ? open_scope(ctx, node) : nullptr;
    ctx.frame->loops.push_back(loop);
    copy_of_body(ctx, node, element, copies - 1);
    ctx.frame->loops.pop_back();
    close_scope(ctx, body);
    ctx.reachable = true;
    ctx.instance = within;
    ctx.copy = copy_within;
  });
  knows_copies(ctx, node, {copies, false, /*repeats=*/true});
  block(ctx, node->orelse, false);
  close_scope(ctx, outside);
  ctx.reachable = true;
}

static void refuse_sequence(Context& ctx, const Value& sequence, const Node* node) {
  if (!ctx.policy.has_sequences) {
    error(ctx, DiagCode::only_range, node,
          {type_text(sequence), sequence.is_array() || sequence.is_tuple()
                                    ? "go through the indices: for i in range(n)"
                                    : "count, and compute the values in the loop"});
  } else {
    not_iterable(ctx, node, sequence);
  }
}

// The body is looked at for its own mistakes, as if it ran once. Of a loop that an earlier pass has
// unrolled only copies have definitions.
static void look_at_body(Context& ctx, const syntax::For* node) {
  Unrolled& unrolled = ctx.instance->unrolled;
  const NodeCopy place = ctx.place(node);
  const uint32_t inside = unrolled.loops.contains(place) ? unrolled.copy_of(place, 0) : ctx.copy;
  Inst* placeholder = ctx.builder.control(Op::Scope, {}, 1);
  const uint32_t outside = std::exchange(ctx.copy, inside);
  assign(ctx, node->target, Value::unknown(), node->iter);
  loop_region(ctx, placeholder->regions[0], node, node->body);
  ctx.copy = outside;
  else_region(ctx, placeholder->regions[0], node, node->orelse);
  ctx.reachable = true;
}

void lower_for(Context& ctx, const syntax::For* node) {
  const Value sequence = expr(ctx, node->iter);
  ctx.at(node);
  if (auto* range = sequence.as<Value::Range>()) {
    const std::array<Value, 3> bounds = counted_bounds(ctx, *range, node->iter);
    if (bounds[0].code() == range->code) return counted_loop(ctx, node, bounds, {});
    return counted_loop(ctx, node, bounds, [&](const Value& counter) {
      return convert(ctx, counter, range->code, node->target);
    });
  }
  const bool any = ctx.policy.has_sequences && !sequence.contains_unknown();
  if (auto* generator = sequence.as<Value::Generator>(); generator && any && has_more(*generator))
    return loop_within(ctx, node, *generator);
  const std::optional<Iteration> it = any ? iteration_of(ctx, sequence, node->iter) : std::nullopt;
  if (it && !it->length.is_unknown()) return loop_over(ctx, node, *it);
  if (it && ctx.inference.unrolled) return;
  if (!sequence.is_unknown() && !it) refuse_sequence(ctx, sequence, node->iter);
  look_at_body(ctx, node);
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
