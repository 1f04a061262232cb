#include "compile/own_stack.h"

#include <pthread.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cuda_device::compile {
namespace {

constexpr size_t kLeast = size_t{16} << 20;     // LLVM's own recursion included
constexpr size_t kPerLevel = size_t{32} << 10;  // of address space; only what is used is memory

void* run_body(void* body) {
  (*static_cast<const std::function<void()>*>(body))();
  return nullptr;
}

uint32_t deepest_region(const ir::Block& block) {
  uint32_t deepest = 0;
  for (const ir::Inst* inst : block.insts)
    for (const ir::Block& region : inst->regions)
      deepest = std::max(deepest, deepest_region(region) + 1);
  return deepest;
}

}  // namespace

uint32_t nesting_of(const syntax::Program& program) {
  const uint64_t most = uint64_t{program.depth} * program.functions.size();
  return static_cast<uint32_t>(std::min<uint64_t>(most, syntax::kMaxNesting));
}

uint32_t nesting_of(const ir::Function& f) { return deepest_region(f.body); }

void on_own_stack(uint32_t levels, const std::function<void()>& body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kLeast + levels * kPerLevel);
  pthread_t thread;
  const int error =
      pthread_create(&thread, &attributes, run_body, const_cast<std::function<void()>*>(&body));
  pthread_attr_destroy(&attributes);
  if (error)
    throw std::runtime_error("the system gives no thread for the compiler (error " +
                             std::to_string(error) + ")");
  pthread_join(thread, nullptr);
}

}  // namespace cuda_device::compile
