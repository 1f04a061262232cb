#include "bindings/source/entities.h"

namespace cuda_device::bindings {
namespace {

bool is_namespace(nb::handle object) { return PyModule_Check(object.ptr()); }

// Numbers and strings have no identity worth a name: math.pi is a constant.
bool is_plain_constant(nb::handle object) {
  PyObject* p = object.ptr();
  return p == Py_None || p == Py_NotImplemented || p == Py_Ellipsis || PyLong_Check(p) ||
         PyFloat_Check(p) || PyUnicode_Check(p) || PyTuple_Check(p);
}

// The formats that NumPy lacks; ml_dtypes is loaded only when one is used.
const std::string* late_format(nb::handle object) {
  static const std::unordered_map<std::string, std::string> names = {
#define FLOAT(name, text, bytes, significand, exponent, specials, overflow, dlpack, numpy, ...) \
  {numpy, "device." text},
#define STORED_FLOAT FLOAT
#include "support/scalar.def"
  };
  if (!PyType_Check(object.ptr())) return nullptr;
  auto at = names.find(reinterpret_cast<PyTypeObject*>(object.ptr())->tp_name);
  return at == names.end() ? nullptr : &at->second;
}

}  // namespace

Entities::Entities() {
  add_module("builtins", "builtins.", false);
  add_module("math", "math.", true);
  add_module("cmath", "cmath.", true);
  add_module("cuda.device", "device.", false);
  nb::module_ numpy = nb::module_::import_("numpy");
  add(numpy.attr("bool_"), "builtins.bool");
  // np.longlong and np.ulonglong are formats that np.int64 and np.uint64 already name.
  add(numpy.attr("longlong"), "device.int64");
  add(numpy.attr("ulonglong"), "device.uint64");
#define NUMPY(name, entity) add(numpy.attr(#name), entity);
#include "support/numpy_names.def"
  fixed_modules_.emplace(numpy.inc_ref().ptr(), "numpy");
  add_operators();
  for (const char* module :
       {"_in_kernels", "_itertools_in_kernels", "_numpy_in_kernels", "_operator_in_kernels"}) {
    const std::string name = std::string("cuda.device.") + module;
    nb::dict in_kernels = nb::module_::import_(name.c_str()).attr("IN_KERNELS");
    for (const auto [object, ours] : in_kernels)
      in_kernels_.emplace(object.inc_ref().ptr(), ours.inc_ref().ptr());
  }
  add(nb::module_::import_("functools").attr("partial"), "functools.partial");
  add(nb::module_::import_("functools").attr("reduce"), "functools.reduce");
  add(nb::module_::import_("dataclasses").attr("replace"), "device.replace");
  add(nb::module_::import_("typing").attr("Final"), "typing.Final");
}

void Entities::add_operators() {
  nb::module_ from = nb::module_::import_("operator");
  // Numbers do not change: operator.iadd(a, b) gives a + b.
  for (const char* name : {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift",
                           "rshift", "and_", "or_", "xor"}) {
    std::string in_place = std::string("i") + name;
    if (in_place.ends_with('_')) in_place.pop_back();
    add(from.attr(in_place.c_str()), std::string("operator.") + name);
  }
  add_module("operator", "operator.", true);
}

void Entities::add(nb::handle object, std::string name) {
  if (names_.emplace(object.ptr(), std::move(name)).second) object.inc_ref();
}

void Entities::add_module(const char* module, const std::string& prefix, bool functions_only) {
  nb::module_ from = nb::module_::import_(module);
  nb::object names = optional_attr(from, nb::str("__all__"));
  if (!names) names = nb::steal(PyObject_Dir(from.ptr()));
  for (nb::handle name : names) {
    std::string text = to_string(name);
    if (text.starts_with("_")) continue;
    // What a module only loads on demand has no place here: see late_format.
    nb::object object =
        nb::borrow(PyDict_GetItemWithError(PyModule_GetDict(from.ptr()), name.ptr()));
    if (!object || is_plain_constant(object) || is_namespace(object)) continue;
    if (functions_only && !PyCallable_Check(object.ptr())) continue;
    // device.bool and the like would be builtins under a second name: the first name given wins.
    add(object, prefix + text);
  }
  fixed_modules_.emplace(from.inc_ref().ptr(), module);
}

const std::string* Entities::find(nb::handle object) const {
  auto at = names_.find(object.ptr());
  return at == names_.end() ? late_format(object) : &at->second;
}

nb::handle Entities::in_kernels(nb::handle object) const {
  const auto at = in_kernels_.find(object.ptr());
  return at == in_kernels_.end() ? nb::handle() : nb::handle(at->second);
}

bool Entities::is_fixed_module(nb::handle module) const {
  return fixed_modules_.contains(module.ptr());
}

// Made at the first capture, when cuda.device is complete; kept for the life of the process.
// Imports may let other threads run, so no lock is held: of two tables made at once the first
// stays.
static Entities& table_of_process() {
  static Entities* table = nullptr;
  if (!table) {
    auto* made = new Entities();
    if (!table) table = made;
  }
  return *table;
}

const Entities& entities() { return table_of_process(); }

void name_entity(nb::handle object, const std::string& name) {
  table_of_process().add(object, name);
}

}  // namespace cuda_device::bindings
