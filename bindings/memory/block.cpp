#include "bindings/memory/block.h"

#include <mutex>
#include <vector>

#include "bindings/errors.h"
#include "support/fork.h"

namespace cuda_device::bindings {
namespace {

// Memory without references that cannot be freed yet: a capture of a graph keeps it, or its last
// reference went in a function of the host that the driver calls.
struct Kept {
  uint64_t address = 0;
  Ordering ordering;
  std::unique_ptr<LastUse> last_use;

  bool freed() const noexcept {
    if (!cd_rt_gpus_take_calls()) return false;
    if (!last_use->before_freeing(ordering.stream())) return false;
    cd_rt_memory_release(address, ordering.stream());
    return true;
  }
};

ForkMutex kept_mutex;
std::vector<Kept>& kept() {
  static auto* const all = new std::vector<Kept>;
  return *all;
}

void keep(Kept memory) {
  const std::lock_guard lock(kept_mutex);
  kept().push_back(std::move(memory));
}

// Called without the GIL, or where that does no harm.
void free_what_was_kept() {
  std::vector<Kept> all;
  {
    const std::lock_guard lock(kept_mutex);
    all.swap(kept());
  }
  for (Kept& memory : all)
    if (!memory.freed()) keep(std::move(memory));
}

}  // namespace

std::shared_ptr<MemoryBlock> MemoryBlock::allocate(int device, abi::MemoryKind kind, uint64_t bytes,
                                                   const Ordering& ordering) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(device, kind, bytes, ordering));
  const dispatch::MemoryRequest request{device, kind, bytes, block->stream()};
  without_gil([&](dispatch::Outcome* outcome) {
    if (device != abi::kHostDevice) free_what_was_kept();
    cd_rt_memory_allocate(&request, &block->memory_, outcome);
  });
  // Memory of a GPU is allocated in the order of a stream; the others are there at once.
  if (kind == abi::MemoryKind::Pinned || kind == abi::MemoryKind::Managed)
    block->last_use().is_idle();
  return block;
}

std::shared_ptr<MemoryBlock> MemoryBlock::borrowed(uint64_t address, int device,
                                                   abi::MemoryKind kind, uint64_t bytes,
                                                   void* owner, void (*deleter)(void*),
                                                   const Ordering& producer) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(device, kind, bytes, producer));
  block->memory_.address = address;
  block->owner_ = owner;
  block->deleter_ = deleter;
  return block;
}

MemoryBlock::~MemoryBlock() {
  if (deleter_) deleter_(owner_);
  if (owner_ || memory_.address == 0) return;
  if (on_host() || !Py_IsInitialized() || !PyGILState_Check()) {
    release();
  } else {
    const WithoutGil released;
    release();
  }
}

void MemoryBlock::release() noexcept {
  if (on_host()) {
    cd_rt_memory_release(memory_.address, stream());
    return;
  }
  free_what_was_kept();
  Kept memory{memory_.address, std::move(ordering_), std::move(last_use_)};
  if (!memory.freed()) keep(std::move(memory));
}

std::shared_ptr<MemoryBlock> MemoryBlock::of_python(const abi::Allocation& where, uint64_t address,
                                                    uint64_t bytes, nb::handle owner,
                                                    const Ordering& producer) {
  const auto let_go = [](void* object) { drop_anywhere(static_cast<PyObject*>(object)); };
  auto block =
      borrowed(address, where.device, where.kind, bytes, Py_NewRef(owner.ptr()), let_go, producer);
  block->last_use().hand_back_to(producer);
  return block;
}

nb::object keeper_of(std::shared_ptr<MemoryBlock> memory) {
  using Kept = std::shared_ptr<MemoryBlock>;
  auto kept = std::make_unique<Kept>(std::move(memory));
  nb::object capsule = checked(PyCapsule_New(kept.get(), nullptr, [](PyObject* made) {
    delete static_cast<Kept*>(PyCapsule_GetPointer(made, nullptr));
  }));
  (void)kept.release();
  return capsule;
}

abi::MemoryKind kind_named(const std::string& name) {
  using abi::MemoryKind;
  for (const MemoryKind kind :
       {MemoryKind::Host, MemoryKind::Device, MemoryKind::Pinned, MemoryKind::Managed})
    if (name == abi::name_of(kind)) return kind;
  throw nb::value_error(("no kind of memory is called '" + name +
                         "'; there are 'host', 'device', 'pinned' and 'managed'")
                            .c_str());
}

}  // namespace cuda_device::bindings
