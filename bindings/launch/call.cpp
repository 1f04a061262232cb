#include "bindings/launch/call.h"

#include <variant>

#include "bindings/known_classes.h"
#include "bindings/launch/elements.h"
#include "bindings/memory/block.h"
#include "bindings/numpy.h"
#include "bindings/source/classes.h"
#include "bindings/source/function_object.h"
#include "bindings/values/element_dtype.h"
#include "bindings/values/vector_object.h"

namespace cuda_device::bindings {
namespace {

using Kind = frontend::ArgumentType::Kind;

constexpr size_t kMaxNesting = 32;

}  // namespace

DtypeTable known_dtypes;

Owner::~Owner() {
  objects_.for_each([](PyObject* object) { Py_DECREF(object); });
  tensors_.for_each([](const Tensor& tensor) { tensor.release(tensor.thing); });
}

void Owner::keep(PyObject* object) {
  objects_.push_back(object);
  Py_INCREF(object);
}

void Owner::keep(void* tensor, void (*deleter)(void*)) { tensors_.push_back({tensor, deleter}); }

void Call::use(std::shared_ptr<MemoryBlock> block) {
  use(*block);
  blocks_.push_back(std::move(block));
}

// The handle of a default stream may be 0.
void Call::use_of_producer(int gpu, uint64_t handle) {
  for (const ProducerStream& known : producers_)
    if (known.gpu == gpu && known.handle == handle) return;
  const StreamHandle theirs =
      handle <= 1 ? StreamHandle::shared(default_stream_of(gpu)) : stream_with_handle(handle);
  const Ordering where(theirs.get(), nullptr);
  auto last_use = std::make_unique<LastUse>(gpu, where);
  last_use->hand_back_to(where);
  used_.push_back(last_use.get());
  where_.note_gpu_reaches();
  producers_.push_back({gpu, handle, std::move(last_use)});
}

const DeclaredFormat* Call::declared() const {
  const size_t index = static_cast<size_t>(position_);
  if (!declared_ || index >= declared_->size()) return nullptr;
  const DeclaredFormat* format = &(*declared_)[index];
  for (const int step : path_) {
    const auto element = format->repeats ? 0 : static_cast<size_t>(step);
    if (element >= format->elements.size()) return nullptr;
    format = &format->elements[element];
  }
  return format->number ? format : nullptr;
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

void Call::pass_on(const nb::python_error& error) const {
  (void)checked(PyObject_CallMethod(error.value().ptr(), "add_note", "s", place().c_str()));
  throw;
}

void Call::fail(DiagCode code, std::vector<std::string> args) const {
  args.insert(args.begin(), place());
  throw LaunchError{code, std::move(args)};
}

void Call::fail(const interop::Refusal& refusal) const { fail(refusal.code, refusal.args); }

void Call::add_argument(int position, PyObject* object) {
  position_ = position;
  const auto parameter = static_cast<size_t>(position);
  if (parameter < constant_.size() && constant_[parameter]) return write_plain(key, Kind::Constant);
  add_object(object);
}

void Call::add_none() { write_plain(key, Kind::None); }

void Call::add_bool(bool value) {
  uint8_t byte = value;
  add_scalar(ScalarKind::Bool, &byte);
}

void Call::add_scalar(DtypeId dtype, const void* bits) {
  write_scalar(key, dtype, known_dtypes);
  const size_t size = known_dtypes.bytes_of(dtype);
  std::memcpy(params.extend(size, known_dtypes.align_of(dtype)), bits, size);
}

void Call::add_complex(ScalarKind part, const void* bits) {
  write_complex(key, part);
  const auto bytes = static_cast<size_t>(bytes_of(part));
  std::memcpy(params.extend(2 * bytes, bytes), bits, 2 * bytes);
}

// The components are parameters of their own.
void Call::add_vector(PyObject* object) {
  const VectorObject& vector = vector_of(object);
  write_vector(key, vector.scalar, vector.lanes);
  const auto bytes = static_cast<size_t>(vector.bytes_of_component());
  std::memcpy(params.extend(bytes * vector.lanes, bytes), vector.data, bytes * vector.lanes);
}

uint32_t Call::type_index(PyObject* type) const {
  for (size_t i = 0; i < types_.size(); ++i)
    if (types_[i].ptr() == type) return static_cast<uint32_t>(i);
  throw MissingType{nb::borrow(type)};
}

// Its fields are arguments, as the elements of a tuple are.
void Call::add_struct(PyObject* instance) {
  if (path_.size() >= kMaxNesting) fail(DiagCode::argument_type, {"a struct nested this deeply"});
  PyObject* cls = reinterpret_cast<PyObject*>(Py_TYPE(instance));
  if (has_atomics(cls)) fail(DiagCode::argument_atomics, {type_text(instance)});
  const nb::object values = field_values(instance);
  write_record_value(key, type_index(cls), static_cast<uint32_t>(PyTuple_GET_SIZE(values.ptr())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values.ptr()); ++i) {
    path_.push_back(static_cast<int>(i));
    add_object(PyTuple_GET_ITEM(values.ptr(), i));
    path_.pop_back();
  }
}

// An element of an array of NumPy that is no number: a vector, a struct or a record. What it is
// made of are arguments, as the fields of a struct are; those that have parts themselves come as
// tuples.
void Call::add_element(PyObject* element) {
  const nb::object dtype = nb::object(nb::handle(element).attr("dtype"));
  interop::Refusal refusal;
  const std::optional<Elements> elements = elements_of_dtype(dtype.ptr(), refusal);
  if (!elements) fail(refusal);
  if (elements->kind == Kind::Vector) {
    const nb::object type = type_of_elements(dtype.ptr());
    hold(type(*nb::borrow<nb::tuple>(checked(PySequence_Tuple(element)))));
    return add_vector(held_.back().ptr());
  }
  if (is_atomic_type(elements->type) ||
      (is_struct_class(elements->type) && has_atomics(elements->type)))
    fail(DiagCode::argument_atomics, {type_text(element)});
  const nb::object parts = checked(PySequence_Tuple(element));
  write_record_value(key, type_index(elements->type.ptr()),
                     static_cast<uint32_t>(PyTuple_GET_SIZE(parts.ptr())));
  add_parts(parts.ptr());
}

void Call::add_parts(PyObject* parts) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); ++i) {
    path_.push_back(static_cast<int>(i));
    add_part(PyTuple_GET_ITEM(parts, i));
    path_.pop_back();
  }
}

// A number, a record within a record, or a sub-array; None of a struct takes up bytes.
void Call::add_part(PyObject* part) {
  nb::object parts;
  if (PyArray_Check(part))
    parts = checked(PySequence_Tuple(nb::object(nb::handle(part).attr("flat")).ptr()));
  else if (!PyArray_IsScalar(part, Void))
    return add_object(part);
  else if (nb::object(nb::handle(part).attr("dtype").attr("names")).is_none())
    return add_none();
  else
    parts = checked(PySequence_Tuple(part));
  write_tuple(key, static_cast<uint32_t>(PyTuple_GET_SIZE(parts.ptr())));
  add_parts(parts.ptr());
}

void Call::compare_ranges() {
  const Arrays& a = arrays_;
  if (!a.any_overlap) return;
  for (size_t i = 1; i < a.count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool overlap = a.low[i] < a.high[j] && a.low[j] < a.high[i];
      if (!overlap || !(a.writable[i] || a.writable[j])) continue;
      clear_no_alias(key, a.facts_at[i]);
      clear_no_alias(key, a.facts_at[j]);
    }
  }
}

void Call::clear_all_no_alias() {
  for (size_t i = 0; i < arrays_.count; ++i) clear_no_alias(key, arrays_.facts_at[i]);
}

void Call::add_tuple(PyObject* tuple) {
  if (path_.size() >= kMaxNesting) fail(DiagCode::argument_type, {"a tuple nested this deeply"});
  Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  const bool named = Py_TYPE(tuple) != &PyTuple_Type && is_named_tuple(tuple);
  if (named)
    write_named_tuple(key, type_index(reinterpret_cast<PyObject*>(Py_TYPE(tuple))),
                      static_cast<uint32_t>(count));
  else
    write_tuple(key, static_cast<uint32_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    path_.push_back(static_cast<int>(i));
    add_object(PyTuple_GET_ITEM(tuple, i));
    path_.pop_back();
  }
}

// The fields of a frozen dataclass are arguments, as those of a named tuple are.
void Call::add_named(PyObject* object) {
  if (path_.size() >= kMaxNesting)
    fail(DiagCode::argument_type, {"a dataclass nested this deeply"});
  const std::vector<std::string> names = field_names(object);
  write_named_tuple(key, type_index(reinterpret_cast<PyObject*>(Py_TYPE(object))),
                    static_cast<uint32_t>(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    path_.push_back(static_cast<int>(i));
    hold(nb::handle(object).attr(names[i].c_str()));
    add_object(held_.back().ptr());
    path_.pop_back();
  }
}

// The number of a member: the bits of a Flag, else its position among the members.
void Call::add_member(PyObject* member) {
  PyObject* cls = reinterpret_cast<PyObject*>(Py_TYPE(member));
  write_member(key, type_index(cls));
  const nb::handle object(member);
  if (is_flag(object)) {
    hold(object.attr("value"));
    return add_python_int(*this, held_.back().ptr());
  }
  const nb::object names = nb::handle(cls).attr("_member_names_");
  const auto position = nb::cast<uint32_t>(names.attr("index")(object.attr("name")));
  add_scalar(ScalarKind::U32, &position);
}

// Some classes have a way into kernels that others have not.
static DiagCode refusal_of(PyObject* object) {
  if (PyList_Check(object) || PyObject_CheckBuffer(object)) return DiagCode::argument_sequence;
  if (PyFunction_Check(object) || PyMethod_Check(object) || PyCFunction_Check(object) ||
      Py_TYPE(object) == func_type)
    return DiagCode::argument_function;
  if (is_enum_member(object)) return DiagCode::argument_enum;
  return PyUnicode_Check(object) ? DiagCode::argument_text : DiagCode::argument_type;
}

// Whether it is the class of an enumeration that kernels know, which Python takes long to say.
static bool has_members(PyTypeObject* type) {
  static auto* const classes = new KnownClasses<bool>;
  const bool* const known = classes->find(type);
  return known ? *known : classes->add(type, is_enumeration(reinterpret_cast<PyObject*>(type)));
}

// Classes of late, by how their objects come in: by a protocol; as arrays of NumPy, of a class that
// is derived from its own.
static KnownClasses<std::monostate> protocol_classes, array_classes;

bool Call::add_by_protocol(PyObject* object) {
  return add_exchanged(*this, object) || add_dlpack(*this, object) || add_interface(*this, object);
}

// Exact types first, most frequent first; then subclasses; then protocols.
void Call::add_object(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyArray_Type) return add_ndarray(*this, object);
  if (type == &PyLong_Type) return add_python_int(*this, object);
  if (type == &PyFloat_Type) return add_python_float(*this, object);
  if (type == &PyBool_Type) return add_bool(object == Py_True);
  if (object == Py_None) return add_none();
  if (array_classes.find(type)) return add_ndarray(*this, object);
  if (protocol_classes.find(type) && add_by_protocol(object)) return;
  if (add_own_array(*this, object)) return;
  if (PyArray_Check(object)) {
    refuse_masked(*this, object);
    array_classes.add(type);
    return add_ndarray(*this, object);
  }
  if (PyArray_IsScalar(object, Generic))
    return PyArray_IsScalar(object, Void) ? add_element(object) : add_numpy_scalar(*this, object);
  if (PyTuple_Check(object)) return add_tuple(object);
  if (add_exchanged(*this, object)) {
    protocol_classes.add(type);
    return;
  }
  if (PyLong_Check(object)) {
    if (has_members(type)) write_member(key, type_index(reinterpret_cast<PyObject*>(type)));
    return add_python_int(*this, object);
  }
  if (PyFloat_Check(object)) return add_python_float(*this, object);
  if (PyComplex_Check(object)) return add_python_complex(*this, object);
  if (is_vector(object)) return add_vector(object);
  if (is_struct(object)) return add_struct(object);
  if (is_frozen_dataclass(object)) return add_named(object);
  if (has_members(type)) return add_member(object);
  if (atomic_type_of(object).is_valid()) fail(DiagCode::argument_atomics, {type_text(object)});
  if (add_dlpack(*this, object) || add_interface(*this, object)) {
    protocol_classes.add(type);
    return;
  }
  fail(refusal_of(object), {"'" + type_text(object) + "'"});
}

}  // namespace cuda_device::bindings
