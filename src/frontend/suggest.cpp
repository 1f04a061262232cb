#include "frontend/suggest.h"

#include <algorithm>
#include <numeric>

namespace cuda_device::frontend {
namespace {

struct Habit {
  std::string_view name;
  const char* ours;
};

// CUDA C++, Numba and NumPy spellings.
constexpr Habit kHabits[] = {
    {"threadIdx", "device.thread_idx"},
    {"blockIdx", "device.block_idx"},
    {"blockDim", "device.block_dim"},
    {"gridDim", "device.grid_dim"},
    {"gridsize", "device.grid_size(ndims)"},
    {"grid", "device.tid(ndims)"},
    {"warpsize", "device.warp_size"},
    {"warpSize", "device.warp_size"},
    {"laneid", "device.lane_id"},
    {"__syncthreads", "device.syncthreads()"},
    {"shared", "device.shared_array(shape, dtype)"},
    {"local", "device.local_array(shape, dtype)"},
    {"atomic", "device.atomic_ref(array, index)"},
    {"xrange", "range"},
    {"sqrtf", "math.sqrt"},
    {"expf", "math.exp"},
    {"sinf", "math.sin"},
    {"cosf", "math.cos"},
    {"powf", "math.pow"},
    {"fminf", "min"},
    {"fmaxf", "max"},
};

size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  if (name.size() < 3) return best;  // every other short name would be close
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == name) continue;
    const size_t d = distance(name, candidate);
    // Among equals the first in the alphabet, so that messages do not depend on the order of a hash
    // table.
    if (d < best_distance || (d == best_distance && !best.empty() && candidate < best)) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

const char* habit_of(std::string_view name) {
  for (const Habit& h : kHabits)
    if (h.name == name) return h.ours;
  return nullptr;
}

}  // namespace cuda_device::frontend
