#include "bindings/memory/tensor.h"

#include <algorithm>

#include <nanobind/stl/pair.h>

#include "bindings/dlpack_consumer.h"
#include "bindings/dlpack_exchange.h"
#include "bindings/dlpack_producer.h"
#include "bindings/errors.h"
#include "bindings/memory/formats.h"
#include "interop/dlpack_tensor.h"

namespace cuda_device::bindings {
namespace {

namespace dlpack = interop::dlpack;
using abi::MemoryKind;

constexpr uint64_t kReadOnlyFlag = dlpack::kReadOnlyFlag, kCopiedFlag = 2;

[[noreturn]] void refuse_export(const std::string& why) {
  throw nb::buffer_error(("__dlpack__(): " + why).c_str());
}

// A tensor that is given away, as the consumer sees it.
template <class M>
struct Exported {
  M managed{};
  std::shared_ptr<MemoryBlock> memory;
  std::vector<int64_t> shape, strides;  // in elements

  static void release(M* managed) { delete static_cast<Exported*>(managed->context); }
  // The destructor of a capsule that was never consumed.
  static void drop(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, M::kCapsule)) return;
    release(static_cast<M*>(PyCapsule_GetPointer(capsule, M::kCapsule)));
  }
};

std::vector<int64_t> strides_in_elements(const Tensor& tensor) {
  const auto item = static_cast<int64_t>(tensor.item_bytes());
  const bool empty = tensor.count() == 0;
  std::vector<int64_t> strides = compact_strides(tensor.shape, 1);
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    if (empty || tensor.shape[axis] == 1) continue;  // no stride leads to an element
    const int64_t stride = tensor.strides[axis];
    if (stride % item != 0)
      refuse_export("a stride of " + std::to_string(stride) + " bytes is no whole number of " +
                    std::to_string(item) + "-byte elements");
    strides[axis] = stride / item;
  }
  return strides;
}

template <class M>
std::unique_ptr<Exported<M>> exported_as(const Tensor& tensor, dlpack::Device device,
                                         uint64_t flags) {
  auto made = std::make_unique<Exported<M>>();
  made->memory = tensor.memory;
  made->shape = tensor.shape;
  made->strides = strides_in_elements(tensor);
  const bool empty = tensor.count() == 0;
  made->managed.context = made.get();
  made->managed.deleter = Exported<M>::release;
  made->managed.tensor = {empty ? nullptr : reinterpret_cast<void*>(tensor.data),
                          device,
                          static_cast<int32_t>(tensor.shape.size()),
                          tensor.type,
                          made->shape.data(),
                          made->strides.data(),
                          0};
  if constexpr (requires { made->managed.flags; }) {
    made->managed.version = dlpack::kVersion;
    made->managed.flags = flags;
  } else if (flags & kReadOnlyFlag) {
    refuse_export("a read-only array needs max_version=(1, 0) or newer");
  }
  return made;
}

template <class M>
nb::object capsule_with(const Tensor& tensor, dlpack::Device device, uint64_t flags) {
  std::unique_ptr<Exported<M>> made = exported_as<M>(tensor, device, flags);
  nb::object capsule = checked(PyCapsule_New(&made->managed, M::kCapsule, Exported<M>::drop));
  (void)made.release();
  return capsule;
}

void refuse_opaque(const Tensor& tensor) {
  if (is_opaque(tensor.type))
    refuse_export("structs and other elements with fields have no type in DLPack");
}

// The version that the consumer knows: its major number, or 0 where it said none.
long major_version(nb::handle max_version) {
  if (max_version.is_none()) return 0;
  std::pair<long, long> version;
  if (nb::try_cast(max_version, version)) return version.first;
  throw nb::type_error(
      ("__dlpack__(): max_version is (major, minor), found " + shown(max_version)).c_str());
}

bool is_device(nb::handle asked, dlpack::Device device) {
  std::pair<int, int> wanted;
  if (nb::try_cast(asked, wanted)) return wanted == std::pair<int, int>(device.type, device.id);
  throw nb::type_error(
      ("__dlpack__(): dl_device is (device type, device id), found " + shown(asked)).c_str());
}

// What a consumer's stream= means for memory of a GPU (DEV-DLP-03): a CUDA stream, or no waiting.
std::optional<uint64_t> consumer_stream(nb::handle stream) {
  const auto wrong = [&] {
    return nb::value_error(
        ("__dlpack__(): stream=" + shown(stream) +
         " is none of None, -1 (do not wait), 1, 2 or the handle of a CUDA stream")
            .c_str());
  };
  if (stream.is_none()) return 0;
  int overflow = 0;
  const long long number = PyLong_Check(stream.ptr()) && !PyBool_Check(stream.ptr())
                               ? PyLong_AsLongLongAndOverflow(stream.ptr(), &overflow)
                               : 0;
  if (overflow || number < -1 || number == 0) throw wrong();
  if (number == -1) return std::nullopt;
  return number == 1 ? 0 : static_cast<uint64_t>(number);
}

// So that the consumer reads what was written before (DEV-DLP-04).
void make_safe(const Tensor& tensor, nb::handle stream) {
  MemoryBlock& memory = *tensor.memory;
  if (memory.on_host()) {
    if (!stream.is_none())
      throw nb::value_error(
          ("__dlpack__(): memory of the host device has no CUDA streams; stream=" + shown(stream) +
           " was given, None was expected")
              .c_str());
    return;
  }
  const bool for_host = stream.is_none() && memory.host_reaches();
  if (for_host) return memory.last_use().wait();
  const std::optional<uint64_t> wanted = consumer_stream(stream);
  if (!wanted) return;
  const StreamHandle theirs = *wanted ? stream_with_handle(*wanted) : StreamHandle();
  memory.last_use().before({theirs.get(), nullptr});
}

Tensor copy_of(const Tensor& tensor, int device, MemoryKind kind) {
  Tensor copy = tensor;
  copy.memory = MemoryBlock::allocate(device, kind, tensor.bytes());
  copy.data = copy.memory->address();
  copy.strides = compact_strides(tensor.shape, tensor.item_bytes());
  copy.read_only = false;
  copy_tensor(copy, tensor);
  return copy;
}

constexpr dlpack::Device kHost = {dlpack::kCpu, 0};

nb::object capsule_for(const Tensor& tensor, const ExportRequest& request, dlpack::Device device,
                       bool copied) {
  const uint64_t flags = (tensor.read_only ? kReadOnlyFlag : 0) | (copied ? kCopiedFlag : 0);
  return major_version(request.max_version) >= 1
             ? capsule_with<dlpack::ManagedVersioned>(tensor, device, flags)
             : capsule_with<dlpack::Managed>(tensor, device, flags);
}

// For a consumer that wants it on the host whatever it takes.
nb::object exported_to_host(const Tensor& tensor, const ExportRequest& request) {
  const bool must_copy = !tensor.memory->host_reaches();
  const bool wants_copy = request.copy.is(nb::handle(Py_True));
  if (must_copy && request.copy.is(nb::handle(Py_False)))
    refuse_export("memory of a GPU reaches the host by a copy only, and copy=False was given");
  if (!must_copy && !wants_copy) {
    if (!tensor.memory->on_host()) tensor.memory->last_use().wait();
    return capsule_for(tensor, request, kHost, false);
  }
  const Tensor copy = copy_of(tensor, abi::kHostDevice, MemoryKind::Host);
  return capsule_for(copy, request, kHost, true);
}

[[noreturn]] void refuse_import(const std::string& why) {
  throw nb::buffer_error(("from_dlpack(): " + why).c_str());
}

[[noreturn]] void refuse_import(const interop::Refusal& refusal) {
  std::vector<std::string> args = refusal.args;
  args.insert(args.begin(), "from_dlpack()");
  const Diagnostic diagnostic{refusal.code, {}, std::move(args), {}, "", {}};
  throw nb::buffer_error(message_of(diagnostic).c_str());
}

// Libraries may count devices in other ways: the driver knows best (DEV-DLP-17). Without one,
// pinned and managed memory is the host's.
int device_number(const Tensor& tensor, dlpack::Device device) {
  if (device.type == dlpack::kCpu) return abi::kHostDevice;
  abi::Allocation found;
  cd_rt_memory_find(tensor.data, &found);
  if (found.device != abi::kHostDevice) return found.device;
  const int count = cd_rt_gpu_count();
  if (count == 0 && device.type != dlpack::kCuda) return abi::kHostDevice;
  if (device.id < 0 || device.id >= count)
    refuse_import("the tensor lives on GPU " + std::to_string(device.id) +
                  ", and this process sees " + std::to_string(count));
  return device.id;
}

}  // namespace

MemoryKind kind_of(dlpack::Device device) {
  switch (device.type) {
    case dlpack::kCpu:
      return MemoryKind::Host;
    case dlpack::kCuda:
      return MemoryKind::Device;
    case dlpack::kCudaManaged:
      return MemoryKind::Managed;
    default:
      return MemoryKind::Pinned;
  }
}

uint64_t Tensor::count() const {
  uint64_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<uint64_t>(extent);
  return count;
}

std::vector<int64_t> compact_strides(const std::vector<int64_t>& shape, uint64_t item_bytes,
                                     bool columns) {
  std::vector<int64_t> strides(shape.size());
  auto step = static_cast<int64_t>(item_bytes);
  for (size_t n = 0; n < shape.size(); ++n) {
    const size_t axis = columns ? n : shape.size() - 1 - n;
    strides[axis] = step;
    if (__builtin_mul_overflow(step, std::max<int64_t>(shape[axis], 1), &step))
      throw nb::value_error("an array with this shape has more bytes than 64 bits can count");
  }
  return strides;
}

std::pair<int64_t, int64_t> span_of(const std::vector<int64_t>& shape,
                                    const std::vector<int64_t>& strides, int64_t item) {
  int64_t low = 0, high = item;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {0, 0};
    (strides[i] < 0 ? low : high) += (shape[i] - 1) * strides[i];
  }
  return {low, high};
}

dlpack::Device dlpack_device(const MemoryBlock& memory) {
  if (memory.on_host()) return kHost;
  switch (memory.kind()) {
    case MemoryKind::Pinned:
      return {dlpack::kCudaHost, 0};
    case MemoryKind::Managed:
      return {dlpack::kCudaManaged, memory.device()};
    default:
      return {dlpack::kCuda, memory.device()};
  }
}

nb::object exported(const Tensor& tensor, const ExportRequest& request) {
  if (!request.copy.is_none() && !PyBool_Check(request.copy.ptr()))
    throw nb::type_error(
        ("__dlpack__(): copy is None, True or False, found " + shown(request.copy)).c_str());
  refuse_opaque(tensor);
  const dlpack::Device device = dlpack_device(*tensor.memory);
  const bool elsewhere = !request.dl_device.is_none() && !is_device(request.dl_device, device);
  if (elsewhere && is_device(request.dl_device, kHost)) return exported_to_host(tensor, request);
  if (elsewhere)
    refuse_export("dl_device=" + shown(request.dl_device) + " is neither (" +
                  std::to_string(device.type) + ", " + std::to_string(device.id) +
                  "), where the array is, nor (1, 0), the host");
  if (!request.copy.is(nb::handle(Py_True))) {
    make_safe(tensor, request.stream);
    return capsule_for(tensor, request, device, false);
  }
  const Tensor copy = copy_of(tensor, tensor.memory->device(), tensor.memory->kind());
  make_safe(copy, request.stream);
  return capsule_for(copy, request, device, true);
}

dlpack::ManagedVersioned* exported(const Tensor& tensor) {
  refuse_opaque(tensor);
  const uint64_t flags = tensor.read_only ? kReadOnlyFlag : 0;
  const dlpack::Device device = dlpack_device(*tensor.memory);
  return &exported_as<dlpack::ManagedVersioned>(tensor, device, flags).release()->managed;
}

namespace {

// Blocks do not tell: the same memory may have been imported, and pinned memory is the host's too.
bool may_overlap(const Tensor& one, const Tensor& other) {
  const auto span = [](const Tensor& t) {
    return span_of(t.shape, t.strides, static_cast<int64_t>(t.item_bytes()));
  };
  const auto [low, high] = span(one);
  const auto [least, most] = span(other);
  const auto apart = static_cast<int64_t>(other.data - one.data);
  return low < apart + most && apart + least < high;
}

// Whether each element lies where the other tensor, of the same shape, has it.
bool are_same_elements(const Tensor& one, const Tensor& other) {
  if (one.data != other.data) return false;
  for (size_t i = 0; i < one.shape.size(); ++i)
    if (one.shape[i] > 1 && one.strides[i] != other.strides[i]) return false;
  return true;
}

MemoryBlock& leading_memory(const Tensor& to, const Tensor& from) {
  return to.memory && !to.memory->on_host() ? *to.memory : *from.memory;
}

void copy_apart(const Tensor& to, const Tensor& from) {
  dispatch::CopyRequest request;
  request.item_bytes = to.item_bytes();
  request.shape = to.shape;
  request.to_strides = to.strides;
  request.from_strides = from.strides;
  request.to = to.data;
  request.from = from.data;
  const bool to_gpu = to.memory && !to.memory->on_host();
  const bool from_gpu = from.memory && !from.memory->on_host();
  if (!to_gpu && !from_gpu)
    return without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_copy(&request, outcome); });
  MemoryBlock& leading = leading_memory(to, from);
  const Ordering where = leading.last_use().go_on();
  request.gpu = leading.device();
  request.stream = where.stream();
  if (to_gpu && from_gpu && from.memory != to.memory) from.memory->last_use().move_to(where);
  // Memory of the process, or of others, must not go under a copy; so what can be given up is
  // waited for before.
  const bool waits = !to_gpu || !from_gpu || to.memory->of_others() || from.memory->of_others();
  if (waits) leading.last_use().wait();
  without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_copy(&request, outcome); });
  if (waits) leading.last_use().wait_to_the_end();
}

}  // namespace

// A GPU copies in no order that is known: what overlaps goes through memory of its own, allocated,
// used and freed in the order of the stream.
void copy_tensor(const Tensor& to, const Tensor& from) {
  if (!may_overlap(to, from)) return copy_apart(to, from);
  if (are_same_elements(to, from)) return;
  MemoryBlock& leading = leading_memory(to, from);
  Tensor between = from;
  between.memory = MemoryBlock::allocate(leading.device(), MemoryKind::Device, from.bytes(),
                                         leading.last_use().go_on());
  between.data = between.memory->address();
  between.strides = compact_strides(from.shape, from.item_bytes());
  copy_apart(between, from);
  copy_apart(to, between);
}

namespace {

// Live as long as the module.
std::vector<std::pair<PyTypeObject*, FindMemory>>& tensor_types() {
  static auto* const types = new std::vector<std::pair<PyTypeObject*, FindMemory>>;
  return *types;
}

}  // namespace

void note_tensor_type(nb::handle type, FindMemory find) {
  tensor_types().emplace_back(reinterpret_cast<PyTypeObject*>(type.ptr()), std::move(find));
}

std::shared_ptr<MemoryBlock> memory_of(nb::handle object) {
  for (const auto& [type, find] : tensor_types())
    if (PyObject_TypeCheck(object.ptr(), type)) return find(object.ptr());
  return nullptr;
}

// A tensor that we took over may be dropped on any thread; a producer that is Python wants the GIL.
Imported imported(ManagedTensor managed, bool read_only) {
  abi::ArrayView view;
  interop::KnownAccess known;
  if (const std::optional<interop::Refusal> refusal = managed.read(view, known))
    refuse_import(*refusal);
  Imported made;
  Tensor& tensor = made.tensor;
  made.dtype = dtype_of(managed.type());
  tensor.type = *element_type(made.dtype);
  tensor.data = reinterpret_cast<uint64_t>(view.data);
  tensor.read_only = view.read_only || read_only;
  tensor.shape.assign(view.shape, view.shape + view.ndim);
  tensor.strides.assign(view.strides, view.strides + view.ndim);
  const dlpack::Device device{view.device_type, view.device_id};
  const int number = device_number(tensor, device);
  tensor.memory = MemoryBlock::borrowed(tensor.data, number, kind_of(device), 0, managed.get(),
                                        managed.deleter());
  (void)managed.release();
  return made;
}

Imported imported(nb::handle object, bool to_host, const nb::object& copy) {
  const nb::object said = said_device(object);
  const std::optional<ProducerDevice> device = device_of(said);
  if (!device)
    refuse_import("__dlpack_device__() of '" + type_text(object) + "' gave " + shown(said) +
                  ", not (device type, device id)");
  CapsuleRequest request;
  if (!copy.is_none()) request.copy = copy;
  if (const auto refusal = dlpack::refuse_device(device->type)) {
    if (!to_host) refuse_import(*refusal);
    request.dl_device = nb::make_tuple(kHost.type, kHost.id);
  }
  std::optional<ManagedTensor> managed = ManagedTensor::of_capsule(capsule_of(object, request));
  if (!managed) refuse_import("__dlpack__() returned no unused DLPack capsule");
  abi::ArrayView view;
  if (!managed->view(view))
    if (const auto refusal = refuse_negated(object.ptr(), view, managed->type()))
      refuse_import(*refusal);
  const bool read_only = is_read_only_beside_tensor(object, managed->is_legacy());
  Imported made = imported(*std::move(managed), read_only);
  // Memory of ours stays one block, which knows where it was used last, whichever object refers to
  // it.
  if (std::shared_ptr<MemoryBlock> ours = memory_of(object)) made.tensor.memory = std::move(ours);
  return made;
}

}  // namespace cuda_device::bindings
