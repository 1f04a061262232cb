#include "unit/codegen/guarded_memory.h"

#include <sys/mman.h>

#include <csetjmp>
#include <csignal>
#include <stdexcept>

namespace cuda_device::codegen::test {
namespace {

constexpr size_t kPage = 4096;

sigjmp_buf escape;

void on_fault(int) { siglongjmp(escape, 1); }

size_t bytes_in(const TestArray& array) {
  return static_cast<size_t>(array.count() * bytes_of(array.kind));
}

}  // namespace

GuardedMemory::GuardedMemory(const TestArray& array, Against side) {
  const size_t inside = (bytes_in(array) + kPage - 1) / kPage * kPage;
  size_ = inside + 2 * kPage;
  void* memory = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap");
  memory_ = static_cast<uint8_t*>(memory);
  uint8_t* first = memory_ + kPage;
  if (inside > 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error("mprotect");
  elements_ = side == Against::Start ? first : first + inside - bytes_in(array);
  std::memcpy(elements_, array.bytes.data() + array.offset, bytes_in(array));
}

GuardedMemory::~GuardedMemory() { munmap(memory_, size_); }

void GuardedMemory::copy_back(TestArray& array) const {
  std::memcpy(array.data(), elements_, bytes_in(array));
}

bool faults(const std::function<void()>& run) {
  struct sigaction action = {}, before = {};
  action.sa_handler = on_fault;
  sigaction(SIGSEGV, &action, &before);
  const bool fault = sigsetjmp(escape, 1) != 0;
  if (!fault) run();
  sigaction(SIGSEGV, &before, nullptr);
  return fault;
}

}  // namespace cuda_device::codegen::test
