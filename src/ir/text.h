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
    {"unit_inner", &ArrayFacts::unit_inner}, {"contiguous", &ArrayFacts::contiguous},
    {"aligned", &ArrayFacts::aligned},       {"element_aligned", &ArrayFacts::element_aligned},
    {"read_only", &ArrayFacts::read_only},   {"fits_31", &ArrayFacts::fits_31},
    {"no_alias", &ArrayFacts::no_alias},     {"beyond_cache", &ArrayFacts::beyond_cache},
};
inline constexpr Flag<Options> kOptionFlags[] = {
    {"fmad", &Options::fmad},
    {"fastmath", &Options::fastmath},
};
inline constexpr Flag<LaunchFacts> kLaunchFlags[] = {
    {"grid_fits_31", &LaunchFacts::grid_fits_31},
};
// A flag that is missing above would not survive the text form.
static_assert(sizeof(ArrayFacts) == std::size(kArrayFlags) * sizeof(bool));
static_assert(sizeof(Options) == std::size(kOptionFlags) * sizeof(bool));

// The word in front of a region: none before the first, `do` and `else` before later ones.
constexpr std::string_view region_word(Op op, size_t region) {
  if (region == 0) return "";
  return op == Op::While && region == 1 ? "do" : "else";
}

// Trailing regions that are not printed where they are empty.
constexpr bool may_be_omitted(Op op, size_t region) { return region_word(op, region) == "else"; }

}  // namespace cuda_device::ir::text
