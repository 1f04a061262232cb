#include "bindings/launch/dims.h"

#include <limits>

#include "bindings/errors.h"
#include "bindings/values/vector_object.h"
#include "support/launch_limits.h"

namespace cuda_device::bindings {
namespace {

using Axes = std::array<uint32_t, 3>;

constexpr const char* kAxisNames[] = {"x", "y", "z"};
constexpr int64_t kBlockLimits[] = {kLargestBlock[0], kLargestBlock[1], kLargestBlock[2]};
constexpr int64_t kGridLimits[] = {2147483647, 65535, 65535};

struct What {
  const char* name;  // "grid", "block"
  const std::string& kernel;
  const int64_t* limits;
};

std::string type_hint(PyObject* object, const What& what) {
  const std::string name = what.name;
  if (PyFloat_Check(object) && name == "grid")
    return "/ gives a float, // an int; rounded up it is grid=(n + 255) // 256";
  return name + " is an int or a tuple of one to three ints, x first";
}

// An array of more than one element says that it has an index, and raises a TypeError; what else a
// user's __index__ raises comes through.
[[noreturn]] void refuse_type(PyObject* object, const What& what) {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
  PyErr_Clear();
  throw LaunchError{
      DiagCode::dims_type,
      {what.name, what.kernel, "'" + type_text(object) + "'", type_hint(object, what)}};
}

// An int by __index__; floats have none. Beyond int64 the nearest int64, which is out of every
// range.
int64_t to_int(PyObject* object, const What& what) {
  nb::object number = nb::borrow(object);
  if (!PyLong_CheckExact(object)) {
    number = nb::steal(PyIndex_Check(object) ? PyNumber_Index(object) : nullptr);
    if (!number) refuse_type(object, what);
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow)
    return overflow < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  return value;
}

const char* block_hint(int axis) {
  if (axis == 2) return "let x be the longest axis of a block, which may have 1024 threads";
  return "use smaller blocks and more of them: block=256, grid=(n + 255) // 256";
}

const char* grid_hint(int axis) {
  if (axis > 0) return "let x be the longest axis of a grid, which may have 2147483647 blocks";
  return "let each thread work on several elements: range(device.tid(1), n, device.grid_size(1))";
}

uint32_t read_axis(PyObject* object, int axis, const What& what) {
  int64_t value = to_int(object, what);
  if (value >= 1 && value <= what.limits[axis]) return static_cast<uint32_t>(value);
  const bool exact =
      value > std::numeric_limits<int64_t>::min() && value < std::numeric_limits<int64_t>::max();
  std::vector<std::string> args = {what.name, what.kernel, kAxisNames[axis],
                                   exact ? std::to_string(value) : shown(object)};
  if (value < 1) throw LaunchError{DiagCode::dims_positive, std::move(args)};
  args.push_back(std::to_string(what.limits[axis]));
  args.push_back(what.limits == kBlockLimits ? block_hint(axis) : grid_hint(axis));
  throw LaunchError{DiagCode::dims_limit, std::move(args)};
}

// A Dim3, or any other uint32x3.
bool is_dim3(PyObject* object) {
  if (!is_vector(object)) return false;
  const VectorObject& vector = vector_of(object);
  return vector.scalar == ScalarKind::U32 && vector.lanes == 3;
}

void read_axes(PyObject* object, const What& what, Axes& axes) {
  axes = {1, 1, 1};
  if (is_dim3(object)) return read_axes(checked(PySequence_Tuple(object)).ptr(), what, axes);
  if (!PyTuple_Check(object)) {
    axes[0] = read_axis(object, 0, what);
    return;
  }
  Py_ssize_t count = PyTuple_GET_SIZE(object);
  if (count < 1 || count > 3)
    throw LaunchError{DiagCode::dims_count, {what.name, what.kernel, std::to_string(count)}};
  for (int axis = 0; axis < count; ++axis)
    axes[axis] = read_axis(PyTuple_GET_ITEM(object, axis), axis, what);
}

}  // namespace

void read_grid(PyObject* object, const std::string& kernel, abi::LaunchDims& dims) {
  read_axes(object, {"grid", kernel, kGridLimits}, dims.grid);
}

void read_block(PyObject* object, const std::string& kernel, abi::LaunchDims& dims) {
  read_axes(object, {"block", kernel, kBlockLimits}, dims.block);
  int64_t threads = int64_t{1} * dims.block[0] * dims.block[1] * dims.block[2];
  if (threads > kMostThreadsOfBlock)
    throw LaunchError{DiagCode::block_threads, {kernel, shown(object), std::to_string(threads)}};
}

void read_shared(PyObject* object, const std::string& kernel, abi::LaunchDims& dims) {
  if (!PyIndex_Check(object))
    throw LaunchError{DiagCode::shared_type, {kernel, "'" + type_text(object) + "'"}};
  int64_t bytes = to_int(object, {"shared", kernel, nullptr});
  if (bytes < 0 || bytes > kMostSharedBytes)
    throw LaunchError{DiagCode::shared_limit,
                      {kernel, shown(object), std::to_string(kMostSharedBytes)}};
  dims.shared = static_cast<uint32_t>(bytes);
}

bool grid_fits_31(const abi::LaunchDims& dims) {
  for (int i = 0; i < 3; ++i)
    if (uint64_t{dims.grid[i]} * dims.block[i] >= uint64_t{1} << 31) return false;
  return true;
}

}  // namespace cuda_device::bindings
