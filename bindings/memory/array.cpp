// Arrays of our own: of NumPy's own type in memory of the host device, of a thin type in memory of
// GPUs.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <nanobind/stl/vector.h>

#include "bindings/errors.h"
#include "bindings/memory/exchange.h"
#include "bindings/memory/foreign.h"
#include "bindings/memory/formats.h"
#include "bindings/memory/memory.h"
#include "bindings/memory/numpy_tensor.h"
#include "bindings/memory/subscript.h"
#include "bindings/memory/sycl_capsule.h"
#include "bindings/memory/tensor.h"
#include "bindings/numpy.h"
#include "interop/memory_access.h"

namespace cuda_device::bindings {
namespace {

using abi::MemoryKind;
using Extents = std::vector<int64_t>;

PyTypeObject* array_type = nullptr;

struct ArrayObject {
  Tensor tensor;
  nb::object dtype;

  int64_t ndim() const { return static_cast<int64_t>(tensor.shape.size()); }
  std::string place() const {
    const MemoryBlock& memory = *tensor.memory;
    const char* kind = memory.kind() == MemoryKind::Device ? "" : abi::name_of(memory.kind());
    return std::string(kind) + (kind[0] ? " " : "") + "memory of GPU " +
           std::to_string(memory.device());
  }
};

nb::object exports() { return nb::module_::import_("cuda.device._exports"); }

nb::tuple as_tuple(const Extents& values) {
  nb::list list;
  for (const int64_t value : values) list.append(value);
  return nb::tuple(list);
}

[[noreturn]] void unreachable_for_host(const ArrayObject& array) {
  throw nb::type_error(("the host does not reach the " + array.place() +
                        "; device.to_host(a) copies the array, kernels take it as it is")
                           .c_str());
}

// --- memory of the host device: NumPy's own type ---

void zero_it(const MemoryBlock& memory) {
  if (memory.zero() || memory.bytes() == 0) return;
  constexpr uint64_t kWorthIt = 1 << 16;
  void* const start = reinterpret_cast<void*>(memory.address());
  if (memory.bytes() < kWorthIt) {
    std::memset(start, 0, memory.bytes());
    return;
  }
  const WithoutGil released;
  std::memset(start, 0, memory.bytes());
}

uint64_t item_bytes(nb::handle dtype) {
  return static_cast<uint64_t>(PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(dtype.ptr())));
}

uint64_t bytes_of(const Extents& shape, uint64_t item) {
  (void)compact_strides(shape, item);  // that it fits
  for (const int64_t extent : shape) item *= static_cast<uint64_t>(extent);
  return item;
}

nb::object host_array(const Extents& shape, const nb::object& dtype, bool columns, bool zero) {
  const uint64_t item = item_bytes(dtype);
  const Extents strides = compact_strides(shape, item, columns);
  auto memory = MemoryBlock::allocate(abi::kHostDevice, MemoryKind::Host, bytes_of(shape, item));
  if (zero) zero_it(*memory);
  const uint64_t data = memory->address();
  return numpy_array(data, dtype, shape, strides, true, keeper_of(std::move(memory)));
}

// --- memory of GPUs ---

ArrayObject* gpu_array(int device, const std::string& kind, Extents shape, nb::object dtype,
                       bool columns) {
  const auto type = element_type(dtype);
  if (!type)
    throw nb::type_error(
        ("arrays of '" + to_string(nb::object(nb::str(dtype))) +
         "' cannot lie in memory of a GPU; numbers, bools, vectors and structs in this machine's "
         "byte order can")
            .c_str());
  auto array = std::make_unique<ArrayObject>();
  array->tensor.type = *type;
  array->tensor.strides = compact_strides(shape, array->tensor.item_bytes(), columns);
  array->tensor.shape = std::move(shape);
  array->tensor.memory = MemoryBlock::allocate(device, kind_named(kind), array->tensor.bytes());
  array->tensor.data = array->tensor.memory->address();
  array->dtype = std::move(dtype);
  return array.release();
}

// Writes an element over and over; false where the driver has no operation for it.
bool fill_gpu(const ArrayObject& array, const nb::bytes& element) {
  const char* bytes = element.c_str();
  size_t size = element.size();
  // An element of equal parts is as good as one part.
  if (std::all_of(bytes, bytes + size, [&](char byte) { return byte == bytes[0]; })) size = 1;
  while (size % 2 == 0 && std::memcmp(bytes, bytes + size / 2, size / 2) == 0) size /= 2;
  if (size > 4 || size == 3) return false;
  dispatch::FillRequest request;
  request.to = array.tensor.data;
  request.count = array.tensor.bytes() / size;
  request.element_bytes = static_cast<int>(size);
  std::memcpy(&request.element, bytes, size);
  request.gpu = array.tensor.memory->device();
  const Ordering where = array.tensor.memory->last_use().go_on();
  request.stream = where.stream();
  without_gil([&](dispatch::Outcome* outcome) { cd_rt_memory_fill(&request, outcome); });
  return true;
}

nb::object to_host(const ArrayObject& array) {
  nb::object host = host_array(array.tensor.shape, array.dtype, false, false);
  copy_tensor(tensor_of_numpy(host, array.tensor.type), array.tensor);
  return host;
}

// NumPy's limit: arrays of more dimensions could not be copied to the host.
constexpr size_t kMostDimensions = 64;

std::string too_many_dimensions(size_t ndim) {
  return "an array of " + std::to_string(ndim) + " dimensions; at most " +
         std::to_string(kMostDimensions) + " are allowed";
}

ArrayObject* view(const ArrayObject& array, int64_t offset, Extents shape, Extents strides) {
  if (shape.size() > kMostDimensions)
    throw nb::value_error(too_many_dimensions(shape.size()).c_str());
  auto part = std::make_unique<ArrayObject>(array);
  part->tensor.data += static_cast<uint64_t>(offset);
  part->tensor.shape = std::move(shape);
  part->tensor.strides = std::move(strides);
  return part.release();
}

// The dimensions of a sub-array follow those of the array.
void add_sub_array(Tensor& tensor, nb::handle dtype, nb::handle extents) {
  const auto inner = nb::cast<Extents>(extents);
  const Extents strides = compact_strides(inner, item_bytes(dtype));
  tensor.shape.insert(tensor.shape.end(), inner.begin(), inner.end());
  tensor.strides.insert(tensor.strides.end(), strides.begin(), strides.end());
  if (tensor.shape.size() > kMostDimensions)
    throw nb::index_error(too_many_dimensions(tensor.shape.size()).c_str());
}

// One field of each element of a structured dtype.
ArrayObject* field(const ArrayObject& array, nb::handle name) {
  const nb::object fields = array.dtype.attr("fields");
  const nb::object found = fields.is_none() ? nb::none() : fields.attr("get")(name);
  if (found.is_none())
    throw nb::index_error(("an array of dtype " + to_string(nb::object(nb::str(array.dtype))) +
                           " has no field " + shown(name))
                              .c_str());
  nb::object dtype = found[0].attr("base");
  const auto type = element_type(dtype);
  if (!type)
    throw nb::type_error(("field " + shown(name) + " of dtype " +
                          to_string(nb::object(nb::str(dtype))) + " is no array of its own")
                             .c_str());
  auto part = std::make_unique<ArrayObject>(array);
  part->tensor.data += nb::cast<uint64_t>(found[1]);
  part->tensor.type = *type;
  add_sub_array(part->tensor, dtype, found[0].attr("shape"));
  part->dtype = std::move(dtype);
  return part.release();
}

ArrayObject* get_item(const ArrayObject& array, nb::handle index) {
  if (PyUnicode_Check(index.ptr())) return field(array, index);
  Part part = part_of(array.tensor.shape, array.tensor.strides, index);
  if (part.shape.size() > kMostDimensions)
    throw nb::index_error(too_many_dimensions(part.shape.size()).c_str());
  return view(array, part.offset, std::move(part.shape), std::move(part.strides));
}

nb::module_ operators() { return nb::module_::import_("cuda.device._array_operators"); }

// An Array, or one of NumPy's that is no number.
bool is_array(nb::handle part) {
  if (nb::isinstance<ArrayObject>(part)) return true;
  return PyArray_Check(part.ptr()) &&
         PyArray_NDIM(reinterpret_cast<PyArrayObject*>(part.ptr())) > 0;
}

bool holds_array(nb::handle index) {
  if (!PyTuple_CheckExact(index.ptr())) return is_array(index);
  const nb::tuple parts = nb::borrow<nb::tuple>(index);
  return std::any_of(parts.begin(), parts.end(), is_array);
}

// An index that is an array itself, or holds one, is work for kernels, or an error that they know.
nb::object item(nb::handle self, nb::handle index) {
  if (holds_array(index)) return operators().attr("chosen")(self, index);
  return nb::cast(get_item(*nb::inst_ptr<ArrayObject>(self), index), nb::rv_policy::take_ownership);
}

// Assigns an array of the same device kind and dtype, or anything that NumPy makes an array of,
// spread over the shape as NumPy does.
void set_item(nb::handle self, nb::handle index, nb::handle value) {
  const ArrayObject& array = *nb::inst_ptr<ArrayObject>(self);
  if (array.tensor.read_only) throw nb::value_error("the array is read-only");
  if (value.is_none())
    throw nb::type_error(
        ("None is no element of " + to_string(nb::object(nb::str(array.dtype)))).c_str());
  if (PyArray_Check(value.ptr())) sync_device(abi::kHostDevice);  // launches may store to it
  if (holds_array(index)) {
    operators().attr("assigned")(self, index, value);
    return;
  }
  std::unique_ptr<ArrayObject> part(get_item(array, index));
  if (nb::isinstance<ArrayObject>(value)) {
    const ArrayObject& from = *nb::inst_ptr<ArrayObject>(value);
    if (from.dtype.equal(part->dtype) && from.tensor.shape == part->tensor.shape)
      return copy_tensor(part->tensor, from.tensor);
    operators().attr("assigned")(nb::cast(part.release(), nb::rv_policy::take_ownership),
                                 nb::none(), value);
    return;
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object plain = is_record(part->tensor.type)
                               ? nb::module_::import_("cuda.device._arrays").attr("plain")(value)
                               : nb::borrow(value);
  const nb::object host = numpy.attr("ascontiguousarray")(numpy.attr("broadcast_to")(
      numpy.attr("asarray")(plain, part->dtype), as_tuple(part->tensor.shape)));
  Tensor from = tensor_of_numpy(host, part->tensor.type);
  from.shape = part->tensor.shape;  // ascontiguousarray makes one dimension of none
  from.strides = compact_strides(from.shape, from.item_bytes());
  copy_tensor(part->tensor, from);
}

ArrayObject* transposed(const ArrayObject& array) {
  Extents shape(array.tensor.shape.rbegin(), array.tensor.shape.rend());
  Extents strides(array.tensor.strides.rbegin(), array.tensor.strides.rend());
  return view(array, 0, std::move(shape), std::move(strides));
}

// The same memory in other axes, whose elements must lie where those of the array do.
ArrayObject* strided(const ArrayObject& array, Extents shape, Extents strides, bool read_only) {
  const auto item = static_cast<int64_t>(array.tensor.item_bytes());
  const auto [low, high] = span_of(shape, strides, item);
  const auto [least, most] = span_of(array.tensor.shape, array.tensor.strides, item);
  if (shape.size() != strides.size() || low < least || high > most)
    throw nb::value_error("strided() of elements that are not in the array");
  ArrayObject* const made = view(array, 0, std::move(shape), std::move(strides));
  made->tensor.read_only |= read_only;
  return made;
}

bool is_compact(const ArrayObject& array) {
  const Extents wanted = compact_strides(array.tensor.shape, array.tensor.item_bytes());
  for (size_t i = 0; i < wanted.size(); ++i)
    if (array.tensor.shape[i] > 1 && array.tensor.strides[i] != wanted[i]) return false;
  return true;
}

// The shape that reshape() is given: ints, or one sequence of them.
Extents wanted_shape(const nb::args& given) {
  const bool one = given.size() == 1 && !PyIndex_Check(given[0].ptr());
  const nb::object all = one ? nb::borrow(given[0]) : nb::borrow(given);
  const bool sequence = PyTuple_Check(all.ptr()) || PyList_Check(all.ptr());
  if (given.size() == 0 || !sequence)
    throw nb::type_error(("reshape() expects ints or one tuple of ints, found " +
                          (given.size() ? shown(all) : std::string("nothing")))
                             .c_str());
  Extents shape;
  for (nb::handle extent : all) {
    shape.push_back(PyNumber_AsSsize_t(extent.ptr(), PyExc_ValueError));
    if (shape.back() == -1 && PyErr_Occurred()) throw nb::python_error();
  }
  return shape;
}

// How many elements a shape has, an extent of -1 left out; nothing for more than there can be.
std::optional<int64_t> known_elements(const Extents& shape) {
  int64_t known = 1;
  for (const int64_t extent : shape)
    if (extent != -1 && __builtin_mul_overflow(known, extent, &known)) return std::nullopt;
  return known;
}

// Gives the one extent of -1 its value. Raises ValueError for a shape of other elements.
void settle(Extents& shape, int64_t count) {
  const Extents asked = shape;
  std::optional<int64_t> known = known_elements(shape);
  const auto open = std::count(shape.begin(), shape.end(), -1);
  if (open == 1 && known && *known != 0 && count % *known == 0) {
    *std::find(shape.begin(), shape.end(), -1) = count / *known;
    known = count;
  }
  const bool sound = std::all_of(shape.begin(), shape.end(), [](int64_t e) { return e >= 0; });
  if (!sound || known != count)
    throw nb::value_error(("cannot reshape an array of " + std::to_string(count) +
                           " elements into shape " + shown(as_tuple(asked)))
                              .c_str());
}

ArrayObject* reshaped(const ArrayObject& array, const nb::args& given, const nb::kwargs& keywords) {
  if (keywords.size() != 0)
    throw nb::type_error(
        "reshape() of an Array takes a shape and no keywords; array_api.reshape() has copy=");
  const auto count = static_cast<int64_t>(array.tensor.count());
  Extents shape = wanted_shape(given);
  settle(shape, count);
  if (count > 0 && !is_compact(array))
    throw nb::value_error(
        "reshape() would have to copy the array; its elements do not follow each "
        "other in memory, last axis first");
  Extents strides = compact_strides(shape, array.tensor.item_bytes());
  return view(array, 0, std::move(shape), std::move(strides));
}

// NumPy's view of memory that the host reaches, when all that is queued is done.
nb::object as_numpy(nb::handle self, const nb::object& dtype, const nb::object& copy) {
  const ArrayObject& array = *nb::inst_ptr<ArrayObject>(self);
  const Tensor& tensor = array.tensor;
  if (!tensor.memory->host_reaches()) unreachable_for_host(array);
  tensor.memory->last_use().wait();
  nb::object made = numpy_array(tensor.data, array.dtype, tensor.shape, tensor.strides,
                                !tensor.read_only, nb::borrow(self));
  const bool other = !dtype.is_none() && !array.dtype.equal(dtype);
  if (other) {
    if (copy.is(nb::handle(Py_False)))
      throw nb::value_error("an array of another dtype is a copy, and copy=False was given");
    return made.attr("astype")(dtype);
  }
  return copy.is(nb::handle(Py_True)) ? made.attr("copy")() : made;
}

// The buffer protocol, by the buffer of NumPy's view: its release is that one's.
int get_array_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  try {
    const nb::object host = as_numpy(self, nb::none(), nb::none());
    return PyObject_GetBuffer(host.ptr(), view, flags);
  } catch (...) {
    set_current_exception();
  }
  return -1;
}

PyType_Slot array_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_array_buffer)},
                             {0, nullptr}};

// As NumPy writes it; formats of ml_dtypes are bytes without a meaning there (CAI-TYPE-05).
nb::object type_text_of(const ArrayObject& array) {
  const interop::dlpack::DataType type = array.tensor.type;
  if (!is_of_ml_dtypes(type)) return array.dtype.attr("str");
  return nb::str(((type.bits > 8 ? "<V" : "|V") + std::to_string(type.bits / 8)).c_str());
}

// Version 3, or what the environment asks for instead.
nb::object cuda_array_interface(const ArrayObject& array) {
  const Tensor& tensor = array.tensor;
  nb::dict fields;
  fields["shape"] = as_tuple(tensor.shape);
  fields["strides"] = is_compact(array) ? nb::none() : nb::object(as_tuple(tensor.strides));
  fields["typestr"] = type_text_of(array);
  if (is_record(tensor.type)) fields["descr"] = exports().attr("description")(array.dtype);
  fields["data"] = nb::make_tuple(tensor.count() ? tensor.data : 0, tensor.read_only);
  fields["version"] = 3;
  LastUse& last_use = tensor.memory->last_use();
  if (last_use.idle())
    fields["stream"] = nb::none();
  else
    fields["stream"] = cd_rt_stream_handle(last_use.go_on().stream());
  return exports().attr("as_asked")(fields);
}

// Nothing there says when the data is ready: it is when this returns.
nb::object sycl_usm_array_interface(nb::handle self) {
  exports().attr("check_gpu")();
  const Tensor& tensor = nb::inst_ptr<ArrayObject>(self)->tensor;
  tensor.memory->last_use().wait();
  const std::string context = "cuda:gpu:" + std::to_string(tensor.memory->device());
  return exports().attr("sycl_dictionary")(self, tensor.data, tensor.read_only, context);
}

nb::object usm_type(const ArrayObject& array, nb::handle syclobj) {
  const MemoryBlock& memory = *array.tensor.memory;
  return exports().attr("usm_type")(memory.device(), abi::name_of(memory.kind()), syclobj);
}

nb::object import_dlpack(nb::handle object, bool to_host, const nb::object& copy) {
  return array_of(imported(object, to_host, copy));
}

// Makes an array read-only whose memory may not be written to, whatever the producer says.
void check_bytes(const Foreign& given, const abi::Allocation& where, bool& read_only) {
  if (given.low == given.high) return;
  if (where.bytes != 0 && (given.low < where.base || given.high > where.base + where.bytes))
    throw nb::value_error(("the elements take the bytes " + std::to_string(given.low) + " to " +
                           std::to_string(given.high) + ", outside of their allocation, " +
                           std::to_string(where.base) + " to " +
                           std::to_string(where.base + where.bytes))
                              .c_str());
  const bool of_process = where.device == abi::kHostDevice && where.bytes == 0;
  if (of_process && !interop::KnownAccess().check(given.low, given.high, read_only))
    throw nb::value_error(("the elements take the bytes " + std::to_string(given.low) + " to " +
                           std::to_string(given.high) +
                           ", which are memory neither of this process nor of a GPU that it sees")
                              .c_str());
}

// How later uses come after the producer's stream; the host waits for it where the memory is the
// host's.
Ordering producer_ordering(uint64_t stream, bool on_host) {
  if (stream == 0 || cd_rt_gpu_count() == 0) return {};
  const StreamHandle theirs = stream_with_handle(stream);
  if (!on_host) return Ordering(theirs.get(), nullptr);
  sync_stream(theirs.get());
  return {};
}

void define_attributes(nb::class_<ArrayObject>& type) {
  type.def_prop_ro(
          "shape", [](const ArrayObject& a) { return as_tuple(a.tensor.shape); },
          "Extent of each dimension.")
      .def_prop_ro(
          "strides", [](const ArrayObject& a) { return as_tuple(a.tensor.strides); },
          "Bytes from one element to the next, of each dimension.")
      .def_prop_ro(
          "dtype", [](const ArrayObject& a) { return a.dtype; }, "NumPy's dtype.")
      .def_prop_ro("ndim", &ArrayObject::ndim, "Number of dimensions.")
      .def_prop_ro(
          "size", [](const ArrayObject& a) { return a.tensor.count(); }, "Number of elements.")
      .def_prop_ro(
          "itemsize", [](const ArrayObject& a) { return a.tensor.item_bytes(); },
          "Bytes of an element.")
      .def_prop_ro(
          "nbytes", [](const ArrayObject& a) { return a.tensor.bytes(); }, "Bytes of all elements.")
      .def_prop_ro(
          "device",
          [](const ArrayObject& a) { return "cuda:" + std::to_string(a.tensor.memory->device()); },
          "\"cuda:0\" and up, as NumPy's arrays have \"cpu\".")
      .def_prop_ro(
          "memory", [](const ArrayObject& a) { return abi::name_of(a.tensor.memory->kind()); },
          "Kind of its memory: \"device\", \"pinned\" or \"managed\".")
      .def_prop_ro("T", transposed, nb::rv_policy::take_ownership,
                   "The same elements, with the dimensions in reverse.")
      .def_prop_ro("__cuda_array_interface__", cuda_array_interface,
                   "Version 3 of the CUDA Array Interface.")
      .def_prop_ro(
          "__sycl_usm_array_interface__", sycl_usm_array_interface,
          "SYCL's USM array interface, with CUDA_DEVICE_HOST_CAI=1; waits for what is queued.")
      .def_prop_ro(
          "usm_type", [](const ArrayObject& a) { return usm_type(a, nb::none()); },
          "What SYCL calls the kind of its memory: \"device\", \"host\" or \"shared\".");
}

void define_methods(nb::class_<ArrayObject>& type) {
  type.def("__getitem__", item, nb::arg("index").none(),
           "A part of the array, in the same memory: by ints, slices, None and '...', or the name "
           "of a field. By an Array, of bool or of integers, a copy.")
      .def("__setitem__", set_item, nb::arg("index").none(), nb::arg("value").none(),
           "Copies values into a part of the array: of an Array, or of all that NumPy makes an "
           "array of.")
      .def("reshape", reshaped, nb::rv_policy::take_ownership,
           "The same elements in another shape, ints or a tuple of them, row by row; one extent "
           "may be -1. Raises ValueError where they would have to be copied.")
      .def(
          "__len__",
          [](const ArrayObject& a) {
            if (a.tensor.shape.empty())
              throw nb::type_error("an array of no dimensions has no len()");
            return a.tensor.shape[0];
          },
          "Extent of the first dimension.")
      .def("__array__", as_numpy, nb::arg("dtype").none() = nb::none(),
           nb::arg("copy").none() = nb::none(),
           "NumPy's array of the same memory, where the host reaches it; TypeError where not.")
      .def("get_usm_type", usm_type, nb::arg("syclobj").none() = nb::none(),
           "usm_type for a context, a queue or a filter string; \"unknown\" in another context.")
      .def("__reduce__", [](nb::handle self) {
        return nb::module_::import_("cuda.device._arrays").attr("reduced")(self);
      });
  define_dlpack(
      type, [](const ArrayObject& a) -> const Tensor& { return a.tensor; },
      "A DLPack capsule, safe to use on the CUDA stream of that number.");
}

}  // namespace

nb::object foreign_array(const Foreign& given) {
  abi::Allocation where;
  const bool empty = given.low == given.high;
  if (!empty) cd_rt_memory_find(given.address, &where);
  // Every device reaches no bytes.
  if (empty && cd_rt_gpu_count() > 0) where = {0, 0, 0, MemoryKind::Pinned, false};
  bool read_only = given.read_only;
  check_bytes(given, where, read_only);
  // The host does not use the address at which a GPU reaches it.
  const uint64_t apart = where.device_address ? where.device_address - given.address : 0;
  if (apart != 0) where.kind = MemoryKind::Device;
  const bool on_host = where.device == abi::kHostDevice;
  const Ordering theirs = producer_ordering(given.stream, on_host);
  const Watched watched = given.owner.is_none() ? Watched::of(where) : Watched();
  if (on_host)
    return numpy_array(given.address, given.dtype, given.shape, given.strides, !read_only,
                       watched.serial ? watching(watched) : given.owner);
  const auto type = element_type(given.dtype);
  if (!type) throw nb::type_error("elements of this dtype cannot lie in memory of a GPU");
  auto array = std::make_unique<ArrayObject>();
  Tensor& tensor = array->tensor;
  tensor.type = *type;
  tensor.memory =
      MemoryBlock::of_python(where, given.low + apart, given.high - given.low, given.owner, theirs);
  tensor.memory->watch(watched);
  if (!theirs.stream()) tensor.memory->last_use().is_idle();
  tensor.data = given.address + apart;
  tensor.shape = given.shape;
  tensor.strides = given.strides;
  tensor.read_only = read_only;
  array->dtype = given.dtype;
  return nb::cast(array.release(), nb::rv_policy::take_ownership);
}

bool waits_for_producers() {
  for (const char* name : {"CUDA_DEVICE_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC"})
    if (const char* value = std::getenv(name); value && std::strcmp(value, "0") == 0) return false;
  return true;
}

nb::object array_of(Imported given) {
  Tensor& tensor = given.tensor;
  if (tensor.memory->on_host())
    return numpy_array(tensor.data, given.dtype, tensor.shape, tensor.strides, !tensor.read_only,
                       keeper_of(tensor.memory));
  auto array = std::make_unique<ArrayObject>();
  array->dtype = std::move(given.dtype);
  array->tensor = std::move(tensor);
  return nb::cast(array.release(), nb::rv_policy::take_ownership);
}

const Tensor* tensor_of_array(PyObject* object) {
  return Py_TYPE(object) == array_type ? &nb::inst_ptr<ArrayObject>(nb::handle(object))->tensor
                                       : nullptr;
}

PyObject* dtype_of_array(PyObject* object) {
  return Py_TYPE(object) == array_type ? nb::inst_ptr<ArrayObject>(nb::handle(object))->dtype.ptr()
                                       : nullptr;
}

void register_arrays(nb::module_& module) {
  nb::class_<ArrayObject> type(
      module, "Array", nb::type_slots(array_slots), nb::is_weak_referenceable(),
      "A strided array in memory that a GPU reaches. Kernels take it, and every library that knows "
      "DLPack.");
  array_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  define_attributes(type);
  define_methods(type);
  module.attr("exchange_api") = exchange_capsule();
  type.attr("__dlpack_c_exchange_api__") = module.attr("exchange_api");
  module.def("host_array", host_array, nb::arg("shape"), nb::arg("dtype"), nb::arg("columns"),
             nb::arg("zero"));
  module.def("gpu_array", gpu_array, nb::arg("device"), nb::arg("kind"), nb::arg("shape"),
             nb::arg("dtype"), nb::arg("columns"), nb::rv_policy::take_ownership);
  module.def("strided", strided, nb::arg("array"), nb::arg("shape"), nb::arg("strides"),
             nb::arg("read_only") = false, nb::rv_policy::take_ownership);
  module.def("fill_gpu", fill_gpu, nb::arg("array"), nb::arg("element"));
  module.def("to_host", to_host, nb::arg("array"));
  module.def("import_dlpack", import_dlpack, nb::arg("object"), nb::arg("to_host") = false,
             nb::arg("copy").none() = nb::none());
  module.def("export_host_array", export_host_array, nb::arg("array"), nb::arg("stream").none(),
             nb::arg("max_version").none(), nb::arg("dl_device").none(), nb::arg("copy").none());
  module.def(
      "foreign_array",
      [](uint64_t address, uint64_t low, uint64_t high, Extents shape, Extents strides,
         nb::object dtype, bool read_only, nb::object owner, uint64_t stream) {
        return foreign_array({address, low, high, std::move(shape), std::move(strides),
                              std::move(dtype), read_only, std::move(owner), stream});
      },
      nb::arg("address"), nb::arg("low"), nb::arg("high"), nb::arg("shape"), nb::arg("strides"),
      nb::arg("dtype"), nb::arg("read_only"), nb::arg("owner").none(), nb::arg("stream"));
  module.def("waits_for_producers", waits_for_producers);
  module.def("capsule_name", capsule_name, nb::arg("object").none());
  module.def("capsule_pointer", capsule_pointer, nb::arg("capsule"));
  module.def("sycl_context_capsule", sycl_context_capsule, nb::arg("context"), nb::arg("free"));
}

}  // namespace cuda_device::bindings
