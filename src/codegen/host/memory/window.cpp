#include "codegen/host/memory/window.h"

#include <algorithm>
#include <set>

namespace cuda_device::codegen::host {
namespace {

// Shuffles that bring together what lies in several vectors, two at a time.
unsigned shuffles(const std::set<unsigned>& vectors) {
  return std::max<unsigned>(static_cast<unsigned>(vectors.size()), 2) - 1;
}

}  // namespace

Window::Window(llvm::ArrayRef<int64_t> elements, unsigned native, std::optional<unsigned> within)
    : native(native), whole(within.has_value()) {
  std::vector<int64_t> sorted(elements.begin(), elements.end());
  std::sort(sorted.begin(), sorted.end());
  distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  // How far into its part an element begins it.
  const auto into = [&](int64_t element) {
    return within ? (element + *within) & (int64_t{native} - 1) : 0;
  };
  for (int64_t element : sorted) {
    if (parts.empty() || element - parts.back().first >= native)
      parts.push_back({element - into(element), whole ? native : 0});
    Part& last = parts.back();
    last.count = std::max(last.count, static_cast<unsigned>(element - last.first) + 1);
  }
  for (int64_t element : elements) {
    const auto next =
        std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.first > element; });
    const auto part = static_cast<unsigned>(next - parts.begin()) - 1;
    at.push_back(part * native + static_cast<unsigned>(element - parts[part].first));
  }
}

Window Window::of_records(unsigned lanes, unsigned step, unsigned first, unsigned native) {
  Window window(native);
  window.step = step;
  for (unsigned begin = 0; begin < lanes * step; begin += native)
    window.parts.push_back({begin, std::min(native, lanes * step - begin)});
  for (unsigned lane = 0; lane < lanes; ++lane) window.at.push_back(lane * step + first);
  return window;
}

bool Window::halves() const {
  return step > 1 && (step & (step - 1)) == 0 && parts.back().count == native &&
         parts.size() % step == 0;
}

bool Window::in_place() const {
  for (size_t part = 0; part < parts.size(); ++part)
    if (parts[part].first != static_cast<int64_t>(part * native)) return false;
  for (size_t lane = 0; lane < at.size(); ++lane)
    if (at[lane] != lane) return false;
  return true;
}

std::vector<int> Window::lanes_of(size_t part) const {
  std::vector<int> lanes(native, -1);
  for (size_t lane = 0; lane < at.size(); ++lane)
    if (at[lane] / native == part) lanes[at[lane] % native] = static_cast<int>(lane);
  return lanes;
}

unsigned Window::cost_of_load() const {
  const auto vectors = static_cast<unsigned>(at.size()) / native;
  auto cost = static_cast<unsigned>(parts.size());
  for (unsigned v = 0; v < vectors; ++v) {
    std::set<unsigned> from;
    for (unsigned lane = v * native; lane < (v + 1) * native; ++lane)
      from.insert(at[lane] / native);
    cost += shuffles(from);
  }
  return cost / vectors;
}

unsigned Window::cost_of_store() const {
  unsigned cost = 0;
  for (size_t part = 0; part < parts.size(); ++part) {
    std::set<unsigned> from;
    for (int lane : lanes_of(part))
      if (lane >= 0) from.insert(static_cast<unsigned>(lane) / native);
    cost += 1 + shuffles(from);
  }
  return cost / (static_cast<unsigned>(at.size()) / native);
}

}  // namespace cuda_device::codegen::host
