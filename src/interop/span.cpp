#include "interop/span.h"

namespace cuda_device::interop {

// An array without elements has no bytes, whatever its other axes say; so all are looked at.
std::optional<Span> span_of(const abi::ArrayView& view, int64_t item) {
  const auto data = reinterpret_cast<int64_t>(view.data);
  int64_t low = data, high = data, bytes = item;
  bool empty = false, overflows = false;
  for (int i = 0; i < view.ndim; ++i) {
    const int64_t extent = view.shape[i];
    int64_t reach = 0;
    empty |= extent == 0;
    overflows |= __builtin_mul_overflow(extent - 1, view.strides[i], &reach);
    overflows |= __builtin_mul_overflow(extent, bytes, &bytes);
    int64_t& end = reach < 0 ? low : high;
    overflows |= __builtin_add_overflow(end, reach, &end);
  }
  if (empty) return Span{0, 0};
  if (overflows || low <= 0 || __builtin_add_overflow(high, item, &high)) return std::nullopt;
  return Span{static_cast<uint64_t>(low), static_cast<uint64_t>(high)};
}

}  // namespace cuda_device::interop
