// target(), is_exactly(), provides(), and what they say about branches.
#include "frontend/calls/targets.h"

#include <charconv>

#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

std::optional<uint32_t> number_in(std::string_view text) {
  uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<TargetSet> set_named(std::string_view name) {
  if (name.starts_with(kDescription)) return number_in(name.substr(kDescription.size()));
  if (name == "device.is_host") return kHostTarget;
  if (name == "device.is_device") return kAllTargets & ~kHostTarget;
  if (name == "device.any_target") return kAllTargets;
  if (name == "device.no_target") return TargetSet{0};
  return std::nullopt;
}

Value description(TargetSet set) {
  return Value::Entity{std::string(kDescription) + std::to_string(set)};
}

// The architecture of a selector, such as sm80.
std::optional<TargetSet> selected(const Value& value) {
  constexpr std::string_view kPrefix = "device.sm";
  auto* entity = value.as<Value::Entity>();
  if (!entity || !entity->name.starts_with(kPrefix)) return std::nullopt;
  const auto version = number_in(std::string_view(entity->name).substr(kPrefix.size()));
  return version ? target_of_sm(static_cast<int>(*version)) : std::nullopt;
}

// The one that the code is compiled for.
TargetSet own_target(const TargetName& target) {
  const std::string_view architecture = target.architecture;
  const auto version = target.device ? number_in(architecture.substr(3)) : target.emulated;
  const auto own = version ? target_of_sm(static_cast<int>(*version)) : std::nullopt;
  CD_CHECK(own, "the architecture has no selector: " + target.architecture);
  return *own;
}

Value wrong_argument(Context& ctx, const Arguments& a, const Intrinsic& i, const char* expected,
                     const char* hint) {
  const Value& found = a.positional[0];
  return wrong_kind(ctx, DiagCode::intrinsic_count, argument_node(a, 0), found,
                    {i.short_name(), expected, with_article(type_text(found)) + " is", hint});
}

std::optional<TargetSet> selector_argument(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto found = selected(a.positional[0]);
  if (!found)
    wrong_argument(ctx, a, i, "an architecture", "write one of its selectors, for example sm80");
  return found;
}

// The argument of a call of target().
const Node* asked_of_target(const Context& ctx, const Node* node) {
  auto* call = syntax::as<syntax::Call>(node);
  if (!call || call->args.size() != 1 || !call->keywords.empty()) return nullptr;
  const auto& bindings = ctx.instance->function->bindings;
  const auto at = bindings.find(call->func);
  return at != bindings.end() && at->second.name == "device.target" ? call->args[0] : nullptr;
}

// is_exactly(sm80), provides(sm80)
std::optional<TargetSet> called_set(const Context& ctx, const syntax::Call* call) {
  const auto& bindings = ctx.instance->function->bindings;
  const auto function = bindings.find(call->func);
  if (function == bindings.end() || call->args.size() != 1) return std::nullopt;
  const auto selector = bindings.find(call->args[0]);
  if (selector == bindings.end()) return std::nullopt;
  const auto sm = selected(Value::Entity{selector->second.name});
  if (!sm) return std::nullopt;
  if (function->second.name == "device.is_exactly") return sm;
  if (function->second.name == "device.provides") return targets_from(*sm);
  return std::nullopt;
}

// The set of a description as it is written, without evaluating anything.
std::optional<TargetSet> written_set(const Context& ctx, const Node* node) {
  if (auto* call = syntax::as<syntax::Call>(node)) return called_set(ctx, call);
  if (auto* e = syntax::as<syntax::UnaryOp>(node); e && e->op == "Invert") {
    const auto set = written_set(ctx, e->operand);
    return set ? std::optional(kAllTargets & ~*set) : std::nullopt;
  }
  if (auto* e = syntax::as<syntax::BinOp>(node)) {
    const auto a = written_set(ctx, e->left), b = written_set(ctx, e->right);
    if (!a || !b) return std::nullopt;
    if (e->op == "BitOr") return *a | *b;
    return e->op == "BitAnd" ? std::optional(*a & *b) : std::nullopt;
  }
  const auto& bindings = ctx.instance->function->bindings;
  const auto at = bindings.find(node);
  if (at == bindings.end()) return std::nullopt;
  const syntax::Binding& b = at->second;
  return set_named(b.kind == syntax::Binding::Kind::Constant ? b.value.text : b.name);
}

}  // namespace

std::optional<TargetSet> target_set(const Value& value) {
  auto* entity = value.as<Value::Entity>();
  return entity ? set_named(entity->name) : std::nullopt;
}

std::optional<Value> target_operation(BinaryOp op, const Value& a, const Value& b) {
  const auto x = target_set(a), y = target_set(b);
  if (!x || !y) return std::nullopt;
  if (op == BinaryOp::BitOr) return description(*x | *y);
  if (op == BinaryOp::BitAnd) return description(*x & *y);
  return std::nullopt;
}

std::optional<Value> target_complement(const Value& value) {
  const auto set = target_set(value);
  return set ? std::optional(description(kAllTargets & ~*set)) : std::nullopt;
}

Value description_as_condition(Context& ctx, const Node* node) {
  return error(ctx, DiagCode::unsupported_syntax, node,
               {"a target description as a condition",
                "ask target(...) whether it holds; combine descriptions by ~, | and &, not by "
                "'not', 'or' and 'and'"});
}

std::optional<bool> answer_on_host(const Context& ctx, const Node* condition) {
  if (auto* e = syntax::as<syntax::UnaryOp>(condition); e && e->op == "Not") {
    const auto answer = answer_on_host(ctx, e->operand);
    return answer ? std::optional(!*answer) : std::nullopt;
  }
  if (auto* e = syntax::as<syntax::BoolOp>(condition)) {
    const bool is_and = e->op == "And";
    bool all = true;
    for (const Node* operand : e->values) {
      const auto answer = answer_on_host(ctx, operand);
      if (answer && *answer != is_and) return answer;
      all &= answer.has_value();
    }
    return all ? std::optional(is_and) : std::nullopt;
  }
  const Node* asked = asked_of_target(ctx, condition);
  const auto set = asked ? written_set(ctx, asked) : std::nullopt;
  return set ? std::optional((*set & kHostTarget) != 0) : std::nullopt;
}

Value call_target(Context& ctx, const Arguments& a, const Intrinsic& i) {
  if (const auto set = target_set(a.positional[0]))
    return Value::boolean((*set & own_target(ctx.session.request.target)) != 0);
  return wrong_argument(ctx, a, i, "a target description",
                        "for example is_device or provides(sm80), or several of them combined by "
                        "~, | and &");
}

Value call_is_exactly(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto sm = selector_argument(ctx, a, i);
  return sm ? description(*sm) : Value::unknown();
}

Value call_provides(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto sm = selector_argument(ctx, a, i);
  return sm ? description(targets_from(*sm)) : Value::unknown();
}

}  // namespace cuda_device::frontend
