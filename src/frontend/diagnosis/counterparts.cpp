#include "frontend/diagnosis/counterparts.h"

#include <optional>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/language_names.h"

namespace cuda_device::frontend {
namespace {

constexpr std::pair<std::string_view, std::string_view> kCounterparts[] = {
#define COUNTERPART(guide, numbapro) {guide, numbapro},
#include "frontend/diagnosis/counterparts.def"
};

// The name of the same thing in the policy's language; nothing: it has none.
std::optional<std::string> counterpart(const Policy& policy, std::string_view entity) {
  const std::string_view own = language_names(policy).own_prefix;
  for (const auto& [a, b] : kCounterparts) {
    if (a == entity && !a.starts_with(own)) return std::string(b);
    if (b == entity && !b.starts_with(own)) return std::string(a);
  }
  return std::nullopt;
}

}  // namespace

bool is_of_another_language(const Policy& policy, const Intrinsic& intrinsic) {
  return intrinsic.role != Intrinsic::Role::Type &&
         intrinsic.name.starts_with(language_names(policy).other_prefix);
}

Value another_language(Context& ctx, const Intrinsic& intrinsic, const Node* node) {
  const std::optional<std::string> own = counterpart(ctx.policy, intrinsic.name);
  const std::string kernels = "kernels of " + std::string(language_names(ctx.policy).decorator);
  return error(ctx, DiagCode::foreign_call, node,
               {public_name(intrinsic.name),
                own ? kernels + " write " + public_name(*own) : kernels + " have no such name"});
}

std::string in_language(const Policy& policy, const std::string& hint) {
  if (!hint.starts_with(language_names(policy).other_prefix)) return hint;
  const size_t end = hint.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.");
  const std::string entity = hint.substr(0, end);
  if (const std::optional<std::string> own = counterpart(policy, entity))
    return public_name(*own) + hint.substr(entity.size());
  const Intrinsic* intrinsic = find_intrinsic(entity);
  return intrinsic && is_of_another_language(policy, *intrinsic) ? "" : hint;
}

}  // namespace cuda_device::frontend
