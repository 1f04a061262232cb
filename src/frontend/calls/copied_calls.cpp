#include "frontend/calls/copied_calls.h"

#include <algorithm>
#include <utility>

#include "frontend/diagnosis/diagnosis.h"
#include "ir/clone.h"
#include "ir/visitor.h"

namespace cuda_device::frontend {
namespace {

// Calls of one function that are kept. Where there are more, most differ.
constexpr size_t kMostCalls = 16;
// Instructions of calls that are kept, each as often as calls that are kept stand around it.
constexpr size_t kMostInsts = 4'000'000;

// Whether the instructions of a value are all that it has of the pass and of the call: closures
// read the variables of the function around them.
bool can_be_copied(const Value& v) {
  if (v.is_unknown() || v.is<Value::Closure>() || !v.is_storable()) return false;
  if (v.is<Value::Scalar>() && !v.inst()) return false;
  return std::ranges::all_of(v.parts(), can_be_copied);
}

// Constants of the IR are no products: they have no marks (across_call), and their values are read.
bool are_same_to_lowering(const Inst& a, const Inst& b) {
  const bool has_constant = a.op == Op::Const || b.op == Op::Const;
  return !has_constant || (a.op == b.op && a.imm == b.imm);
}

// Whether the call that was given `from` has the same body as one that is given `to`, and by which
// instructions the two then differ.
bool is_like(const Value& from, const Value& to, ir::Copies& copies) {
  if (!same_form(from, to)) return false;
  if (from.is_array() && from.array().read_only != to.array().read_only) return false;
  if (const Inst* old = from.inst()) {
    if (!to.inst() || !are_same_to_lowering(*old, *to.inst())) return false;
    // One number given twice is no two numbers.
    if (copies.emplace(old, to.inst()).first->second != to.inst()) return false;
  }
  return std::ranges::equal(from.parts(), to.parts(),
                            [&](const Value& a, const Value& b) { return is_like(a, b, copies); });
}

bool is_like(const Context& ctx, const InlinedCall& call, const std::vector<Value>& given,
             ir::Copies& copies) {
  copies.clear();
  return call.in == ctx.function.get() && call.in_func == in_func(ctx) &&
         call.in_message == ctx.in_message && ctx.depth + call.height <= kMaxInlineDepth &&
         std::ranges::equal(call.given, given, [&](const Value& from, const Value& to) {
           return is_like(from, to, copies);
         });
}

Value with_copies(const Value& v, const ir::Copies& copies) {
  if (v.is<Value::Scalar>()) {
    const auto at = copies.find(v.inst());
    return at == copies.end() ? v : v.computed_by(at->second);
  }
  if (v.parts().empty()) return v;
  std::vector<Value> parts;
  parts.reserve(v.parts().size());
  for (const Value& part : v.parts()) parts.push_back(with_copies(part, copies));
  return v.with_parts(std::move(parts));
}

void copy_body(Context& ctx, const InlinedCall& call, ir::Copies& copies) {
  std::vector<ir::Slot>& slots = ctx.function->slots;
  const auto offset = static_cast<int64_t>(slots.size() - call.first_slot);
  for (size_t k = 0; k < call.slots; ++k) slots.push_back(ir::Slot(slots[call.first_slot + k]));
  ir::Block copy{ir::clone(*ctx.function, call.body, copies)};
  ir::for_each_inst(copy, [&](Inst& inst) {
    if (ir::info(inst.op).imm == ir::ImmKind::Slot) inst.imm += offset;
  });
  splice(ctx, copy);
}

}  // namespace

std::optional<Value> copied_call(Context& ctx, Instance& instance,
                                 const std::vector<Value>& given) {
  if (ctx.session.explaining || instance.enclosing) return std::nullopt;
  const auto kept = ctx.session.kept_calls.find(instance.function);
  if (kept == ctx.session.kept_calls.end() || kept->second.calls.empty()) return std::nullopt;
  const std::vector<InlinedCall>& calls = kept->second.calls;
  ir::Copies copies;
  const auto call = std::ranges::find_if(
      calls, [&](const InlinedCall& one) { return is_like(ctx, one, given, copies); });
  if (call == calls.end()) return std::nullopt;
  copy_body(ctx, *call, copies);
  instance.copy_of = call->instance;
  ctx.inlined_calls += call->inlined_calls;
  ctx.deepest = std::max(ctx.deepest, ctx.depth + call->height);
  return with_copies(call->result, copies);
}

CallStart::CallStart(Context& ctx)
    : insts(ctx.builder.block().insts.size()),
      slots(ctx.function->slots.size()),
      inlined_calls(ctx.inlined_calls),
      deepest(ctx.deepest) {}

void keep_call(Context& ctx, const CallStart& start, const Instance& instance,
               std::vector<Value> given, const Value& result) {
  if (ctx.session.explaining || instance.enclosing || instance.is_one_of_a_kind) return;
  KeptCalls& kept = ctx.session.kept_calls[instance.function];
  kept.several |= std::exchange(kept.met, true);
  if (!kept.several) return;
  std::vector<InlinedCall>& calls = kept.calls;
  const std::vector<Inst*>& all = ctx.builder.block().insts;
  const size_t insts = all.size() - start.insts;
  if (calls.size() == kMostCalls || ctx.session.kept_insts + insts > kMostInsts ||
      !can_be_copied(result) || !std::ranges::all_of(given, can_be_copied))
    return;
  ctx.session.kept_insts += insts;
  InlinedCall call;
  call.instance = &instance;
  call.in = ctx.function.get();
  call.given = std::move(given);
  call.in_func = in_func(ctx);
  call.in_message = ctx.in_message;
  call.result = result;
  call.body.insts.assign(all.begin() + static_cast<std::ptrdiff_t>(start.insts), all.end());
  call.first_slot = start.slots;
  call.slots = ctx.function->slots.size() - start.slots;
  call.inlined_calls = ctx.inlined_calls - start.inlined_calls;
  call.height = ctx.deepest - ctx.depth;
  calls.push_back(std::move(call));
}

}  // namespace cuda_device::frontend
