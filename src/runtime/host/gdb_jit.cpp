// GDB's JIT interface, as its manual describes it: a list of objects in memory, and a function that
// gdb breaks in when the list changes. It finds both by name.
#include <elf.h>

#include <cstring>
#include <mutex>

#include "runtime/host/profiler_hooks.h"

extern "C" {

enum JitAction : uint32_t { kJitNothing = 0, kJitRegister = 1, kJitUnregister = 2 };

struct JitCodeEntry {
  JitCodeEntry* next;
  JitCodeEntry* previous;
  const char* object;
  uint64_t object_bytes;
};

struct JitDescriptor {
  uint32_t version;
  uint32_t action;
  JitCodeEntry* relevant;
  JitCodeEntry* first;
};

#pragma GCC visibility push(default)
JitDescriptor __jit_debug_descriptor = {1, kJitNothing, nullptr, nullptr};
// Not to be left out, nor the stores before a call of it.
[[gnu::noinline]] void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
#pragma GCC visibility pop
}

namespace cuda_device::runtime {
namespace {

ForkMutex list_mutex;

void tell(JitAction action, JitCodeEntry* entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = kJitNothing;
  __jit_debug_descriptor.relevant = nullptr;
}

// Sections that are part of the image say where they lie in it; gdb wants to know where in memory.
void place(std::vector<uint8_t>& object, const char* base) {
  Elf64_Ehdr header;
  if (object.size() < sizeof header) return;
  std::memcpy(&header, object.data(), sizeof header);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    if (at + sizeof(Elf64_Shdr) > object.size()) return;
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + at, sizeof section);
    if (!(section.sh_flags & SHF_ALLOC)) continue;
    section.sh_addr += reinterpret_cast<uintptr_t>(base);
    std::memcpy(object.data() + at, &section, sizeof section);
  }
}

}  // namespace

struct GdbEntry::Linked {
  std::vector<uint8_t> object;
  JitCodeEntry entry{};
};

GdbEntry::GdbEntry(const abi::KernelImage& image, const char* base)
    : linked_(std::make_unique<Linked>()) {
  linked_->object = image.debug_object;
  place(linked_->object, base);
  JitCodeEntry& entry = linked_->entry;
  entry.object = reinterpret_cast<const char*>(linked_->object.data());
  entry.object_bytes = linked_->object.size();
  const std::lock_guard lock(list_mutex);
  entry.next = __jit_debug_descriptor.first;
  if (entry.next) entry.next->previous = &entry;
  __jit_debug_descriptor.first = &entry;
  tell(kJitRegister, &entry);
}

GdbEntry::~GdbEntry() {
  JitCodeEntry& entry = linked_->entry;
  const std::lock_guard lock(list_mutex);
  (entry.previous ? entry.previous->next : __jit_debug_descriptor.first) = entry.next;
  if (entry.next) entry.next->previous = entry.previous;
  tell(kJitUnregister, &entry);
}

}  // namespace cuda_device::runtime
