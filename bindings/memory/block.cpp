#include "bindings/memory/block.h"

#include "bindings/errors.h"

namespace cuda_device::bindings {
namespace {

// Runs where the GIL is held, or not, or where there is no interpreter any more.
void drop(PyObject* object) {
  if (!object || !Py_IsInitialized()) return;
  const WithGil gil;
  Py_DECREF(object);
}

}  // namespace

std::shared_ptr<MemoryBlock> MemoryBlock::allocate(int device, abi::MemoryKind kind, uint64_t bytes,
                                                   const Ordering& ordering) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(device, kind, bytes, ordering));
  const rt::MemoryRequest request{device, kind, bytes, block->stream()};
  without_gil(
      [&](rt::Outcome* outcome) { cd_rt_memory_allocate(&request, &block->memory_, outcome); });
  return block;
}

std::shared_ptr<MemoryBlock> MemoryBlock::borrowed(uint64_t address, int device,
                                                   abi::MemoryKind kind, uint64_t bytes,
                                                   void* owner, void (*deleter)(void*)) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(device, kind, bytes));
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
  if (!on_host()) last_use_.before_freeing(stream());
  cd_rt_memory_release(memory_.address, stream());
}

std::shared_ptr<MemoryBlock> MemoryBlock::of_python(const abi::Allocation& where, uint64_t address,
                                                    uint64_t bytes, nb::handle owner) {
  const auto let_go = [](void* object) { drop(static_cast<PyObject*>(object)); };
  return borrowed(address, where.device, where.kind, bytes, Py_NewRef(owner.ptr()), let_go);
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
