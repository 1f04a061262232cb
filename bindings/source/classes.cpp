#include "bindings/source/classes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "bindings/numpy.h"
#include "bindings/source/entities.h"
#include "bindings/source/function_object.h"
#include "bindings/source/value.h"
#include "bindings/values/element_dtype.h"
#include "support/check.h"
#include "support/record_layout.h"

namespace cuda_device::bindings {
namespace {

using syntax::FieldType;
using syntax::TypeDecl;

nb::object struct_description(nb::handle cls) {
  static PyObject* const name = interned("__cuda_device_struct__").release().ptr();
  return PyType_Check(cls.ptr()) ? class_attr(cls, name) : optional_attr(cls, name);
}

FieldType named(std::string name) {
  FieldType type;
  type.name = std::move(name);
  return type;
}

struct Extent {
  uint64_t size, align;
};

// "float32x4" by its component and lanes.
std::optional<Extent> extent_of_vector(std::string_view name) {
  if (name.size() < 3 || name[name.size() - 2] != 'x') return std::nullopt;
  const std::optional<ScalarKind> scalar = scalar_named(name.substr(0, name.size() - 2));
  if (!scalar) return std::nullopt;
  const int lanes = name.back() - '0';
  const auto bytes = static_cast<uint32_t>(bytes_of(*scalar));
  return Extent{uint64_t{bytes} * static_cast<uint64_t>(lanes), vector_align(bytes, lanes)};
}

Extent extent_of_named(std::string_view name) {
  if (name == "int" || name == "float" || name == "WarpMask") return {4, 4};
  if (name == "complex" || name == "complex64") return {8, 8};
  if (name == "complex128") return {16, 16};
  if (const auto scalar = scalar_named(name)) {
    const auto bytes = static_cast<uint64_t>(bytes_of(*scalar));
    return {bytes, bytes};
  }
  const std::optional<Extent> vector = extent_of_vector(name);
  CD_CHECK(vector, "a field of the unknown type " + std::string(name));
  return *vector;
}

Extent extent_of(const FieldType& type, const syntax::Program& program) {
  switch (type.kind) {
    case FieldType::Kind::None:
      return {sizeof(void*), alignof(void*)};
    case FieldType::Kind::Named:
      return extent_of_named(type.name);
    case FieldType::Kind::Class:
      return {program.types[type.type].size, program.types[type.type].align};
    case FieldType::Kind::Array:
      break;  // no part of NumPy's dtypes
  }
  return {0, 1};
}

PyArray_Descr* descr_of(nb::handle dtype) { return reinterpret_cast<PyArray_Descr*>(dtype.ptr()); }

uint32_t size_of(nb::handle dtype) {
  return static_cast<uint32_t>(PyDataType_ELSIZE(descr_of(dtype)));
}

// "float32" of a number that kernels take, "complex64"; nothing for others.
std::optional<std::string> number_named(nb::handle dtype) {
  const PyArray_Descr* descr = descr_of(dtype);
  if (!PyArray_ISNBO(descr->byteorder)) return std::nullopt;
  if (descr->type_num == NPY_CFLOAT) return "complex64";
  if (descr->type_num == NPY_CDOUBLE) return "complex128";
  const std::optional<ScalarKind> scalar = scalar_of_type_number(descr->type_num);
  if (!scalar) return std::nullopt;
  return std::string(name_of(*scalar));
}

}  // namespace

bool is_struct_class(nb::handle object) {
  return PyType_Check(object.ptr()) && struct_description(object).is_valid();
}

nb::object atomic_type_of(nb::handle object) {
  static PyObject* const mark = interned("__cuda_device_atomic__").release().ptr();
  return PyType_Check(object.ptr()) ? nb::object() : optional_attr(object, mark);
}

bool is_atomic_type(nb::handle object) {
  return !PyType_Check(object.ptr()) && !PyArray_DescrCheck(object.ptr()) &&
         struct_description(object).is_valid();
}

bool is_aligned_type(nb::handle object) {
  static PyObject* const mark = interned("__cuda_device_aligned__").release().ptr();
  return !PyType_Check(object.ptr()) && optional_attr(object, mark).is_valid();
}

nb::object form_of_arrays(nb::handle hint) {
  if (!Py_IS_TYPE(hint.ptr(), &Py_GenericAliasType)) return {};
  if (!nb::object(hint.attr("__origin__")).is(reinterpret_cast<PyObject*>(&PyArray_Type)))
    return {};
  const nb::object known = nb::module_::import_("cuda.device._hints").attr("understood")(hint);
  return known.is_none() ? nb::object() : nb::object(known.attr("type"));
}

// What form_of_arrays gives.
static bool is_array_form(nb::handle object) {
  static PyObject* const type =
      nb::object(nb::module_::import_("cuda.device._array_hints").attr("ArrayForm"))
          .release()
          .ptr();
  return Py_TYPE(object.ptr()) == reinterpret_cast<PyTypeObject*>(type);
}

bool is_struct(PyObject* object) {
  return is_struct_class(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

static bool has_names(nb::handle cls) {
  return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls.ptr()), &PyTuple_Type) &&
         nb::hasattr(cls, "_fields");
}

static bool is_frozen(nb::handle cls) {
  static PyObject* const name = interned("__dataclass_params__").release().ptr();
  const nb::object parameters = class_attr(cls, name);
  return parameters.is_valid() && !is_struct_class(cls) &&
         nb::cast<bool>(parameters.attr("frozen"));
}

bool is_named_tuple(PyObject* object) {
  return has_names(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

bool is_frozen_dataclass(PyObject* object) {
  return is_frozen(reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

bool is_named_class(nb::handle object) {
  return PyType_Check(object.ptr()) && (has_names(object) || is_frozen(object));
}

bool is_enumeration(nb::handle object) {
  if (!PyType_Check(object.ptr())) return false;
  const nb::module_ module = nb::module_::import_("enum");
  if (PyObject_IsSubclass(object.ptr(), nb::object(module.attr("Enum")).ptr()) != 1) return false;
  auto* cls = reinterpret_cast<PyTypeObject*>(object.ptr());
  const auto is_also = [&](PyTypeObject& other) { return PyType_IsSubtype(cls, &other) != 0; };
  return nb::len(object) > 0 && !is_frozen(object) && !is_also(PyUnicode_Type) &&
         !is_also(PyFloat_Type) && !is_also(PyComplex_Type) && !is_also(PyTuple_Type) &&
         !is_also(PyBytes_Type) && !is_also(PyGenericArrType_Type);
}

bool is_flag(nb::handle member) {
  return PyObject_IsInstance(member.ptr(), nb::module_::import_("enum").attr("Flag").ptr()) == 1;
}

// Without the variables of the class, which are marked as fields of another kind.
static nb::object dataclass_fields(nb::handle object) {
  return nb::module_::import_("dataclasses").attr("fields")(object);
}

std::vector<std::string> field_names(nb::handle object) {
  std::vector<std::string> names;
  if (const nb::object tuple = optional_attr(object, nb::str("_fields")); tuple.is_valid()) {
    for (nb::handle name : tuple) names.push_back(to_string(name));
    return names;
  }
  for (nb::handle field : dataclass_fields(object))
    names.push_back(to_string(nb::object(field.attr("name"))));
  return names;
}

nb::object field_values(nb::handle instance) {
  const nb::object fields = struct_description(instance.type()).attr("fields");
  nb::list values;
  for (nb::handle field : fields) values.append(instance.attr(nb::object(field[0])));
  return nb::tuple(values);
}

uint32_t align_of_struct(nb::handle cls) {
  return nb::cast<uint32_t>(struct_description(cls).attr("align"));
}

bool has_atomics(nb::handle struct_class) {
  return nb::cast<bool>(struct_description(struct_class).attr("has_atomics"));
}

nb::object canonical_dtype(nb::handle dtype) {
  static PyObject* const known = PyDict_New();
  PyObject* found = PyDict_SetDefault(known, dtype.ptr(), dtype.ptr());
  if (!found) throw nb::python_error();
  return nb::borrow(found);
}

Classes::Classes(syntax::Program& program, std::vector<Guard>& guards, FunctionIndex function,
                 Meaning meaning)
    : program_(program),
      guards_(guards),
      function_(std::move(function)),
      meaning_(std::move(meaning)) {}

uint32_t Classes::index_of(nb::handle type) {
  for (size_t i = 0; i < objects_.size(); ++i)
    if (objects_[i].ptr() == type.ptr()) return static_cast<uint32_t>(i);
  if (is_atomic_type(type)) return add_atomic(type);
  if (is_aligned_type(type))
    return add_alias(type, type.attr("__cuda_device_aligned__"), type.attr("align"));
  if (is_array_form(type)) return add_alias(type, type, nb::int_(1));
  if (!PyType_Check(type.ptr())) return add_dtype(type);
  if (is_enumeration(type)) return add_enumeration(type);
  return is_struct_class(type) ? add_struct(type) : add_named(type);
}

// What a pattern of the class takes by position; a class without it takes nothing so.
static std::vector<std::string> match_args(nb::handle cls) {
  std::vector<std::string> names;
  const nb::object given = optional_attr(cls, nb::str("__match_args__"));
  if (!given.is_valid() || !PyTuple_Check(given.ptr())) return names;
  for (nb::handle name : given) names.push_back(to_string(name));
  return names;
}

uint32_t Classes::add(nb::handle identity, TypeDecl decl) {
  program_.types.push_back(std::move(decl));
  objects_.push_back(nb::borrow(identity));
  return static_cast<uint32_t>(objects_.size() - 1);
}

// ------------------------------------------------------------------------------------------------
// structs

uint32_t Classes::add_struct(nb::handle cls) {
  const nb::object description = struct_description(cls);
  TypeDecl made;
  made.kind = TypeDecl::Kind::Struct;
  made.name = to_string(cls.attr("__name__"));
  made.repr_name = to_string(cls.attr("__qualname__"));
  made.match_args = match_args(cls);
  read_layout(description, made);
  const nb::object defaults = description.attr("defaults");
  for (syntax::Field& field : made.fields) {
    PyObject* value = PyDict_GetItemString(defaults.ptr(), field.name.c_str());
    if (!value) continue;
    field.has_default = true;
    field.default_value = meaning_(nb::handle(value));
  }
  const uint32_t index = add(cls, std::move(made));
  read_attributes(cls, program_.types[index]);
  return index;
}

// What a decorator, collections.namedtuple or the class of enumerations makes, they make from text,
// or within themselves.
static bool is_made_for_class(nb::handle function) {
  if (to_string(nb::object(function.attr("__code__").attr("co_filename"))) == "<string>")
    return true;
  const nb::object module = nb::object(function.attr("__globals__")).attr("get")("__name__");
  return module.equal(nb::str("dataclasses")) || module.equal(nb::str("collections")) ||
         module.equal(nb::str("enum"));
}

// The first of these methods that the program defines itself; empty: none.
static std::string own_method(nb::handle cls, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const nb::object method = optional_attr(cls, nb::str(name));
    if (method.is_valid() && PyFunction_Check(method.ptr()) && !is_made_for_class(method))
      return name;
  }
  return {};
}

// The first class in the order of base classes that has the attribute itself.
static nb::handle owner_of(nb::handle cls, const char* attribute) {
  for (nb::handle base : cls.attr("__mro__"))
    if (nb::cast<bool>(nb::object(base.attr("__dict__")).attr("__contains__")(attribute)))
      return base;
  return {};
}

// The fields that a method which dataclass made looks at, those that are its `by`; nothing: it made
// none.
static std::optional<std::vector<std::string>> fields_of_method(nb::handle cls, const char* method,
                                                                const char* by = "compare") {
  const nb::handle owner = owner_of(cls, method);
  if (!owner.is_valid() || !is_frozen(owner)) return std::nullopt;
  std::vector<std::string> names;
  for (nb::handle field : dataclass_fields(owner))
    if (nb::cast<bool>(field.attr(by))) names.push_back(to_string(nb::object(field.attr("name"))));
  return names;
}

static bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

static nb::object named_tuple_default(nb::handle cls, const std::string& name) {
  const nb::object given = nb::getattr(cls, "_field_defaults", nb::dict());
  if (!nb::isinstance<nb::dict>(given)) return {};  // a class that only looks like a named tuple
  const auto defaults = nb::borrow<nb::dict>(given);
  const nb::str key(name.c_str());
  return defaults.contains(key) ? nb::object(defaults[key]) : nb::object();
}

// A default that a function makes is made once, when the kernel is captured.
static nb::object dataclass_default(nb::handle cls, const std::string& name) {
  const nb::object field = nb::object(cls.attr("__dataclass_fields__"))[name.c_str()];
  const nb::object missing = nb::module_::import_("dataclasses").attr("MISSING");
  if (nb::object value = field.attr("default"); !value.is(missing)) return value;
  if (nb::object factory = field.attr("default_factory"); !factory.is(missing)) return factory();
  return {};
}

// What field() and dataclass() say about making and comparing instances.
static void read_dataclass(nb::handle cls, TypeDecl& made) {
  const nb::object by_name = cls.attr("__dataclass_fields__");
  const auto equality = fields_of_method(cls, "__eq__"), order = fields_of_method(cls, "__lt__"),
             shown = fields_of_method(cls, "__repr__", "repr");
  if (shown) made.repr_name = to_string(cls.attr("__qualname__"));
  made.has_equality = equality.has_value();
  made.is_ordered = order.has_value();
  for (syntax::Field& field : made.fields) {
    const nb::object declared = by_name[field.name.c_str()];
    field.is_given = nb::cast<bool>(declared.attr("init"));
    field.is_positional = field.is_given && !nb::cast<bool>(declared.attr("kw_only"));
    field.in_equality = equality && contains(*equality, field.name);
    field.in_order = order && contains(*order, field.name);
    field.in_repr = shown && contains(*shown, field.name);
    if (!field.is_given && !field.has_default && made.made_by.empty())
      made.made_by = "field(init=False)";
  }
  const nb::object only_given = nb::module_::import_("dataclasses").attr("_FIELD_INITVAR");
  for (nb::handle declared : by_name.attr("values")())
    if (nb::object(declared.attr("_field_type")).is(only_given) && made.made_by.empty())
      made.made_by = "InitVar";
}

uint32_t Classes::add_named(nb::handle cls) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::NamedTuple;
  made.name = to_string(cls.attr("__name__"));
  made.match_args = match_args(cls);
  made.is_tuple = has_names(cls);
  made.has_own_iter = made.is_tuple && !own_method(cls, {"__iter__"}).empty();
  made.made_by = made.is_tuple ? own_method(cls, {"__new__", "__init__"})
                               : own_method(cls, {"__new__", "__init__", "__post_init__"});
  for (const std::string& name : field_names(cls)) {
    syntax::Field field;
    field.name = name;
    field.type.kind = FieldType::Kind::None;
    const nb::object value =
        made.is_tuple ? named_tuple_default(cls, name) : dataclass_default(cls, name);
    field.has_default = value.is_valid();
    if (field.has_default) field.default_value = meaning_(value);
    made.fields.push_back(std::move(field));
  }
  if (made.is_tuple)
    made.repr_name = made.name;
  else
    read_dataclass(cls, made);
  const uint32_t index = add(cls, std::move(made));
  read_attributes(cls, program_.types[index]);
  for (nb::handle base : cls.attr("__mro__")) {
    if (base.is(cls) || !is_named_class(base) || entities().find(base)) continue;
    const uint32_t at = index_of(base);
    program_.types[index].bases.push_back(at);
  }
  return index;
}

uint32_t Classes::add_enumeration(nb::handle cls) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::Enumeration;
  made.name = to_string(cls.attr("__name__"));
  made.repr_name = to_string(cls.attr("__qualname__"));
  const uint32_t index = add(cls, std::move(made));
  const auto meaning = [&](nb::handle member) {
    return constant_of(member, [this](nb::handle type) { return index_of(type); }).value();
  };
  for (nb::handle member : cls) program_.types[index].members.push_back(meaning(member));
  for (nb::handle item : nb::object(cls.attr("__members__").attr("items")()))
    program_.types[index].members_by_name[to_string(nb::object(item[0]))] =
        meaning(nb::object(item[1]));
  if (PyObject_HasAttrString(cls.ptr(), "_boundary_") && !cls.attr("_boundary_").is_none())
    program_.types[index].boundary = to_string(nb::object(cls.attr("_boundary_").attr("value")));
  read_attributes(cls, program_.types[index]);
  return index;
}

FieldType Classes::field_type(nb::handle hint) {
  if (hint.is_none() || hint.is(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(Py_None))))) {
    FieldType none;
    none.kind = FieldType::Kind::None;
    return none;
  }
  if (const std::string* entity = entities().find(hint))
    return named(entity->substr(entity->find('.') + 1));
  FieldType type;
  type.kind = FieldType::Kind::Class;
  if (is_struct_class(hint) || is_atomic_type(hint)) {
    type.type = index_of(hint);
    return type;
  }
  if (is_array_form(hint)) return array_type(hint);
  CD_CHECK(nb::hasattr(hint, "fields"), "a hint that the decorator lets through");
  type.type = add_tuple(hint);
  return type;
}

// An array: its elements are numbers of one type, or anything.
FieldType Classes::array_type(nb::handle hint) {
  const nb::object element = hint.attr("element");
  FieldType type = element.is_none() ? FieldType{} : field_type(element);
  type.kind = FieldType::Kind::Array;
  type.ndim = nb::cast<int>(nb::object(hint.attr("ndim")));
  return type;
}

// tuple[int, float], whose layout the decorator has made.
uint32_t Classes::add_tuple(nb::handle layout) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::Tuple;
  made.name = "tuple";
  read_layout(layout, made);
  return add(layout, std::move(made));
}

// What Python keeps one object of for each T and alignment.
uint32_t Classes::add_atomic(nb::handle type) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::Atomic;
  made.name = to_string(type.attr("__name__"));
  read_layout(struct_description(type), made);
  return add(type, std::move(made));
}

// What stands for another type: device.align(T, n), the hint of an array.
uint32_t Classes::add_alias(nb::handle type, nb::handle field, nb::handle align) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::Alias;
  made.name = "alias";
  made.align = nb::cast<uint32_t>(align);
  syntax::Field of;
  of.type = field_type(field);
  made.fields.push_back(std::move(of));
  return add(type, std::move(made));
}

void Classes::read_layout(nb::handle layout, TypeDecl& decl) {
  decl.size = nb::cast<uint32_t>(layout.attr("size"));
  decl.align = nb::cast<uint32_t>(layout.attr("align"));
  for (nb::handle entry : layout.attr("fields")) {
    syntax::Field field;
    field.name = to_string(nb::object(entry[0]));
    field.type = field_type(nb::object(entry[1]));
    field.offset = nb::cast<uint32_t>(nb::object(entry[2]));
    decl.fields.push_back(std::move(field));
  }
}

// Whether the program defines an operator by this method. What a decorator makes, it makes from
// text: dataclasses compare fields, as kernels do by themselves.
static bool is_operator_method(const std::string& name, nb::handle value) {
  static constexpr std::array kOperators = {"add", "sub", "mul",    "truediv", "floordiv",
                                            "mod", "pow", "lshift", "rshift",  "and",
                                            "or",  "xor", "matmul"};
  static constexpr std::array kOthers = {"neg",  "pos",  "invert",   "abs", "eq",      "ne",
                                         "lt",   "le",   "gt",       "ge",  "getitem", "len",
                                         "bool", "call", "contains", "str", "repr",    "format"};
  if (!name.starts_with("__") || !name.ends_with("__") || name.size() < 5) return false;
  const std::string_view inner = std::string_view(name).substr(2, name.size() - 4);
  const auto is_one_of = [](std::string_view word, const auto& words) {
    return std::ranges::find(words, word) != words.end();
  };
  const bool known = is_one_of(inner, kOperators) || is_one_of(inner, kOthers) ||
                     ((inner.starts_with('r') || inner.starts_with('i')) &&
                      is_one_of(inner.substr(1), kOperators));
  if (!known) return false;
  if (as_function_object(value.ptr())) return true;
  if (!PyFunction_Check(value.ptr())) return false;
  return !is_made_for_class(value);
}

// What all named tuples have, and Python's own classes behind them.
static bool is_of_named_tuples(const std::string& name) {
  static constexpr std::array kNames = {"_make",   "_replace",        "_asdict",
                                        "_fields", "_field_defaults", "_field_types"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Members, and what the class keeps of them.
static bool is_of_enumerations(const std::string& name, nb::handle value, const TypeDecl& decl) {
  const bool kept = name.starts_with('_') && name.ends_with('_') && !name.starts_with("__") &&
                    name != "_missing_";
  const bool callable = PyFunction_Check(value.ptr()) || as_function_object(value.ptr()) ||
                        Py_TYPE(value.ptr()) == &PyProperty_Type ||
                        Py_TYPE(value.ptr()) == &PyStaticMethod_Type ||
                        Py_TYPE(value.ptr()) == &PyClassMethod_Type;
  return kept || !callable || decl.members_by_name.contains(name);
}

static bool is_pythons_own(nb::handle base) {
  const std::string module = to_string(nb::object(base.attr("__module__")));
  return module == "builtins" || module == "typing" || module == "enum";
}

// What a decorator made, or Python has: it may be replaced later.
void Classes::guard_comparisons(nb::handle cls, const TypeDecl& decl) {
  for (const char* name : {"__eq__", "__lt__", "__repr__", "__str__", "__format__"})
    if (!decl.attributes.contains(name))
      guards_.push_back({Guard::Kind::Attribute,
                         nb::borrow(cls),
                         interned(name),
                         optional_attr(cls, interned(name)),
                         {}});
}

void Classes::read_attributes(nb::handle cls, TypeDecl& decl) {
  std::set<std::string> hidden_ones;  // of a derived class, which hide those of its bases
  for (nb::handle base : cls.attr("__mro__")) {
    if (is_pythons_own(base)) continue;
    const nb::object members = nb::steal(PyMapping_Items(nb::object(base.attr("__dict__")).ptr()));
    for (nb::handle item : members) {
      const std::string name = to_string(nb::object(item[0]));
      const bool is_field = std::ranges::any_of(
          decl.fields, [&](const syntax::Field& field) { return field.name == name; });
      const bool made = name == "underlying" || name == "numpy_dtype" ||  // by the decorator
                        (decl.is_tuple && is_of_named_tuples(name)) ||
                        (decl.kind == TypeDecl::Kind::Enumeration &&
                         is_of_enumerations(name, nb::object(item[1]), decl));
      const bool hidden = name.starts_with("__") && !is_operator_method(name, nb::object(item[1]));
      if (hidden) hidden_ones.insert(name);
      if (hidden_ones.contains(name) || made || is_field || decl.attributes.contains(name))
        continue;
      read_attribute(name, nb::object(item[1]), decl);
      guard_attribute(cls, name, name, decl);
    }
  }
  read_supers(cls, decl);
  guard_comparisons(cls, decl);
}

// `as`: what the attribute is called in the declaration.
void Classes::guard_attribute(nb::handle cls, const std::string& name, const std::string& as,
                              const TypeDecl& decl) {
  nb::object found = optional_attr(cls, interned(name.c_str()));
  const bool of_class = decl.class_methods.contains(as);
  if (of_class) found = found.attr("__func__");
  Guard guard{of_class ? Guard::Kind::ClassMethod : Guard::Kind::Attribute,
              nb::borrow(cls),
              interned(name.c_str()),
              std::move(found),
              {}};
  if (const syntax::Binding& read = decl.attributes.at(as);
      read.kind == syntax::Binding::Kind::Constant)
    guard.constant = std::make_shared<const syntax::Value>(read.value);
  guards_.push_back(std::move(guard));
}

// The function of a property, a static method or a class method; others as they are.
static nb::object behind(nb::handle value) {
  if (Py_TYPE(value.ptr()) == &PyProperty_Type) return value.attr("fget");
  const bool of_class =
      Py_TYPE(value.ptr()) == &PyStaticMethod_Type || Py_TYPE(value.ptr()) == &PyClassMethod_Type;
  return of_class ? nb::object(value.attr("__func__")) : nb::borrow(value);
}

static bool is_function(nb::handle object) {
  return as_function_object(object.ptr()) || PyFunction_Check(object.ptr());
}

static nb::object code_of(nb::handle function) {
  FunctionObject* decorated = as_function_object(function.ptr());
  return nb::handle(decorated ? decorated->underlying : function.ptr()).attr("__code__");
}

// What `super()` finds from each method that asks for it.
void Classes::read_supers(nb::handle cls, TypeDecl& decl) {
  const nb::object order = cls.attr("__mro__");
  for (size_t k = 0; k < nb::len(order); ++k) {
    const nb::object from = nb::object(order[k]);
    if (is_pythons_own(from)) continue;
    for (nb::handle value : nb::object(from.attr("__dict__")).attr("values")()) {
      const nb::object method = behind(value);
      if (!is_function(method)) continue;
      const nb::object code = code_of(method);
      if (!nb::cast<bool>(code.attr("co_freevars").attr("__contains__")("__class__"))) continue;
      for (nb::handle name : nb::object(code.attr("co_names")))
        read_super(order, k + 1, to_string(name), function_(method), decl);
    }
  }
}

// From the class of this number in the order of base classes on.
void Classes::read_super(nb::handle order, size_t from, const std::string& name, uint32_t method,
                         TypeDecl& decl) {
  for (size_t k = from; k < nb::len(order); ++k) {
    const nb::object base = nb::object(order[k]), members = base.attr("__dict__");
    if (is_pythons_own(base) || !nb::cast<bool>(members.attr("__contains__")(name))) continue;
    const nb::object found = members[name.c_str()];
    const std::string as = syntax::name_of_super(method, name);
    if (name.starts_with("__") && !is_operator_method(name, found)) return;
    read_attribute(as, found, decl);
    return guard_attribute(base, name, as, decl);
  }
}

void Classes::read_attribute(const std::string& name, nb::handle value, TypeDecl& decl) {
  const nb::object target = behind(value);
  if (Py_TYPE(value.ptr()) == &PyProperty_Type) decl.properties.insert(name);
  if (Py_TYPE(value.ptr()) == &PyStaticMethod_Type) decl.static_methods.insert(name);
  if (Py_TYPE(value.ptr()) == &PyClassMethod_Type) decl.class_methods.insert(name);
  if (!is_function(target)) {
    const auto index = [this](nb::handle type) { return index_of(type); };
    std::optional<syntax::Binding> array = array_binding(target, index);
    decl.attributes[name] = array ? std::move(*array) : meaning_(target);
    return;
  }
  syntax::Binding binding;
  binding.kind = syntax::Binding::Kind::Function;
  binding.name = name.substr(name.rfind('.') + 1);  // without what name_of_super adds
  binding.function = function_(target);
  decl.attributes[name] = std::move(binding);
}

// ------------------------------------------------------------------------------------------------
// structured dtypes

uint32_t Classes::add_dtype(nb::handle dtype) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::Fields;
  made.name = "record";
  made.size = size_of(dtype);
  made.align = static_cast<uint32_t>(PyDataType_ALIGNMENT(descr_of(dtype)));
  const nb::object fields = dtype.attr("fields");
  for (nb::handle name : dtype.attr("names")) {
    const nb::object place = fields[name];
    syntax::Field field;
    field.name = to_string(name);
    field.type = field_of_dtype(nb::object(place[0]));
    field.offset = nb::cast<uint32_t>(place[1]);
    made.fields.push_back(std::move(field));
  }
  return add(dtype, std::move(made));
}

FieldType Classes::field_of_dtype(nb::handle dtype) {
  if (const std::optional<std::string> number = number_named(dtype)) return named(*number);
  if (const nb::object cls = type_of_elements(dtype.ptr()); cls.is_valid()) return field_type(cls);
  FieldType type;
  type.kind = FieldType::Kind::Class;
  type.type = PyDataType_HASSUBARRAY(descr_of(dtype)) ? add_sub_array(dtype)
                                                      : index_of(canonical_dtype(dtype));
  return type;
}

uint32_t Classes::add_sub_array(nb::handle dtype) {
  TypeDecl made;
  made.kind = TypeDecl::Kind::SubArray;
  made.name = "sub-array";
  made.size = size_of(dtype);
  const nb::object shape = dtype.attr("shape");
  for (nb::handle extent : shape) made.shape.push_back(nb::cast<int64_t>(extent));
  syntax::Field field;
  field.type = field_of_dtype(nb::object(dtype.attr("base")));
  made.align = static_cast<uint32_t>(extent_of(field.type, program_).align);
  made.fields.push_back(std::move(field));
  return add({}, std::move(made));
}

}  // namespace cuda_device::bindings
