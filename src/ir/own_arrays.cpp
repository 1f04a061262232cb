// Memory of blocks and threads for the interpreter.
#include "ir/machine.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

using Index = std::array<uint32_t, 3>;

uint64_t linear(const Index& index, const Index& extents) {
  return index[0] + extents[0] * (index[1] + uint64_t{extents[1]} * index[2]);
}

// Memory that has not been stored to: words 0xbad..... that are easy to see, never zero, and not
// the same in two places, so that a kernel which relies on what it finds there does not pass by
// luck.
void fill(std::vector<char>& bytes, uint64_t owner) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint64_t mixed = ((owner << 20) + i / 4 + 1) * 0x9e3779b97f4a7c15ull;
    const uint32_t word = 0xbad00000u | (static_cast<uint32_t>(mixed >> 44) | 0x101u);
    bytes[i] = static_cast<char>(word >> (i % 4 * 8));
  }
}

OwnArray placed(const Allocation& a, char* at) {
  return {.array = {at, a.shape, a.strides}, .begin = at, .end = at + a.bytes()};
}

OwnArray constant(const Allocation& a) {
  OwnArray made = placed(a, const_cast<char*>(a.contents.data()));
  made.read_only = true;
  return made;
}

}  // namespace

BlockMemory::BlockMemory(const Launch& launch, Index block) {
  const Function& f = *launch.code.function;
  const MemoryLayout layout = memory_layout(f, AddressSpace::Shared);
  bytes_.resize(layout.bytes + launch.grid.shared);
  fill(bytes_, linear(block, launch.grid.grid) << 11);
  for (size_t i = 0; i < f.arrays.size(); ++i) {
    const bool shared = f.arrays[i].type.space == AddressSpace::Shared;
    arrays_.push_back(shared ? placed(f.arrays[i], bytes_.data() + layout.offsets[i])
                      : f.arrays[i].is_constant() ? constant(f.arrays[i])
                                                  : OwnArray{});
  }
  char* dynamic = bytes_.data() + layout.bytes;
  const int64_t size = launch.grid.shared;
  arrays_.push_back({.array = {dynamic, {size}, {1}}, .begin = dynamic, .end = dynamic + size});
}

Thread::Thread(const Launch& launch, Index block, Index index, const BlockMemory* memory)
    : block(block), index(index), registers(launch.code.functions[0].initial) {
  if (!launch.code.own_arrays) return;
  CD_CHECK(memory, "a kernel with arrays of its own runs in a block");
  arrays = memory->arrays();
  place_local(launch, launch.code.functions[0]);
}

// `arrays` are those of the block, and of another function of the module. Functions have one table,
// of which each uses a part.
void Thread::place_local(const Launch& launch, const FunctionCode& function) {
  const Function& f = *function.function;
  const auto is_placed = [&](size_t i) {
    return function.uses[i] && f.arrays[i].type.space == AddressSpace::Local && !f.arrays[i].lent;
  };
  // A multiple of what any of them is aligned to.
  const uint64_t align = memory_layout(f, AddressSpace::Local).align;
  uint64_t bytes = 0;
  std::vector<uint64_t> offsets(f.arrays.size());
  for (size_t i = 0; i < f.arrays.size(); ++i) {
    if (!is_placed(i)) continue;
    offsets[i] = bytes;
    bytes += (f.arrays[i].bytes() + align - 1) / align * align;
  }
  local.resize(bytes);
  const uint64_t block_number = linear(block, launch.grid.grid) << 11;
  fill(local, block_number + 1 + linear(index, launch.grid.block));
  for (size_t i = 0; i < f.arrays.size(); ++i) {
    if (is_placed(i)) arrays[i] = placed(f.arrays[i], local.data() + offsets[i]);
  }
  arrays.resize(f.arrays.size() + 1 + function.views);
}

void Thread::enter(const Launch& launch, const FunctionCode& function) {
  Frame caller{next, std::move(registers), std::move(arrays), std::move(local)};
  registers = function.initial;
  if (launch.code.own_arrays) {
    const size_t own = function.function->arrays.size() + 1;
    arrays.assign(caller.arrays.begin(), caller.arrays.begin() + static_cast<std::ptrdiff_t>(own));
    local.clear();
    place_local(launch, function);
  }
  callers.push_back(std::move(caller));
  next = function.begin;
}

void Thread::leave() {
  Frame caller = std::move(callers.back());
  callers.pop_back();
  next = caller.next;
  registers = std::move(caller.registers);
  arrays = std::move(caller.arrays);
  local = std::move(caller.local);
}

}  // namespace cuda_device::ir
