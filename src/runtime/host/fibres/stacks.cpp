#include "runtime/host/fibres/stacks.h"

#include <sys/auxv.h>

#include <algorithm>

namespace cuda_device::runtime::fibres {
namespace {

constexpr size_t kLine = 64;

size_t round_to_page(size_t n) { return (n + kPage - 1) / kPage * kPage; }

// What a thread's own code calls: output, mathematics, the handler of a signal on top of either,
// and of another on top of that.
size_t bytes_of_callees() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr size_t kFunctions = 192 << 10;
#else
  constexpr size_t kFunctions = 32 << 10;
#endif
  static const size_t bytes = kFunctions + 2 * std::max<size_t>(getauxval(AT_MINSIGSTKSZ), 8192);
  return bytes;
}

// Stacks begin at different lines of their pages: threads in turn touch the top of each, and lines
// at one place of many pages drive each other out of the cache.
constexpr size_t kColours = 16;
constexpr size_t kColour = 2 * kLine;

// An odd number of pages: neighbours do not share the sets of a cache.
size_t stride(const Stacks::Shape& shape) {
  const size_t used = round_to_page(shape.frame + bytes_of_callees() + kColours * kColour);
  return (used / kPage | 1) * kPage + 2 * kPage;
}

}  // namespace

char* Stacks::bottom(uint32_t thread) const {
  return memory_.memory + layout_.arrays + thread * layout_.stride + kPage;
}

char* Stacks::top(uint32_t thread) const {
  return memory_.memory + layout_.arrays + (thread + size_t{1}) * layout_.stride -
         thread % kColours * kColour;
}

Stacks Stacks::take(const Shape& shape) {
  Stacks taken;
  taken.layout_ = {round_to_page(shape.arrays), stride(shape), shape.threads};
  taken.memory_ = take_memory(taken.layout_);
  return taken;
}

size_t expected_bytes(const Stacks::Shape& shape) {
  const size_t stack = round_to_page(shape.frame + kColours * kColour);
  return round_to_page(shape.arrays) + shape.threads * stack;
}

}  // namespace cuda_device::runtime::fibres
