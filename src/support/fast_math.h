// What a kernel allows to be computed faster than exactly. Nothing is allowed that is not asked
// for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuda_device {

struct FastMath {
#define FAST_MATH(name, in_true) bool name = false;
#include "support/fast_math.def"
  friend bool operator==(const FastMath&, const FastMath&) = default;
};

struct FastMathPart {
  std::string_view name;
  bool FastMath::* member;
  bool in_true;  // fastmath=True includes it
};
inline constexpr FastMathPart kFastMathParts[] = {
#define FAST_MATH(name, in_true) {#name, &FastMath::name, in_true},
#include "support/fast_math.def"
};

inline std::vector<std::string> names_of(const FastMath& allowed) {
  std::vector<std::string> names;
  for (const FastMathPart& part : kFastMathParts)
    if (allowed.*part.member) names.emplace_back(part.name);
  return names;
}

}  // namespace cuda_device
