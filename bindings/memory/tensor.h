// A strided array in a block, and what it is as a DLPack tensor that we give away (DEV-DLP-01 to
// -14).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bindings/dlpack_consumer.h"
#include "bindings/memory/block.h"
#include "interop/dlpack_abi.h"
#include "support/dtype.h"
#include "support/facts.h"

namespace cuda_device::bindings {

// What launches know of an array that never changes: none has looked yet, nor at a copy, which may
// become another array.
struct SeenByLaunches {
  SeenByLaunches() = default;
  SeenByLaunches(const SeenByLaunches&) {}
  SeenByLaunches& operator=(const SeenByLaunches&) {
    known = false;
    return *this;
  }
  bool known = false;
  DtypeId dtype;
  FactBits facts = 0;
  uintptr_t low = 0, high = 0;
};

struct Tensor {
  std::shared_ptr<MemoryBlock> memory;
  uint64_t data = 0;
  interop::dlpack::DataType type{0, 0, 1};
  std::vector<int64_t> shape, strides;  // bytes
  bool read_only = false;
  mutable SeenByLaunches seen{};  // with the GIL

  uint64_t item_bytes() const { return uint64_t{type.bits} / 8 * type.lanes; }
  uint64_t count() const;
  uint64_t bytes() const { return count() * item_bytes(); }
};

// Row by row without gaps; throws ValueError where it does not fit 64 bits.
std::vector<int64_t> compact_strides(const std::vector<int64_t>& shape, uint64_t item_bytes,
                                     bool columns = false);

// Lowest and highest byte from the first element on, of any element; both 0 where there is none.
std::pair<int64_t, int64_t> span_of(const std::vector<int64_t>& shape,
                                    const std::vector<int64_t>& strides, int64_t item);

// kDLCPU on the host device, else by the kind of memory.
interop::dlpack::Device dlpack_device(const MemoryBlock& memory);

// The tensor of an Array; null: the object is none.
const Tensor* tensor_of_array(PyObject* object);
// NumPy's dtype of an Array; null: the object is none.
PyObject* dtype_of_array(PyObject* object);

// The memory of an object of ours, of a type that define_dlpack was called for; null: it is none.
std::shared_ptr<MemoryBlock> memory_of(nb::handle object);
using FindMemory = std::function<std::shared_ptr<MemoryBlock>(PyObject* object)>;
void note_tensor_type(nb::handle type, FindMemory find);

// The keywords of __dlpack__, as they were given.
struct ExportRequest {
  nb::object stream, max_version, dl_device, copy;
};

// A capsule with the tensor, which keeps its memory.
nb::object exported(const Tensor& tensor, const ExportRequest& request);
// The same without a capsule, for whoever takes it over; nothing is waited for. Throws BufferError.
interop::dlpack::ManagedVersioned* exported(const Tensor& tensor);

// __dlpack__ and __dlpack_device__ of a type whose objects are tensors: tensor_of(object).
template <class T, class TensorOf>
void define_dlpack(nb::class_<T>& type, TensorOf tensor_of, const char* doc) {
  note_tensor_type(type,
                   [=](PyObject* object) { return tensor_of(*nb::inst_ptr<T>(object)).memory; });
  type.def(
          "__dlpack__",
          [=](const T& self, nb::object stream, nb::object max_version, nb::object dl_device,
              nb::object copy) {
            return exported(tensor_of(self), {std::move(stream), std::move(max_version),
                                              std::move(dl_device), std::move(copy)});
          },
          nb::kw_only(), nb::arg("stream").none() = nb::none(),
          nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
          nb::arg("copy").none() = nb::none(), doc)
      .def(
          "__dlpack_device__",
          [=](const T& self) {
            const interop::dlpack::Device device = dlpack_device(*tensor_of(self).memory);
            return nb::make_tuple(device.type, device.id);
          },
          "(device type, device id) as DLPack counts them.");
}

// Copies between tensors of one shape and type, which may overlap if one lies on a GPU, by the
// streams that used them last; returns when it is queued, and when it is done where one side is
// memory of the process or of another library.
void copy_tensor(const Tensor& to, const Tensor& from);

struct Imported {
  Tensor tensor;
  nb::object dtype;
};

// Takes the tensor of an object with __dlpack__ and __dlpack_device__ whose memory the host or a
// GPU reaches; with `to_host` the producer of other memory is asked for a copy on the host. `copy`:
// what the producer is told of copies, None for nothing. Throws BufferError.
Imported imported(nb::handle object, bool to_host, const nb::object& copy);
// The same of a tensor that was handed over. Throws BufferError.
Imported imported(ManagedTensor managed, bool read_only = false);
// NumPy's array of memory of the host, ours of memory that a GPU reaches.
nb::object array_of(Imported given);

abi::MemoryKind kind_of(interop::dlpack::Device device);

}  // namespace cuda_device::bindings
