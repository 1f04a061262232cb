#include "runtime/cuda/element_rows.h"

#include <algorithm>
#include <cstring>

namespace cuda_device::cuda {
namespace {

// Axes with neighbouring elements become part of the row.
void join_gapless_axes(ElementRows& rows) {
  while (!rows.axes.empty() && static_cast<uint64_t>(rows.axes.back().stride) == rows.bytes) {
    rows.bytes *= static_cast<uint64_t>(rows.axes.back().extent);
    rows.axes.pop_back();
  }
}

void visit(const ElementRows& rows, size_t axis, uint64_t address,
           const std::function<void(uint64_t)>& row) {
  if (axis == rows.axes.size()) return row(address);
  const auto [extent, stride] = rows.axes[axis];
  for (int64_t i = 0; i < extent; ++i)
    visit(rows, axis + 1, address + static_cast<uint64_t>(i * stride), row);
}

}  // namespace

uint64_t ElementRows::end() const {
  uint64_t last = begin;
  for (const Axis& a : axes) last += static_cast<uint64_t>((a.extent - 1) * a.stride);
  return last + bytes;
}

ElementRows rows_of(const abi::ParamSlot& slot, const char* params) {
  const char* at = params + slot.offset;
  ElementRows rows;
  std::memcpy(&rows.begin, at, 8);
  for (int i = 0; i < slot.ndim; ++i) {
    ElementRows::Axis axis;
    std::memcpy(&axis.extent, at + 8 + 8 * i, 8);
    std::memcpy(&axis.stride, at + 8 + 8 * (slot.ndim + i), 8);
    if (axis.extent == 0) return {rows.begin, 0, {}};
    if (axis.extent == 1 || axis.stride == 0) continue;
    if (axis.stride < 0) {
      rows.begin -= static_cast<uint64_t>((axis.extent - 1) * -axis.stride);
      axis.stride = -axis.stride;
    }
    rows.axes.push_back(axis);
  }
  std::sort(rows.axes.begin(), rows.axes.end(),
            [](const auto& a, const auto& b) { return a.stride > b.stride; });
  rows.bytes = slot.item;
  join_gapless_axes(rows);
  return rows;
}

void for_each_row(const ElementRows& rows, const std::function<void(uint64_t)>& row) {
  if (rows.bytes) visit(rows, 0, rows.begin, row);
}

}  // namespace cuda_device::cuda
