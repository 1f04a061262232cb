#include "ir/atomic.h"

#include <algorithm>
#include <span>

#include "ir/evaluate.h"

namespace cuda_device::ir {
namespace {

constexpr std::string_view kWaits = "waits";

template <class Enum>
std::optional<Enum> named(std::span<const std::string_view> names, std::string_view text) {
  const auto at = std::ranges::find(names, text);
  if (at == names.end()) return std::nullopt;
  return static_cast<Enum>(at - names.begin());
}

std::string_view before_dot(std::string_view& text) {
  const size_t dot = std::min(text.find('.'), text.size());
  const std::string_view word = text.substr(0, dot);
  text.remove_prefix(std::min(dot + 1, text.size()));
  return word;
}

}  // namespace

std::string to_string(const AtomicSpec& spec) {
  return std::string(kAtomicKinds[static_cast<size_t>(spec.kind)]) + "." +
         std::string(kMemoryOrders[static_cast<size_t>(spec.order)]) + "." +
         std::string(kThreadScopes[static_cast<size_t>(spec.scope)]) +
         (spec.waits ? "." + std::string(kWaits) : "");
}

std::optional<AtomicSpec> atomic_named(std::string_view text) {
  const auto kind = named<AtomicKind>(kAtomicKinds, before_dot(text));
  const auto order = named<MemoryOrder>(kMemoryOrders, before_dot(text));
  const auto scope = named<ThreadScope>(kThreadScopes, before_dot(text));
  const bool waits = text == kWaits;
  if (!kind || !order || !scope || (!waits && !text.empty())) return std::nullopt;
  return AtomicSpec{*kind, *order, *scope, waits};
}

int64_t after_atomic(AtomicKind kind, ScalarKind element, int64_t old, int64_t operand) {
  if (kind == AtomicKind::Exch) return operand;
  if (replaces_nan(kind) && is_float(element) &&
      evaluator(Op::IsNan, element, ScalarKind::Bool)(old, 0, 0))
    return operand;
  return evaluator(op_of(kind), element, element)(old, operand, 0);
}

}  // namespace cuda_device::ir
