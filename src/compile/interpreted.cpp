#include "compile/interpreted.h"

#include <cstring>

namespace cuda_device::compile {
namespace {

// A scalar's bytes, as Inst::imm of a constant holds them: integers and bool extended by their
// type.
int64_t extend(const char* at, ScalarKind kind) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes_of(kind)));
  const int unused = 64 - bits_of(kind);
  if (is_signed_int(kind)) return static_cast<int64_t>(bits << unused) >> unused;
  return static_cast<int64_t>(bits);
}

ir::Argument argument_of(const abi::ParamSlot& slot, const char* params) {
  ir::Argument argument;
  const char* at = params + slot.offset;
  if (!slot.is_array) {
    argument.scalar = extend(at, slot.dtype.scalar());
    return argument;
  }
  const size_t bytes = 8u * slot.ndim;
  argument.array.shape.resize(slot.ndim);
  argument.array.strides.resize(slot.ndim);
  std::memcpy(&argument.array.data, at, 8);
  if (bytes) {
    std::memcpy(argument.array.shape.data(), at + 8, bytes);
    std::memcpy(argument.array.strides.data(), at + 8 + bytes, bytes);
  }
  return argument;
}

}  // namespace

void interpret_launch(const InterpretedKernel& kernel, const char* params,
                      const abi::LaunchDims& dims, LaunchReport& report) {
  std::vector<ir::Argument> arguments;
  arguments.reserve(kernel.layout.slots.size());
  for (const abi::ParamSlot& slot : kernel.layout.slots)
    arguments.push_back(argument_of(slot, params));
  ir::interpret(*kernel.function, arguments, ir::Grid{dims.grid, dims.block, dims.shared},
                UINT64_MAX, &report, {}, kernel.schedule);
}

}  // namespace cuda_device::compile
