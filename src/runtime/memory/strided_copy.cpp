#include "runtime/memory/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace cuda_device::runtime {
namespace {

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

// Counted from its other end where it runs backwards in `to`.
void turn(StridedCopy& copy, StridedCopy::Axis& axis) {
  if (axis.to >= 0) return;
  const auto last = static_cast<int64_t>(axis.extent - 1);
  copy.to += static_cast<uint64_t>(last * axis.to);
  copy.from += static_cast<uint64_t>(last * axis.from);
  axis.to = -axis.to;
  axis.from = -axis.from;
}

// The innermost axes that leave no gap become part of the row; of the others, those that follow
// each other on both sides become one.
void join_axes(StridedCopy& copy) {
  auto& axes = copy.axes;
  const auto gapless = [&](const StridedCopy::Axis& a) {
    return static_cast<uint64_t>(a.to) == copy.bytes && a.from == a.to;
  };
  while (!axes.empty() && gapless(axes.back())) {
    copy.bytes *= axes.back().extent;
    axes.pop_back();
  }
  for (size_t i = axes.size(); i-- > 1;) {
    const StridedCopy::Axis inner = axes[i];
    const auto extent = static_cast<int64_t>(inner.extent);
    StridedCopy::Axis& outer = axes[i - 1];
    if (outer.to != extent * inner.to || outer.from != extent * inner.from) continue;
    outer = {outer.extent * inner.extent, inner.to, inner.from};
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

template <size_t kBytes>
void copy_items(uint64_t to, uint64_t from, const StridedCopy::Axis& axis) {
  for (uint64_t i = 0; i < axis.extent; ++i) {
    std::memcpy(pointer(to), pointer(from), kBytes);
    to += static_cast<uint64_t>(axis.to);
    from += static_cast<uint64_t>(axis.from);
  }
}

void copy_axis(uint64_t bytes, uint64_t to, uint64_t from, const StridedCopy::Axis& axis) {
  switch (bytes) {
    case 1:
      return copy_items<1>(to, from, axis);
    case 2:
      return copy_items<2>(to, from, axis);
    case 4:
      return copy_items<4>(to, from, axis);
    case 8:
      return copy_items<8>(to, from, axis);
    default:
      for (uint64_t i = 0; i < axis.extent; ++i)
        std::memcpy(pointer(to + i * static_cast<uint64_t>(axis.to)),
                    pointer(from + i * static_cast<uint64_t>(axis.from)), bytes);
  }
}

}  // namespace

StridedCopy strided_copy(uint64_t item_bytes, const std::vector<int64_t>& shape, uint64_t to,
                         const std::vector<int64_t>& to_strides, uint64_t from,
                         const std::vector<int64_t>& from_strides) {
  StridedCopy copy{to, from, item_bytes, {}};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {to, from, 0, {}};
    if (shape[i] == 1) continue;
    copy.axes.push_back({static_cast<uint64_t>(shape[i]), to_strides[i], from_strides[i]});
    turn(copy, copy.axes.back());
  }
  std::sort(copy.axes.begin(), copy.axes.end(),
            [](const auto& a, const auto& b) { return a.to > b.to; });
  join_axes(copy);
  return copy;
}

void copy_on_host(const StridedCopy& copy) {
  if (copy.axes.empty()) {
    if (copy.bytes) std::memmove(pointer(copy.to), pointer(copy.from), copy.bytes);
    return;
  }
  for_each_row(copy, copy.axes.size() - 1, [&](uint64_t to, uint64_t from) {
    copy_axis(copy.bytes, to, from, copy.axes.back());
  });
}

}  // namespace cuda_device::runtime
