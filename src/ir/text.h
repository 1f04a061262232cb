// Names shared by printer and parser for what op.def does not list: facts, options, address spaces.
#pragma once

#include <string_view>

#include "ir/ir.h"

namespace cuda_device::ir::text {

template <class Struct>
struct Flag {
  std::string_view name;
  bool Struct::* member;
};

inline constexpr Flag<ArrayFacts> kArrayFlags[] = {
#define ARRAY_FACT(name, words) {#name, &ArrayFacts::name},
#include "support/facts.def"
};
inline constexpr Flag<Options> kOptionFlags[] = {
    {"fmad", &Options::fmad},
#define FAST_MATH(name, in_true) {#name, &Options::name},
#include "support/fast_math.def"
};
inline constexpr Flag<LaunchFacts> kLaunchFlags[] = {
#define LAUNCH_FACT(name) {#name, &LaunchFacts::name},
#include "support/facts.def"
};
// A flag that is missing above would not survive the text form.
static_assert(sizeof(Options) == std::size(kOptionFlags) * sizeof(bool));

// The word in front of a region: none before the first, `do` and `else` before later ones.
constexpr std::string_view region_word(Op op, size_t region) {
  if (region == 0) return "";
  return op == Op::While && region == 1 ? "do" : "else";
}

// Trailing regions that are not printed where they are empty.
constexpr bool may_be_omitted(Op op, size_t region) { return region_word(op, region) == "else"; }

}  // namespace cuda_device::ir::text
