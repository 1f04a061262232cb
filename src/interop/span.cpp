#include "interop/span.h"

#include <algorithm>

namespace cuda_device::interop {

std::optional<Span> span_of(const abi::ArrayView& view, int64_t item) {
  if (std::count(view.shape, view.shape + view.ndim, 0) != 0) return Span{0, 0};
  const auto data = reinterpret_cast<int64_t>(view.data);
  int64_t low = data, high = data, bytes = item;
  for (int i = 0; i < view.ndim; ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &reach) ||
        __builtin_mul_overflow(view.shape[i], bytes, &bytes))
      return std::nullopt;
    int64_t& end = reach < 0 ? low : high;
    if (__builtin_add_overflow(end, reach, &end)) return std::nullopt;
  }
  if (low <= 0 || __builtin_add_overflow(high, item, &high)) return std::nullopt;
  return Span{static_cast<uint64_t>(low), static_cast<uint64_t>(high)};
}

}  // namespace cuda_device::interop
