#include "bindings/memory/block.h"

#include "bindings/runtime/devices.h"

namespace cuda_device::bindings {
namespace {

[[noreturn]] void no_stream(nb::handle stream, int device, const char* caller) {
  const bool host = device == abi::kHostDevice;
  const std::string wanted =
      host ? "a stream of cuda.device.core, as Device('host').create_stream() makes it"
           : "a stream of " + device_text(device) +
                 ": one of cuda.core, or any object with __cuda_stream__";
  throw nb::type_error((std::string(caller) + "() of memory of " + device_text(device) +
                        " expects as stream " + wanted + "; found '" + type_text(stream) + "'")
                           .c_str());
}

// Runs where the GIL is held, or not, or where there is no interpreter any more.
void drop(PyObject* object) {
  if (!object || !Py_IsInitialized()) return;
  const WithGil gil;
  Py_DECREF(object);
}

}  // namespace

Ordering& Ordering::operator=(Ordering&& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(keeps_, other.keeps_);
  return *this;
}

Ordering::~Ordering() { drop(keeps_); }

Ordering Ordering::of(nb::handle stream, int device, const char* caller) {
  Ordering ordering;
  if (stream.is_none()) return ordering;
  ordering.stream_ = stream_named(stream, "stream of " + std::string(caller) + "()");
  rt::Stream* const found = ordering.stream_.get();
  if (!found || cd_rt_stream_device(found) != device) no_stream(stream, device, caller);
  // Another library's goes with its object.
  const bool foreign = device != abi::kHostDevice && !cd_rt_stream_own(found);
  if (foreign) ordering.keeps_ = Py_NewRef(stream.ptr());
  return ordering;
}

rt::Order Ordering::order() const {
  constexpr uint64_t kLegacyStream = 1;  // as 0
  if (!given()) return {};
  if (cd_rt_stream_device(stream_.get()) == abi::kHostDevice) return {stream_.get(), 0};
  const uint64_t handle = cd_rt_stream_handle(stream_.get());
  return {nullptr, handle == kLegacyStream ? 0 : handle};
}

std::shared_ptr<MemoryBlock> MemoryBlock::allocate(int device, abi::MemoryKind kind, uint64_t bytes,
                                                   Ordering ordering) {
  std::shared_ptr<MemoryBlock> block(new MemoryBlock(device, kind, bytes));
  block->ordering_ = std::move(ordering);
  block->last_stream_ = block->order().cuda;
  const rt::MemoryRequest request{device, kind, bytes, block->order()};
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
  const rt::Order order = ordering_.order();
  const auto release = [&] {
    rt::Outcome outcome;  // an error is nobody's
    if (!on_host() && last_stream_ != order.cuda)
      cd_rt_cuda_order(device_, order.cuda, last_stream_, &outcome);
    cd_rt_memory_release(memory_.address, &order);
  };
  if (on_host() || !Py_IsInitialized() || !PyGILState_Check()) {
    release();
  } else {
    const WithoutGil released;
    release();
  }
}

void MemoryBlock::use_on(uint64_t stream) {
  const uint64_t before = last_stream_;
  if (before == stream) return;
  without_gil([&](rt::Outcome* outcome) { cd_rt_cuda_order(device_, stream, before, outcome); });
  last_stream_ = stream;
}

void MemoryBlock::let_wait(rt::Stream* of_host) const {
  if (on_host()) return;
  without_gil([&](rt::Outcome* outcome) {
    cd_rt_stream_wait_cuda(of_host, device_, last_stream_, outcome);
  });
}

void MemoryBlock::wait() const {
  if (on_host()) return;
  without_gil([&](rt::Outcome* outcome) { cd_rt_cuda_wait(device_, last_stream_, outcome); });
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
