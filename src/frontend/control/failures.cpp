// assert and raise: checks of the IR, with the values of their messages.
#include "frontend/control/control.h"

#include <algorithm>
#include <utility>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/texts/texts.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "support/render.h"

namespace cuda_device::frontend {
namespace {

struct Exception {
  std::string_view entity, name;
  bool one_text = false;  // several arguments are no tuple that it says
};

constexpr Exception kExceptions[] = {
#define EXCEPTION(name) {"builtins." #name, #name},
#define ONE_TEXT(name) {"builtins." #name, #name, true},
#define ALIAS(name, own) {"builtins." #name, #own, true},
#include "frontend/control/exceptions.def"
};

// Null: no class that a kernel may raise.
const Exception* exception_named(const Value& value) {
  auto* entity = value.as<Value::Entity>();
  if (!entity) return nullptr;
  const auto* found = std::ranges::find(kExceptions, entity->name, &Exception::entity);
  return found == std::end(kExceptions) ? nullptr : found;
}

// What the kernel holds or knows anyway: reading it costs nothing where no thread fails.
bool is_at_hand(const Inst* inst) {
  const ir::OpKind kind = ir::info(inst->op).kind;
  return inst->op == Op::SlotLoad || kind == ir::OpKind::Given || kind == ir::OpKind::Position;
}

// What fails without a branch, by a check that stands last.
bool always_fails(const ir::Block& region) {
  const Inst* last = region.empty() ? nullptr : region.insts.back();
  return last && last->op == Op::Check && last->operands[0]->op == Op::Const &&
         !last->operands[0]->imm;
}

}  // namespace

int64_t failure_number(Context& ctx, const Span& where, Failure failure) {
  const ReportedPlace place = place_in_program(ctx, where);
  failure.function = place.in->index;
  // A failure of a message is one of the assertion: where assertions are left out, so is it.
  failure.assertion |= ctx.in_message;
  failure.line =
      static_cast<int32_t>(place.span.line - ctx.program.functions.at(failure.function).span.line);
  std::vector<Failure>& all = ctx.function->failures;
  auto at = std::ranges::find(all, failure);
  if (at == all.end()) at = all.insert(all.end(), std::move(failure));
  return at - all.begin();
}

void fail_unless(Context& ctx, const Value& holds, const Node* node, Failure failure,
                 const std::vector<Inst*>& values) {
  const int64_t number = failure_number(ctx, node->span, std::move(failure));
  ctx.at(node);
  std::vector<Inst*> operands{inst_of(ctx, holds, node)};
  operands.insert(operands.end(), values.begin(), values.end());
  ctx.builder.typed(Op::Check, ir::Type::none(), std::move(operands), number);
  if (holds.exact()) ctx.reachable = false;
}

static bool may_fail(Context& ctx, const Node* node, const char* statement) {
  if (ctx.policy.can_fail) return true;
  error(ctx, DiagCode::unsupported_syntax, node,
        {statement, "kernels of this dialect have no exceptions"});
  return false;
}

// The message is computed where the assertion does not hold, and nowhere else.
static void fail_with_message(Context& ctx, const Value& holds, const syntax::Assert* node,
                              ir::Block& message, Failure failure,
                              const std::vector<Inst*>& values) {
  if (holds.exact() || std::ranges::all_of(message.insts, is_at_hand)) {
    splice(ctx, message);
    return fail_unless(ctx, holds, node, std::move(failure), values);
  }
  ctx.at(node);
  Inst* branch = ctx.builder.control(Op::If, {holds.inst()}, 2);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(branch->regions[1]);
  splice(ctx, message);
  const bool reachable = ctx.reachable;
  fail_unless(ctx, Value::boolean(false), node, std::move(failure), values);
  ctx.reachable = reachable;
  ctx.builder.set_block(*outer);
}

void lower_assert(Context& ctx, const syntax::Assert* node) {
  if (!may_fail(ctx, node, "'assert'")) return;
  const Value holds = condition(ctx, node->test);
  if (holds.exact() && holds.exact()->integer != 0) return;  // nobody asks for the message
  const Writing to{"'assert'", node->msg};
  std::optional<Text> message = text_with("");
  const bool reachable = ctx.reachable;
  const bool in_message = std::exchange(ctx.in_message, true);
  Captured captured = capture(ctx, [&] {
    if (node->msg) message = str_of(ctx, expr(ctx, node->msg), to);
    return Value::none();
  });
  ctx.reachable = reachable;
  ctx.in_message = in_message;
  if (!message || holds.is_unknown()) return;
  const bool acts = ir::any_inst(
      captured.block, [](const Inst& i) { return ir::has_effect(i) && i.op != Op::Check; });
  if (acts) {
    error(ctx, DiagCode::assert_message, node->msg);
    return;
  }
  if (!node->msg) message->text = source_text(ctx.program.files, node->test->span);
  const bool empty = message->values.empty() && message->text.empty();
  Text text = text_with(empty ? "assertion failed" : "assertion failed: ");
  append(text, *message);
  std::optional<Told> say = told(ctx, text, to);
  if (!say) return;
  Failure failure{"AssertionError", std::move(say->format), true};
  const bool fails = ir::any_inst(captured.block, [](const Inst& i) { return i.op == Op::Check; });
  if (say->values.empty() && !fails) return fail_unless(ctx, holds, node, std::move(failure));
  fail_with_message(ctx, holds, node, captured.block, std::move(failure), say->values);
}

// What its arguments make of its text: nothing, the one, or the tuple of them. Nothing: after an
// error.
static std::optional<Text> exception_text(Context& ctx, const Exception& cls,
                                          const syntax::Call* call) {
  std::vector<Value> arguments;
  const Node* at = call->args.size() == 1 ? call->args[0] : call;
  bool fine = true;
  for (const Node* argument : call->args) {
    if (auto* starred = syntax::as<syntax::Starred>(argument))
      fine &= spread(ctx, starred, arguments);
    else
      arguments.push_back(expr(ctx, argument));
  }
  if (!call->keywords.empty()) {
    error(ctx, DiagCode::raise_text, call->keywords[0],
          {std::string(cls.name), "no keyword arguments", "one"});
    return std::nullopt;
  }
  if (cls.one_text && arguments.size() > 1) {
    error(ctx, DiagCode::raise_text, call,
          {std::string(cls.name), "one argument", std::to_string(arguments.size())});
    return std::nullopt;
  }
  if (!fine) return std::nullopt;
  const Writing to{"'raise'", at};
  if (arguments.empty()) return text_with("");
  if (arguments.size() > 1) return str_of(ctx, Value::tuple(std::move(arguments)), to);
  return (cls.name == "KeyError" ? repr_of : str_of)(ctx, arguments[0], to);
}

static void raise(Context& ctx, const syntax::Raise* node) {
  auto* call = syntax::as<syntax::Call>(node->exc);
  const Node* named = call ? call->func : node->exc;
  const Value value = expr(ctx, named);
  if (value.is_unknown()) return;
  const Exception* cls = exception_named(value);
  if (!cls) {
    error(ctx, DiagCode::raise_class, named, {type_text(value)});
    return;
  }
  std::optional<Text> text = call ? exception_text(ctx, *cls, call) : text_with("");
  if (!text) return;
  if (text->text.empty()) text->text = cls->name;
  std::optional<Told> say = told(ctx, *text, {"'raise'", call});
  if (say && !node->cause)
    fail_unless(ctx, Value::boolean(false), node, {std::string(cls->name), std::move(say->format)},
                say->values);
}

void lower_raise(Context& ctx, const syntax::Raise* node) {
  if (may_fail(ctx, node, "'raise'")) {
    if (node->cause) error(ctx, DiagCode::raise_cause, node->cause);
    if (node->exc)
      raise(ctx, node);
    else
      error(ctx, DiagCode::raise_again, node);
  }
  ctx.reachable = false;
}

void fail_without_branch(Context& ctx, Inst& branch) {
  const bool yes = always_fails(branch.regions[0]);
  if (!yes && !always_fails(branch.regions[1])) return;
  ir::Block &fails = branch.regions[yes ? 0 : 1], &rest = branch.regions[yes ? 1 : 0];
  const Inst* check = fails.insts.back();
  if (std::all_of(fails.insts.begin(), fails.insts.end() - 1, is_at_hand)) {
    ctx.builder.block().insts.pop_back();
    ctx.builder.set_span(check->span);
    std::vector<Inst*> operands = check->operands;
    operands[0] = branch.operands[0];
    if (yes) operands[0] = ctx.builder.op(Op::Not, {operands[0]});
    fails.insts.pop_back();
    splice(ctx, fails);
    ctx.builder.typed(Op::Check, ir::Type::none(), std::move(operands), check->imm);
  }
  splice(ctx, rest);
}

}  // namespace cuda_device::frontend
