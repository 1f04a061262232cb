#include "frontend/diagnosis/counterparts.h"

#include <algorithm>
#include <optional>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/language_names.h"

namespace cuda_device::frontend {
namespace {

constexpr std::pair<std::string_view, std::string_view> kCounterparts[] = {
#define COUNTERPART(one, other) {one, other},
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

static void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// A name of another language's module as the policy's writes it; empty: it has no such name.
static std::string own_spelling(const Policy& policy, const std::string& entity) {
  if (const std::optional<std::string> own = counterpart(policy, entity)) return public_name(*own);
  const Intrinsic* intrinsic = find_intrinsic(entity);
  const bool is_type = intrinsic && intrinsic->role == Intrinsic::Role::Type &&
                       policy.operator_type(intrinsic->code, intrinsic->code);
  return is_type ? entity.substr(entity.rfind('.') + 1) : "";
}

// Whether it has them all.
static bool spell_names(const Policy& policy, std::string& text) {
  bool all = true;
  static constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  const std::string_view prefix = language_names(policy).other_prefix;
  for (size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    size_t end = std::min(text.find_first_not_of(kOfNames, at), text.size());
    while (text[end - 1] == '.') --end;
    const bool begins = at == 0 || kOfNames.find(text[at - 1]) == std::string_view::npos;
    const std::string own = begins ? own_spelling(policy, text.substr(at, end - at)) : "";
    if (!own.empty()) text.replace(at, end - at, own);
    all &= !own.empty() || !begins;
    at = own.empty() ? end : at + own.size();
  }
  return all;
}

std::string in_language(const Policy& policy, std::string hint) {
  return spell_names(policy, hint) ? hint : "";
}

std::string hint_in_language(const Policy& policy, const Diagnostic& diagnostic) {
  const LanguageNames& names = language_names(policy);
  std::string hint = hint_of(diagnostic);
  for (const OwnHint& own : names.hints)
    if (own.code == diagnostic.code) hint = filled(own.hint, diagnostic.args);
  for (const OwnWords& words : names.words) replace_all(hint, words.those_of_a_hint, words.its_own);
  spell_names(policy, hint);
  return hint;
}

const char* refused_name(const Policy& policy, std::string_view entity) {
  for (const RefusedName& refused : language_names(policy).refused_names)
    if (refused.entity == entity) return refused.hint;
  return nullptr;
}

}  // namespace cuda_device::frontend
