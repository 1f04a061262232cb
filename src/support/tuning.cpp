#include "support/tuning.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace cuda_device {
namespace {

static_assert(std::size(kHeuristics) <= 64, "Tuning has a bit for each");

std::string_view trimmed(std::string_view word) {
  constexpr std::string_view kBlank = " \t";
  const size_t first = word.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return word.substr(first, word.find_last_not_of(kBlank) - first + 1);
}

[[noreturn]] void refuse(std::string_view word) {
  std::string text = "CUDA_DEVICE_TUNING has the word '" + std::string(word) +
                     "'; it takes -all, or -name with the name of a heuristic: ";
  for (const HeuristicInfo& info : kHeuristics)
    text.append(&info == kHeuristics ? "" : ", ").append(info.name);
  throw std::invalid_argument(text);
}

void switch_off(std::string_view word, Tuning& tuning) {
  const std::string_view name = word.starts_with('-') ? word.substr(1) : "";
  const auto found = std::ranges::find(kHeuristics, name, &HeuristicInfo::name);
  if (found == std::end(kHeuristics) && name != "all") refuse(word);
  for (const HeuristicInfo& info : kHeuristics)
    if (name == "all" || info.name == name) tuning.switch_off(info.heuristic);
}

}  // namespace

Tuning parse_tuning(std::string_view list) {
  Tuning tuning;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = trimmed(list.substr(0, comma));
    if (!word.empty()) switch_off(word, tuning);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return tuning;
}

}  // namespace cuda_device
