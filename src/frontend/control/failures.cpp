// assert and raise: checks of the IR. Their messages are constants.
#include "frontend/control/control.h"

#include <algorithm>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "support/render.h"

namespace cuda_device::frontend {
namespace {

struct Exception {
  std::string_view entity, name;
};

constexpr Exception kExceptions[] = {
#define EXCEPTION(name) {"builtins." #name, #name},
#define ALIAS(name, own) {"builtins." #name, #own},
#include "frontend/control/exceptions.def"
};

// The name of the class; empty: none that a kernel may raise.
std::string exception_named(const Value& value) {
  auto* entity = value.as<Value::Entity>();
  if (!entity) return "";
  const auto found = std::ranges::find(kExceptions, entity->name, &Exception::entity);
  return found == std::end(kExceptions) ? "" : std::string(found->name);
}

std::string written(const Value& value) {
  return value.is<Value::FString>() ? type_text(value) : "'" + type_text(value) + "'";
}

}  // namespace

int64_t failure_number(Context& ctx, const Span& where, Failure failure) {
  const ReportedPlace place = place_in_program(ctx, where);
  failure.function = place.in->index;
  failure.line =
      static_cast<int32_t>(place.span.line - ctx.program.functions.at(failure.function).span.line);
  std::vector<Failure>& all = ctx.function->failures;
  auto at = std::ranges::find(all, failure);
  if (at == all.end()) at = all.insert(all.end(), std::move(failure));
  return at - all.begin();
}

void fail_unless(Context& ctx, const Value& holds, const Node* node, Failure failure) {
  const int64_t number = failure_number(ctx, node->span, std::move(failure));
  ctx.at(node);
  ctx.builder.op(Op::Check, {inst_of(ctx, holds, node)}, number);
  if (holds.exact()) ctx.reachable = false;
}

static bool may_fail(Context& ctx, const Node* node, const char* statement) {
  if (ctx.policy.can_fail) return true;
  error(ctx, DiagCode::unsupported_syntax, node,
        {statement, "kernels of this dialect have no exceptions"});
  return false;
}

void lower_assert(Context& ctx, const syntax::Assert* node) {
  if (!may_fail(ctx, node, "'assert'")) return;
  const Value holds = condition(ctx, node->test);
  std::string text = source_text(ctx.program.files, node->test->span);
  if (node->msg) {
    const bool is_format = node->msg->kind == syntax::NodeKind::JoinedStr;
    const Value message = is_format ? Value(Value::FString{}) : expr(ctx, node->msg);
    if (message.is_unknown()) return;
    auto* constant = message.as<Value::Text>();
    if (!constant) {
      error(ctx, DiagCode::assert_message, node->msg, {written(message)});
      return;
    }
    text = constant->text;
  }
  if (holds.is_unknown() || (holds.exact() && holds.exact()->integer != 0)) return;
  fail_unless(
      ctx, holds, node,
      {"AssertionError", text.empty() ? "assertion failed" : "assertion failed: " + text, true});
}

// The failure that an exception class, or a call of one with a text, stands for.
static std::optional<Failure> failure_of(Context& ctx, const Node* exception) {
  if (!exception) return std::nullopt;
  auto* call = syntax::as<syntax::Call>(exception);
  const Node* named = call ? call->func : exception;
  const Value value = expr(ctx, named);
  if (value.is_unknown()) return std::nullopt;
  const std::string name = exception_named(value);
  if (name.empty()) {
    error(ctx, DiagCode::raise_class, named, {type_text(value)});
    return std::nullopt;
  }
  if (!call || (call->args.empty() && call->keywords.empty())) return Failure{name, name};
  const Node* argument = call->args.empty() ? call->keywords[0] : call->args[0];
  const size_t count = call->args.size() + call->keywords.size();
  if (count > 1 || call->args.empty()) {
    error(ctx, DiagCode::raise_text, exception,
          {name, count > 1 ? std::to_string(count) + " arguments" : "a keyword argument"});
    return std::nullopt;
  }
  const bool is_format = argument->kind == syntax::NodeKind::JoinedStr;
  const Value message = is_format ? Value(Value::FString{}) : expr(ctx, argument);
  if (message.is_unknown()) return std::nullopt;
  auto* text = message.as<Value::Text>();
  if (!text) {
    error(ctx, DiagCode::raise_text, argument, {name, written(message)});
    return std::nullopt;
  }
  return Failure{name, text->text.empty() ? name : text->text};
}

void lower_raise(Context& ctx, const syntax::Raise* node) {
  if (may_fail(ctx, node, "'raise'")) {
    if (!node->exc) error(ctx, DiagCode::raise_again, node);
    if (node->cause) error(ctx, DiagCode::raise_cause, node->cause);
    const std::optional<Failure> failure = failure_of(ctx, node->exc);
    if (failure && !node->cause) fail_unless(ctx, Value::boolean(false), node, *failure);
  }
  ctx.reachable = false;
}

// The check of a region that does nothing but fail; null: it does more.
static const Inst* only_fails(const ir::Block& region) {
  const auto is_const = [](const Inst* i) { return i->op == ir::Op::Const; };
  if (region.empty() || region.insts.back()->op != ir::Op::Check) return nullptr;
  const bool all = std::all_of(region.insts.begin(), region.insts.end() - 1, is_const);
  return all && is_const(region.insts.back()->operands[0]) ? region.insts.back() : nullptr;
}

void fail_without_branch(Context& ctx, Inst& branch) {
  const Inst* yes = only_fails(branch.regions[0]);
  const Inst* fails = yes ? yes : only_fails(branch.regions[1]);
  if (!fails) return;
  ctx.builder.block().insts.pop_back();
  ctx.builder.set_span(fails->span);
  Inst* holds = branch.operands[0];
  if (yes) holds = ctx.builder.op(Op::Not, {holds});
  ctx.builder.op(Op::Check, {holds}, fails->imm);
  splice(ctx, branch.regions[yes ? 1 : 0]);
}

}  // namespace cuda_device::frontend
