// Objects with __dlpack__ as arguments.
#include "bindings/launch/call.h"
#include "bindings/launch/dlpack_abi.h"

namespace cuda_device::bindings {
namespace {

using namespace dlpack;

constexpr uint32_t kSupportedMajor = 1;

struct Names {
  nb::object device = interned("__dlpack_device__"), dlpack = interned("__dlpack__");
  nb::object keywords = nb::make_tuple(interned("max_version"));
  nb::object version = nb::make_tuple(1, 0);
};

const Names& names() {
  static const Names* made = nullptr;
  if (!made) made = new Names();
  return *made;
}

std::string device_text(int32_t type) {
  const char* name = "a device of an unknown kind";
  switch (type) {
    case kCpu:
      name = "the CPU";
      break;
    case kCuda:
      name = "a CUDA GPU";
      break;
    case kCudaHost:
      name = "pinned CUDA host memory";
      break;
    case kCudaManaged:
      name = "managed CUDA memory";
      break;
    case kOneApi:
      name = "a oneAPI device";
      break;
    case kOpenCl:
      name = "an OpenCL device";
      break;
    case kVulkan:
      name = "a Vulkan device";
      break;
    case kMetal:
      name = "a Metal device";
      break;
    case kRocm:
      name = "a ROCm GPU";
      break;
    default:
      break;
  }
  return std::string(name) + " (DLPack device type " + std::to_string(type) + ")";
}

// Memory that the CPU reads and writes like its own.
bool reachable(int32_t type) { return type == kCpu || type == kCudaHost || type == kCudaManaged; }

void check_device(Call& call, PyObject* object) {
  nb::object device = checked(PyObject_CallMethodNoArgs(object, names().device.ptr()));
  nb::object type =
      PyTuple_Check(device.ptr()) && nb::len(device) == 2 ? nb::object(device[0]) : device;
  int overflow = 0;
  long number = PyLong_Check(type.ptr()) || PyIndex_Check(type.ptr())
                    ? PyLong_AsLongAndOverflow(checked(PyNumber_Index(type.ptr())).ptr(), &overflow)
                    : -1;
  if (number < 0 || overflow)
    call.fail(DiagCode::dlpack_refused,
              {"__dlpack_device__() returned no (device type, device id)"});
  if (!reachable(static_cast<int32_t>(number)))
    call.fail(DiagCode::argument_device, {device_text(static_cast<int32_t>(number))});
}

// Newer producers first; older ones refuse the keyword.
nb::object capsule_of(PyObject* object) {
  PyObject* args[] = {object, names().version.ptr()};
  PyObject* found =
      PyObject_VectorcallMethod(names().dlpack.ptr(), args, 1, names().keywords.ptr());
  if (found) return nb::steal(found);
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
  PyErr_Clear();
  return checked(PyObject_CallMethodNoArgs(object, names().dlpack.ptr()));
}

// A capsule, taken over: the deleter is ours to call.
struct Taken {
  const Tensor* tensor = nullptr;
  bool read_only = false;
};

void delete_managed(void* p) {
  auto* managed = static_cast<Managed*>(p);
  if (managed->deleter) managed->deleter(managed);
}

void delete_versioned(void* p) {
  auto* managed = static_cast<ManagedVersioned*>(p);
  if (managed->deleter) managed->deleter(managed);
}

void mark_used(PyObject* capsule, const char* name) {
  checked(PyCapsule_SetName(capsule, name));
  checked(PyCapsule_SetDestructor(capsule, nullptr));
}

Taken take(Call& call, PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* managed =
        static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    mark_used(capsule, "used_dltensor_versioned");
    call.owners().keep(managed, delete_versioned);
    // Of another major version only version, context and deleter lie where we know.
    if (managed->version.major != kSupportedMajor)
      call.fail(DiagCode::dlpack_refused,
                {"DLPack version " + std::to_string(managed->version.major) + "." +
                 std::to_string(managed->version.minor) + " is not known"});
    return {&managed->tensor, (managed->flags & kReadOnlyFlag) != 0};
  }
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, "dltensor"));
    mark_used(capsule, "used_dltensor");
    call.owners().keep(managed, delete_managed);
    return {&managed->tensor, false};
  }
  call.fail(DiagCode::dlpack_refused, {"__dlpack__() returned no unused DLPack capsule"});
}

std::string dtype_text(DataType type) {
  const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string text = type.code < std::size(kinds)
                         ? kinds[type.code]
                         : "type code " + std::to_string(type.code) + " of ";
  text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

// Formats that kernels will take one day: float16, bfloat16, complex, the two 8-bit floats, vectors
// of up to 4.
bool is_planned(DataType type) {
  if (type.code == kComplex) return type.bits == 64 || type.bits == 128;
  if (type.code == kFloat8E4m3 || type.code == kFloat8E5m2) return type.bits == 8;
  return type.bits == 16 && (type.code == kFloat || type.code == kBfloat);
}

std::optional<ScalarKind> scalar_of(DataType type) {
  for (int i = 0; i < kScalarCount; ++i) {
    auto kind = static_cast<ScalarKind>(i);
    if (bits_of(kind) != type.bits) continue;
    switch (info(kind).number_class) {
      case NumberClass::Bool:
        if (type.code == kBool) return kind;
        break;
      case NumberClass::Int:
        if (type.code == kInt) return kind;
        break;
      case NumberClass::Uint:
        if (type.code == kUint) return kind;
        break;
      case NumberClass::Float:
        if (type.code == kFloat) return kind;
        break;
    }
  }
  return std::nullopt;
}

ScalarKind checked_scalar(const Call& call, DataType type) {
  std::optional<ScalarKind> scalar = scalar_of(type);
  bool vector = type.lanes >= 2 && type.lanes <= 4;
  if (type.lanes != 1 && !vector)
    call.fail(DiagCode::dlpack_refused, {"elements of " + std::to_string(type.lanes) + " lanes"});
  if (vector || (!scalar && is_planned(type)))
    call.fail(DiagCode::argument_not_yet, {"an array of '" + dtype_text(type) + "'"});
  if (!scalar) call.fail(DiagCode::argument_dtype, {dtype_text(type)});
  return *scalar;
}

abi::ArrayView view_of(const Call& call, const Taken& taken) {
  const Tensor& tensor = *taken.tensor;
  abi::ArrayView view;
  ScalarKind scalar = checked_scalar(call, tensor.dtype);
  if (!reachable(tensor.device.type))
    call.fail(DiagCode::argument_device, {device_text(tensor.device.type)});
  if (tensor.ndim < 0 || tensor.ndim > abi::kMaxDims)
    call.fail(DiagCode::argument_dims, {std::to_string(tensor.ndim)});
  view.dtype = scalar;
  view.ndim = tensor.ndim;
  view.read_only = taken.read_only;
  view.device_type = tensor.device.type;
  view.device_id = tensor.device.id;
  view.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  int64_t compact = bytes_of(scalar);
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    view.shape[i] = tensor.shape[i];
    view.strides[i] = tensor.strides ? tensor.strides[i] * bytes_of(scalar) : compact;
    compact *= tensor.shape[i];
  }
  return view;
}

}  // namespace

bool add_dlpack(Call& call, PyObject* object) {
  nb::object has_device = optional_attr(object, names().device);
  nb::object has_dlpack = optional_attr(object, names().dlpack);
  if (!has_device || !has_dlpack || PyType_Check(object)) return false;
  check_device(call, object);
  nb::object capsule = capsule_of(object);
  call.add_array(view_of(call, take(call, capsule.ptr())));
  return true;
}

}  // namespace cuda_device::bindings
