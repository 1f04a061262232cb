// assert and raise: checks of the IR. Their texts are constants.
#include <algorithm>

#include "frontend/lowerer.h"
#include "support/render.h"

namespace cuda_device::frontend {
namespace {

struct Exception {
  std::string_view entity, name;
};

constexpr Exception kExceptions[] = {
#define EXCEPTION(name) {"builtins." #name, #name},
#define ALIAS(name, own) {"builtins." #name, #own},
#include "frontend/exceptions.def"
};

// The name of the class; empty: none that a kernel may raise.
std::string exception_named(const Value& value) {
  if (value.kind != Value::Kind::Entity) return "";
  const auto found = std::ranges::find(kExceptions, value.name, &Exception::entity);
  return found == std::end(kExceptions) ? "" : std::string(found->name);
}

std::string written(const Value& value) {
  return value.kind == Value::Kind::FString ? type_text(value) : "'" + type_text(value) + "'";
}

}  // namespace

// One entry for what is written out or inlined several times.
void Lowerer::check(const Value& holds, const Node* node, Failure failure) {
  failure.function = instance_->index;
  failure.line = static_cast<int32_t>(node->span.line - instance_->function->span.line);
  std::vector<Failure>& all = function_->failures;
  auto at = std::ranges::find(all, failure);
  if (at == all.end()) at = all.insert(all.end(), std::move(failure));
  this->at(node);
  builder_.op(Op::Check, {inst_of(holds, node)}, at - all.begin());
  if (holds.exact) reachable_ = false;
}

void Lowerer::lower_assert(const syntax::Assert* node) {
  if (!may_fail(node, "'assert'")) return;
  const Value holds = condition(node->test);
  std::string text = source_text(program_.files, node->test->span);
  if (node->msg) {
    const bool is_format = node->msg->kind == syntax::NodeKind::JoinedStr;
    const Value message = is_format ? Value::named(Value::Kind::FString, "") : expr(node->msg);
    if (message.is_unknown()) return;
    if (message.kind != Value::Kind::Text) {
      error(DiagCode::assert_message, node->msg, {written(message)});
      return;
    }
    text = message.name;
  }
  if (holds.is_unknown() || (holds.exact && holds.exact->integer != 0)) return;
  check(holds, node,
        {"AssertionError", text.empty() ? "assertion failed" : "assertion failed: " + text, true});
}

void Lowerer::lower_raise(const syntax::Raise* node) {
  if (may_fail(node, "'raise'")) {
    if (!node->exc) error(DiagCode::raise_again, node);
    if (node->cause) error(DiagCode::raise_cause, node->cause);
    const std::optional<Failure> failure = failure_of(node->exc);
    if (failure && !node->cause) check(Value::boolean(false), node, *failure);
  }
  reachable_ = false;
}

// The check of a region that does nothing but fail; null: it does more.
static const ir::Inst* only_fails(const ir::Block& region) {
  const auto is_const = [](const ir::Inst* i) { return i->op == ir::Op::Const; };
  if (region.empty() || region.insts.back()->op != ir::Op::Check) return nullptr;
  const bool all = std::all_of(region.insts.begin(), region.insts.end() - 1, is_const);
  return all && is_const(region.insts.back()->operands[0]) ? region.insts.back() : nullptr;
}

// `if c: raise ...`, just lowered, as a check of what leads elsewhere: the other side is then under
// no condition that threads may differ in. A barrier may stand there.
void Lowerer::fail_without_branch(Inst& branch) {
  const Inst* yes = only_fails(branch.regions[0]);
  const Inst* fails = yes ? yes : only_fails(branch.regions[1]);
  if (!fails) return;
  builder_.block().insts.pop_back();
  builder_.set_span(fails->span);
  Inst* holds = branch.operands[0];
  if (yes) holds = builder_.op(Op::Not, {holds});
  builder_.op(Op::Check, {holds}, fails->imm);
  splice(branch.regions[yes ? 1 : 0]);
}

bool Lowerer::may_fail(const Node* node, const char* statement) {
  if (policy_.can_fail) return true;
  error(DiagCode::unsupported_syntax, node,
        {statement, "kernels of this dialect have no exceptions"});
  return false;
}

// Of a class, or of a call of one with a text.
std::optional<Failure> Lowerer::failure_of(const Node* exception) {
  if (!exception) return std::nullopt;
  auto* call = syntax::as<syntax::Call>(exception);
  const Node* named = call ? call->func : exception;
  const Value value = expr(named);
  if (value.is_unknown()) return std::nullopt;
  const std::string name = exception_named(value);
  if (name.empty()) {
    error(DiagCode::raise_class, named, {type_text(value)});
    return std::nullopt;
  }
  if (!call || (call->args.empty() && call->keywords.empty())) return Failure{name, name};
  const Node* argument = call->args.empty() ? call->keywords[0] : call->args[0];
  const size_t count = call->args.size() + call->keywords.size();
  if (count > 1 || call->args.empty()) {
    error(DiagCode::raise_text, exception,
          {name, count > 1 ? std::to_string(count) + " arguments" : "a keyword argument"});
    return std::nullopt;
  }
  const bool is_format = argument->kind == syntax::NodeKind::JoinedStr;
  const Value text = is_format ? Value::named(Value::Kind::FString, "") : expr(argument);
  if (text.is_unknown()) return std::nullopt;
  if (text.kind != Value::Kind::Text) {
    error(DiagCode::raise_text, argument, {name, written(text)});
    return std::nullopt;
  }
  return Failure{name, text.name.empty() ? name : text.name};
}

}  // namespace cuda_device::frontend
