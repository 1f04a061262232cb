// The types: one for each format and number of components, from scalar.def, under device.Vector.
#include "bindings/python.h"
// python.h first.
#include <structmember.h>

#include <array>
#include <cstring>
#include <unordered_map>

#include "bindings/errors.h"
#include "bindings/numpy.h"
#include "bindings/values/component.h"
#include "bindings/values/element_dtype.h"
#include "bindings/values/vector_object.h"
#include "bindings/values/vector_slots.h"

namespace cuda_device::bindings {
namespace {

struct VectorFormat {
  ScalarKind scalar;
  int lanes;
};

PyTypeObject* base_type = nullptr;  // device.Vector
std::array<std::array<PyTypeObject*, kMostVectorLanes>, kScalarCount> types = {};
// Types are the process's, and none ever ends.
std::unordered_map<PyTypeObject*, VectorFormat> formats;

// Null of what is no vector type.
const VectorFormat* format_of(PyTypeObject* type) {
  for (; type; type = type->tp_base)
    if (const auto at = formats.find(type); at != formats.end()) return &at->second;
  return nullptr;
}

bool has_vectors(ScalarKind scalar) { return is_int(scalar) || is_float(scalar); }

PyTypeObject* as_type(PyObject* object) { return reinterpret_cast<PyTypeObject*>(object); }
PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

// --- construction ---

nb::object construct(PyTypeObject* type, PyObject* const* values, Py_ssize_t count) {
  const VectorFormat* format = format_of(type);
  if (!format)
    throw nb::type_error(
        "device.Vector is what vector types have in common; make one of them: "
        "device.float32x4(0, 0, 0, 0)");
  if (count != format->lanes) {
    const std::string name = short_name(type), expected = std::to_string(format->lanes);
    throw nb::type_error((name + "() takes " + expected + " component" +
                          (format->lanes == 1 ? "" : "s") + ", found " + std::to_string(count))
                             .c_str());
  }
  nb::object made = make_vector(type, nullptr);
  VectorObject& vector = vector_of(made.ptr());
  for (int i = 0; i < format->lanes; ++i)
    store_component(format->scalar, vector.component(i), values[i], {short_name(type), i});
  return made;
}

void refuse_keywords(PyTypeObject* type, bool given) {
  if (given)
    throw nb::type_error(
        (std::string(short_name(type)) + "() takes its components in order, without names")
            .c_str());
}

PyObject* call_type(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  return guarded([&] {
    refuse_keywords(as_type(type), names && PyTuple_GET_SIZE(names) > 0);
    return construct(as_type(type), args, PyVectorcall_NARGS(flags));
  });
}

PyObject* new_vector(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return guarded([&] {
    refuse_keywords(type, keywords && PyDict_GET_SIZE(keywords) > 0);
    return construct(type, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args));
  });
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// --- components by name ---

PyObject* get_named(PyObject* self, void* index) {
  const VectorObject& vector = vector_of(self);
  const auto i = static_cast<int>(reinterpret_cast<intptr_t>(index));
  return guarded([&] { return load_component(vector.scalar, vector.component(i)); });
}

int refuse_named(PyObject* self, PyObject*, void* index) {
  const auto i = reinterpret_cast<intptr_t>(index);
  PyErr_Format(PyExc_AttributeError, "component %c of %s is read-only; write v[%d] = value",
               "xyzw"[i], short_name(Py_TYPE(self)), static_cast<int>(i));
  return -1;
}

constexpr const char* kComponentDocs[] = {"The first component.", "The second component.",
                                          "The third component.", "The fourth component."};
constexpr const char* kComponentNames[] = {"x", "y", "z", "w"};

PyGetSetDef property_of(int i) {
  return {kComponentNames[i], get_named, refuse_named, kComponentDocs[i],
          reinterpret_cast<void*>(static_cast<intptr_t>(i))};
}

// --- attributes of the types, which instances have too ---

using ValueOfType = nb::object (*)(ScalarKind, int lanes);

struct TypeAttribute {
  PyObject_HEAD ValueOfType value;
  const char* doc;
};

nb::object size_of(ScalarKind, int lanes) { return nb::int_(lanes); }
nb::object number_class_of(ScalarKind scalar, int) { return dtype_of_scalar(scalar).attr("type"); }

// Gives the attribute itself for device.Vector, which has no value.
PyObject* get_of_type(PyObject* self, PyObject*, PyObject* type) {
  const VectorFormat* format = type ? format_of(as_type(type)) : nullptr;
  if (!format) return Py_NewRef(self);
  const ValueOfType value = reinterpret_cast<TypeAttribute*>(self)->value;
  return guarded([&] { return value(format->scalar, format->lanes); });
}

PyMemberDef attribute_members[] = {
    {"__doc__", T_STRING, offsetof(TypeAttribute, doc), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject* make_type(PyType_Spec spec, PyTypeObject* base) {
  const nb::object bases =
      base ? nb::object(nb::make_tuple(nb::handle(as_object(base)))) : nb::object();
  return as_type(checked(PyType_FromSpecWithBases(&spec, bases.ptr())).release().ptr());
}

void add_type_attributes(PyTypeObject* to) {
  PyType_Slot slots[] = {{Py_tp_descr_get, reinterpret_cast<void*>(get_of_type)},
                         {Py_tp_members, attribute_members},
                         {0, nullptr}};
  PyTypeObject* type = make_type({"cuda.device._core.VectorTypeAttribute", sizeof(TypeAttribute), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots},
                                 nullptr);
  const auto add = [&](const char* name, ValueOfType value, const char* doc) {
    nb::object made = checked(type->tp_alloc(type, 0));
    auto& attribute = *reinterpret_cast<TypeAttribute*>(made.ptr());
    attribute.value = value;
    attribute.doc = doc;
    checked(PyObject_SetAttrString(as_object(to), name, made.ptr()));
  };
  add("size", size_of, "How many components it has.");
  add("dtype", number_class_of, "The format of its components: device.float32 of a float32x4.");
  constexpr const char* kDtypeDoc =
      "NumPy's structured dtype with fields x, y, z, w, its size and its alignment. NumPy 2.4 and "
      "later take the vector type itself for it.";
  add("numpy_dtype", numpy_dtype_of_vector, kDtypeDoc);
  add("__numpy_dtype__", numpy_dtype_of_vector, kDtypeDoc);
}

// --- the types ---

constexpr const char* kBaseDoc =
    "What vectors of one to four numbers have in common: size, dtype, components by index and by "
    "name (x, y, z, w), arithmetic component by component. isinstance(v, device.Vector).";

PyTypeObject* make_base() {
  std::vector<PyType_Slot> slots = vector_slots();
  slots.push_back({Py_tp_new, reinterpret_cast<void*>(new_vector)});
  slots.push_back({Py_tp_dealloc, reinterpret_cast<void*>(deallocate)});
  slots.push_back({Py_tp_doc, const_cast<char*>(kBaseDoc)});
  slots.push_back({0, nullptr});
  PyTypeObject* type = make_type({"cuda.device.Vector", sizeof(VectorObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()},
                                 nullptr);
  // NumPy's scalars and arrays leave operators to vectors.
  checked(PyObject_SetAttrString(as_object(type), "__array_ufunc__", Py_None));
  add_type_attributes(type);
  // Like the types below, from here on.
  type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  return type;
}

// `name` and `properties` live as long as the type.
PyTypeObject* make_derived(const char* name, const std::string& doc, PyTypeObject* base,
                           PyGetSetDef* properties, unsigned flags) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(doc.c_str())},
                         {properties ? Py_tp_getset : 0, properties},
                         {0, nullptr}};
  const auto all_flags = static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE);
  PyTypeObject* type = make_type({name, sizeof(VectorObject), 0, all_flags | flags, slots}, base);
  type->tp_vectorcall = call_type;
  return type;
}

PyTypeObject* make_vector_type(ScalarKind scalar, int lanes) {
  static std::array<std::array<PyGetSetDef, kMostVectorLanes + 1>, kMostVectorLanes> all = {};
  PyGetSetDef* properties = all[static_cast<size_t>(lanes - 1)].data();
  for (int i = 0; i < lanes; ++i) properties[i] = property_of(i);
  const std::string number(name_of(scalar));
  const std::string name = "cuda.device." + number + "x" + std::to_string(lanes);
  const std::string doc = "A vector of " + std::to_string(lanes) + " " + number +
                          (lanes == 1 ? "" : "s") + ": " + number + "x" + std::to_string(lanes) +
                          (lanes == 1   ? "(x)"
                           : lanes == 2 ? "(x, y)"
                           : lanes == 3 ? "(x, y, z)"
                                        : "(x, y, z, w)") +
                          ". Raises TypeError for another count or for what is no real number, "
                          "OverflowError for a Python number beyond the format's range.";
  // Dim3 is a subclass of uint32x3; others have none.
  const bool has_subclass = scalar == ScalarKind::U32 && lanes == 3;
  static std::vector<std::unique_ptr<std::string>> names;  // tp_name points into them
  names.push_back(std::make_unique<std::string>(name));
  PyTypeObject* type = make_derived(names.back()->c_str(), doc, base_type, properties,
                                    has_subclass ? Py_TPFLAGS_BASETYPE : 0);
  formats.emplace(type, VectorFormat{scalar, lanes});
  return type;
}

constexpr const char* kDim3Doc =
    "The type of thread_idx, block_idx, block_dim and grid_dim, a uint32x3. launch takes one as "
    "grid "
    "and block.";

}  // namespace

bool is_vector(PyObject* object) {
  return PyObject_TypeCheck(object, base_type) && format_of(Py_TYPE(object));
}

const void* data_of_vector(PyObject* vector) { return vector_of(vector).data; }

bool is_vector_type(PyTypeObject* type) { return format_of(type) != nullptr; }
ScalarKind scalar_of_vector(PyTypeObject* type) { return format_of(type)->scalar; }
int lanes_of_vector(PyTypeObject* type) { return format_of(type)->lanes; }

PyTypeObject* vector_type(ScalarKind scalar, int lanes) {
  if (lanes < 1 || lanes > kMostVectorLanes) return nullptr;
  return types[static_cast<size_t>(scalar)][static_cast<size_t>(lanes - 1)];
}

nb::object make_vector(PyTypeObject* type, const void* data) {
  const VectorFormat format = *format_of(type);
  nb::object made = checked(type->tp_alloc(type, 0));
  VectorObject& vector = vector_of(made.ptr());
  vector.scalar = format.scalar;
  vector.lanes = static_cast<uint8_t>(format.lanes);
  if (data) std::memcpy(vector.data, data, vector.bytes());
  return made;
}

const char* short_name(PyTypeObject* type) {
  const char* dot = std::strrchr(type->tp_name, '.');
  return dot ? dot + 1 : type->tp_name;
}

void register_vectors(nb::module_& module) {
  base_type = make_base();
  const auto add = [&](PyTypeObject* type) {
    module.attr(short_name(type)) = nb::handle(as_object(type));
  };
  add(base_type);
  for (int i = 0; i < kScalarCount; ++i)
    for (int lanes = 1; lanes <= kMostVectorLanes; ++lanes)
      if (const auto scalar = static_cast<ScalarKind>(i); has_vectors(scalar))
        add(types[static_cast<size_t>(i)][static_cast<size_t>(lanes - 1)] =
                make_vector_type(scalar, lanes));
  add(make_derived("cuda.device.Dim3", kDim3Doc, vector_type(ScalarKind::U32, 3), nullptr, 0));
}

}  // namespace cuda_device::bindings
