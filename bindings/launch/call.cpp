#include "bindings/launch/call.h"

#include "bindings/numpy.h"
#include "interop/dlpack_abi.h"

namespace cuda_device::bindings {
namespace {

using Kind = frontend::ArgumentType::Kind;

constexpr size_t kMaxNesting = 32;

}  // namespace

Owner::~Owner() {
  for (size_t i = 0; i < count_; ++i) few_[i].release(few_[i].thing);
  for (const Entry& entry : more_) entry.release(entry.thing);
}

void Owner::keep(PyObject* object) {
  keep(Py_NewRef(object), [](void* p) { Py_DECREF(static_cast<PyObject*>(p)); });
}

void Owner::keep(void* tensor, void (*deleter)(void*)) {
  if (count_ < kInline)
    few_[count_++] = {tensor, deleter};
  else
    more_.push_back({tensor, deleter});
}

Owner& Call::owners() {
  if (!owner) owner = std::make_unique<Owner>();
  return *owner;
}

std::optional<ScalarKind> Call::declared() const {
  const size_t index = static_cast<size_t>(position_);
  if (!declared_ || !path_.empty() || index >= declared_->size()) return std::nullopt;
  return (*declared_)[index];
}

std::string Call::argument_text(int position) const {
  std::string text = "argument " + std::to_string(position + 1);
  size_t index = static_cast<size_t>(position);
  if (index < kernel_.parameters.names.size())
    text += " ('" + kernel_.parameters.names[index] + "')";
  return text;
}

std::string Call::place() const {
  std::string text = argument_text(position_);
  for (int element : path_) text += ", element " + std::to_string(element);
  return text + " of kernel '" + kernel_.name + "'";
}

void Call::fail(DiagCode code, std::vector<std::string> args) const {
  args.insert(args.begin(), place());
  throw LaunchError{code, std::move(args)};
}

void Call::fail(const interop::Refusal& refusal) const { fail(refusal.code, refusal.args); }

void Call::add_argument(int position, PyObject* object) {
  position_ = position;
  add_object(object);
}

void Call::add_none() { write_plain(key, Kind::None); }

void Call::add_bool(bool value) {
  uint8_t byte = value;
  add_scalar(ScalarKind::Bool, &byte);
}

void Call::add_weak_int(int32_t value) {
  write_plain(key, Kind::WeakInt);
  params.append(value, sizeof value);
}

void Call::add_weak_float(float value) {
  write_plain(key, Kind::WeakFloat);
  params.append(value, sizeof value);
}

void Call::add_scalar(ScalarKind scalar, const void* bits) {
  write_scalar(key, scalar);
  size_t size = static_cast<size_t>(bytes_of(scalar));
  std::memcpy(params.extend(size, size), bits, size);
}

// As abi::ParamSlot says: data, shape, strides.
void Call::add_array(const abi::ArrayView& view) {
  ArrayKnowledge known = knowledge_of(view);
  // What the host's caches are asked for; it would make two kernels of one for GPUs.
  if (view.device_type == interop::dlpack::kCuda) [[unlikely]]
    known.facts &= static_cast<FactBits>(~(CD_FACT_BIT(aligned) | CD_FACT_BIT(beyond_cache)));
  const bool compared = arrays_.count < kMaxCompared;
  if (compared) known.facts |= CD_FACT_BIT(no_alias);
  const size_t facts_at = write_array(key, view.dtype, view.ndim, known.facts);
  if (compared) {
    const size_t i = arrays_.count++;
    arrays_.low[i] = known.range.low;
    arrays_.high[i] = known.range.high;
    arrays_.writable[i] = !view.read_only;
    arrays_.facts_at[i] = facts_at;
  } else {
    for (size_t i = 0; i < arrays_.count; ++i) clear_no_alias(key, arrays_.facts_at[i]);
  }
  const auto axes = static_cast<size_t>(view.ndim);
  uint8_t* at = params.extend(8 * (1 + 2 * axes), 8);
  const auto put = [at](size_t word, const auto& value) { std::memcpy(at + 8 * word, &value, 8); };
  put(0, view.data);
  for (size_t i = 0; i < axes; ++i) {  // few: a call of memcpy would take longer
    put(1 + i, view.shape[i]);
    put(1 + axes + i, view.strides[i]);
  }
}

// Without a branch: mostly none does.
bool Call::Arrays::any_before_overlaps(size_t i) const {
  bool any = false;
  for (size_t j = 0; j < i; ++j) any |= (low[i] < high[j]) & (low[j] < high[i]);
  return any;
}

void Call::compare_ranges() {
  const Arrays& a = arrays_;
  for (size_t i = 1; i < a.count; ++i) {
    if (!a.any_before_overlaps(i)) continue;
    for (size_t j = 0; j < i; ++j) {
      const bool overlap = a.low[i] < a.high[j] && a.low[j] < a.high[i];
      if (!overlap || !(a.writable[i] || a.writable[j])) continue;
      clear_no_alias(key, a.facts_at[i]);
      clear_no_alias(key, a.facts_at[j]);
    }
  }
}

void Call::add_tuple(PyObject* tuple) {
  if (path_.size() >= kMaxNesting) fail(DiagCode::argument_type, {"a tuple nested this deeply"});
  Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  write_tuple(key, static_cast<uint32_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    path_.push_back(static_cast<int>(i));
    add_object(PyTuple_GET_ITEM(tuple, i));
    path_.pop_back();
  }
}

// Exact types first, most frequent first; then subclasses; then protocols.
void Call::add_object(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyArray_Type) return add_ndarray(*this, object);
  if (type == &PyLong_Type) return add_python_int(*this, object);
  if (type == &PyFloat_Type) return add_python_float(*this, object);
  if (type == &PyBool_Type) return add_bool(object == Py_True);
  if (object == Py_None) return add_none();
  if (add_own_array(*this, object)) return;
  if (PyArray_Check(object)) return add_ndarray(*this, object);
  if (PyArray_IsScalar(object, Generic)) return add_numpy_scalar(*this, object);
  if (PyTuple_Check(object)) return add_tuple(object);
  if (PyLong_Check(object)) return add_python_int(*this, object);  // IntEnum
  if (PyFloat_Check(object)) return add_python_float(*this, object);
  if (PyComplex_Check(object)) fail(DiagCode::argument_not_yet, {"a complex number"});
  if (add_dlpack(*this, object)) return;
  bool sequence = PyList_Check(object) || PyObject_CheckBuffer(object);
  fail(sequence ? DiagCode::argument_sequence : DiagCode::argument_type,
       {"'" + type_text(object) + "'"});
}

}  // namespace cuda_device::bindings
