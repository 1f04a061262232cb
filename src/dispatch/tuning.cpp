#include "dispatch/tuning.h"

#include <cstdlib>
#include <stdexcept>

namespace cuda_device::dispatch {

Tuning tuning_wanted() {
  const char* list = std::getenv("CUDA_DEVICE_TUNING");
  return parse_tuning(list ? list : "");
}

std::string tuning_text() try {
  const Tuning tuning = tuning_wanted();
  std::string text;
  for (const HeuristicInfo& info : kHeuristics) {
    const char* off = tuning.on(info.heuristic) ? "" : " (off)";
    text.append("tuning ").append(info.name).append("=").append(info.purpose).append(off) += '\n';
  }
  return text;
} catch (const std::invalid_argument& e) {
  return "tuning=" + std::string(e.what()) + "\n";
}

}  // namespace cuda_device::dispatch
