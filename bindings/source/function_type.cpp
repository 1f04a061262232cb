// The Python types Kernel and Func.
#include "bindings/source/function_object.h"
// After Python.h.
#include <structmember.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/errors.h"
#include "bindings/source/entities.h"
#include "bindings/source/file_change.h"

namespace cuda_device::bindings {

PyTypeObject* kernel_type = nullptr;
PyTypeObject* func_type = nullptr;

namespace {

FunctionObject* self_of(PyObject* object) { return reinterpret_cast<FunctionObject*>(object); }

// A kernel is no function of the host.
PyObject* call_kernel(PyObject* self, PyObject* const*, size_t, PyObject*) {
  const std::string& name = self_of(self)->state->name;
  return raise_launch_error(DiagCode::kernel_called, {name});
}

// A function that a decorator declares to be the device's alone.
PyObject* call_device_function(PyObject* self, PyObject* const*, size_t, PyObject*) {
  return raise_launch_error(DiagCode::device_function_called, {self_of(self)->state->name});
}

PyObject* subscript_kernel(PyObject* self, PyObject*) {
  const std::string& name = self_of(self)->state->name;
  return raise_launch_error(DiagCode::kernel_subscripted, {name});
}

// On the host a @func function is the Python function.
PyObject* call_func(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return PyObject_Vectorcall(self_of(self)->underlying, args, nargsf, names);
}

// A function in a class is a method.
PyObject* bind_func(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

PyObject* represent(PyObject* self) {
  FunctionState& state = *self_of(self)->state;
  const char* kind = state.kind == syntax::FunctionKind::Kernel  ? "kernel"
                     : state.kind == syntax::FunctionKind::Plain ? "device function"
                                                                 : "func";
  return PyUnicode_FromFormat("<cuda.device.%s %s>", kind, state.name.c_str());
}

PyObject* signature(PyObject* self, void*) {
  return guarded([&] {
    return nb::module_::import_("inspect").attr("signature")(nb::handle(self_of(self)->underlying));
  });
}

// cuda.device.<module>.<name>(self, ...)
PyObject* call_python(const char* module, const char* name, PyObject* self, PyObject* args,
                      PyObject* keywords) {
  return guarded([&] {
    nb::object function = nb::module_::import_(module).attr(name);
    nb::object all = checked(PySequence_Concat(nb::make_tuple(nb::handle(self)).ptr(), args));
    return checked(PyObject_Call(function.ptr(), all.ptr(), keywords));
  });
}

PyObject* inspect(PyObject* self, PyObject* args, PyObject* keywords) {
  return call_python("cuda.device._inspect", "inspect", self, args, keywords);
}

PyObject* stats(PyObject* self, PyObject* args, PyObject* keywords) {
  return call_python("cuda.device._stats", "stats", self, args, keywords);
}

PyObject* reduce(PyObject* self, PyObject* args) {
  return call_python("cuda.device._pickling", "reduce", self, args, nullptr);
}

PyObject* definition(PyObject* self, void*) {
  return guarded([&] {
    return nb::module_::import_("cuda.device._pickling").attr("definition")(nb::handle(self));
  });
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  FunctionObject* self = self_of(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->underlying);
  Py_VISIT(self->dict);
  if (!self->state) return 0;
  Py_VISIT(self->state->code.ptr());
  Py_VISIT(self->state->lines.ptr());
  for (const nb::object& type : self->state->argument_types) Py_VISIT(type.ptr());
  for (const auto& variant : self->state->variants) {
    // A variant that a launch holds too is reachable from there.
    if (variant.use_count() > 1) continue;
    for (const Guard& guard : variant->guards) {
      Py_VISIT(guard.owner.ptr());
      Py_VISIT(guard.expected.ptr());
    }
    for (const nb::object& type : variant->types) Py_VISIT(type.ptr());
  }
  return 0;
}

int clear(PyObject* object) {
  FunctionObject* self = self_of(object);
  Py_CLEAR(self->underlying);
  Py_CLEAR(self->dict);
  if (self->state) {
    self->state->variants.clear();
    self->state->argument_types.clear();
  }
  return 0;
}

void deallocate(PyObject* object) {
  FunctionObject* self = self_of(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  clear(object);
  if (self->state && self->state->kernel) cd_rt_kernel_release(self->state->kernel);
  delete self->state;
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* no_constructor(PyTypeObject* type, PyObject*, PyObject*) {
  return PyErr_Format(PyExc_TypeError, "%s objects are made by @kernel and @func", type->tp_name);
}

PyMemberDef members[] = {
    {"underlying", T_OBJECT, offsetof(FunctionObject, underlying), READONLY,
     "The decorated Python function."},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakrefs), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__signature__", signature, nullptr, "Signature of the decorated function.", nullptr},
    {"__definition__", definition, nullptr, "What pickle takes instead.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// The first is of kernels only.
PyMethodDef methods[] = {
    {"stats", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(stats)),
     METH_VARARGS | METH_KEYWORDS,
     "What a launch with these arguments takes of the machine: a Stats. Nothing is launched."},
    {"__reduce_ex__", reduce, METH_VARARGS, nullptr},
    {"inspect", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(inspect)),
     METH_VARARGS | METH_KEYWORDS,
     "What the compiler makes of it for these arguments, stage by stage. Nothing is launched."},
    {nullptr, nullptr, 0, nullptr}};

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

PyTypeObject* make_type(const char* name, bool kernel) {
  std::vector<PyType_Slot> slots = {{Py_tp_dealloc, slot(deallocate)},
                                    {Py_tp_traverse, slot(traverse)},
                                    {Py_tp_clear, slot(clear)},
                                    {Py_tp_repr, slot(represent)},
                                    {Py_tp_call, slot(PyVectorcall_Call)},
                                    {Py_tp_new, slot(no_constructor)},
                                    {Py_tp_members, members},
                                    {Py_tp_getset, properties},
                                    {Py_tp_methods, kernel ? methods : methods + 1}};
  if (kernel)
    slots.push_back({Py_mp_subscript, slot(subscript_kernel)});
  else
    slots.push_back({Py_tp_descr_get, slot(bind_func)});
  slots.push_back({0, nullptr});
  PyType_Spec spec{name, sizeof(FunctionObject), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                       Py_TPFLAGS_IMMUTABLETYPE,
                   slots.data()};
  return reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
}

Parameters parameters_of(nb::handle function) {
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GetCode(function.ptr()));
  nb::object names = nb::handle(reinterpret_cast<PyObject*>(code)).attr("co_varnames");
  Parameters parameters;
  parameters.positional = code->co_argcount;
  PyObject* defaults = PyFunction_GetDefaults(function.ptr());
  parameters.required = code->co_argcount - (defaults ? PyTuple_GET_SIZE(defaults) : 0);
  parameters.variadic = code->co_flags & (CO_VARARGS | CO_VARKEYWORDS);
  for (int i = 0; i < code->co_argcount + code->co_kwonlyargcount; ++i)
    parameters.names.push_back(to_string(nb::object(names[i])));
  return parameters;
}

void copy_names(nb::handle function, nb::dict& into) {
  for (const char* name : {"__module__", "__name__", "__qualname__", "__doc__"})
    if (nb::object value = optional_attr(function, nb::str(name))) into[name] = value;
  into["__wrapped__"] = function;
}

frontend::DialectName dialect_of(const std::string& name) {
  if (const auto dialect = frontend::dialect_named(name)) return *dialect;
  std::string known;
  for (const std::string_view other : frontend::kDialectNames)
    known += (known.empty() ? "'" : ", '") + std::string(other) + "'";
  throw nb::value_error(("unknown dialect '" + name + "'; known are " + known).c_str());
}

Execution execution_of(const std::string& name) {
  if (const auto execution = execution_named(name)) return *execution;
  throw nb::value_error(("unknown execution '" + name + "'").c_str());
}

Inlining inlining_of(const std::string& name) {
  if (const auto inlining = inlining_named(name)) return *inlining;
  throw nb::value_error(("unknown inlining '" + name + "'").c_str());
}

FastMath fast_math_of(const std::vector<std::string>& names) {
  FastMath allowed;
  for (const std::string& name : names) {
    const auto* part = std::ranges::find(kFastMathParts, name, &FastMathPart::name);
    if (part == std::end(kFastMathParts))
      throw nb::value_error(("no part of fastmath: " + name).c_str());
    allowed.*part->member = true;
  }
  return allowed;
}

// An object of the type that means nothing yet.
nb::object blank(PyTypeObject* type) {
  nb::object made = checked(type->tp_alloc(type, 0));
  FunctionObject* self = self_of(made.ptr());
  self->state = new FunctionState();
  self->dict = nb::dict().release().ptr();
  return made;
}

// `lines`: of the function's file where this process did not read it; null: it is read.
void define(FunctionObject* self, nb::handle function, syntax::FunctionKind kind,
            syntax::FunctionOptions options, frontend::DialectName dialect, nb::object lines) {
  Py_XSETREF(self->underlying, Py_NewRef(function.ptr()));
  self->vectorcall = kind == syntax::FunctionKind::Kernel  ? call_kernel
                     : kind == syntax::FunctionKind::Plain ? call_device_function
                                                           : call_func;
  nb::dict attributes = nb::borrow<nb::dict>(self->dict);
  copy_names(function, attributes);
  FunctionState& state = *self->state;
  state.kind = kind;
  state.options = std::move(options);
  state.options.wide_builtins = frontend::asks_for_wide_builtins(dialect);
  state.dialect = dialect;
  state.name = to_string(function.attr("__name__"));
  state.code = {};
  state.lines = std::move(lines);
  refresh(self);
}

nb::object make(nb::handle function, syntax::FunctionKind kind, syntax::FunctionOptions options,
                frontend::DialectName dialect) {
  nb::object made = blank(kind == syntax::FunctionKind::Kernel ? kernel_type : func_type);
  define(self_of(made.ptr()), function, kind, std::move(options), dialect, {});
  return made;
}

FunctionObject* decorated(nb::handle object) {
  FunctionObject* found = as_function_object(object.ptr());
  if (!found) throw nb::type_error("a kernel or a function made by @func was expected");
  return found;
}

// (options, lines of its file): with its function, what another process makes the same of.
nb::tuple parts_of(nb::handle object) {
  FunctionObject* self = decorated(object);
  refresh(self);
  const FunctionState& state = *self->state;
  nb::dict options;
  options["fmad"] = state.options.fmad;
  options["fastmath"] = nb::cast(names_of(state.options.fast_math));
  options["max_registers"] = state.options.bounds.max_registers;
  options["min_blocks"] = state.options.bounds.min_blocks;
  options["execution"] = std::string(kExecutions[static_cast<size_t>(state.options.execution)]);
  options["signature"] = nb::cast(state.options.signature);
  options["inline"] = std::string(kInlinings[static_cast<size_t>(state.options.inlining)]);
  options["dialect"] = std::string(frontend::kDialectNames[static_cast<size_t>(state.dialect)]);
  options["of_device"] = state.kind == syntax::FunctionKind::Plain;
  return nb::make_tuple(options, state.lines);
}

// A kernel or function of parts_of; `into`: one that was made before its parts were there.
nb::object make_of_parts(const nb::object& into, nb::handle function, const nb::list& lines,
                         bool is_kernel, const nb::dict& options) {
  nb::object made = into.is_none() ? blank(is_kernel ? kernel_type : func_type) : into;
  const bool of_device = nb::cast<bool>(options["of_device"]);
  define(decorated(made), function,
         is_kernel   ? syntax::FunctionKind::Kernel
         : of_device ? syntax::FunctionKind::Plain
                     : syntax::FunctionKind::Func,
         {nb::cast<bool>(options["fmad"]),
          fast_math_of(nb::cast<std::vector<std::string>>(options["fastmath"])),
          {nb::cast<uint32_t>(options["max_registers"]), nb::cast<uint32_t>(options["min_blocks"])},
          execution_of(nb::cast<std::string>(options["execution"])),
          nb::cast<std::vector<std::string>>(options["signature"]),
          inlining_of(nb::cast<std::string>(options["inline"]))},
         dialect_of(nb::cast<std::string>(options["dialect"])), lines);
  return made;
}

}  // namespace

void refresh(FunctionObject* function) {
  FunctionState& state = *function->state;
  PyObject* code = PyFunction_GetCode(function->underlying);
  if (code == state.code.ptr()) return;
  const bool is_given = state.lines.is_valid() && !state.code.is_valid();
  if (!is_given) state.lines = source_lines_of(function->underlying);
  state.parameters = parameters_of(function->underlying);
  state.code = nb::borrow(code);
}

void register_function_types(nb::module_& module) {
  note_when_the_process_began();
  kernel_type = make_type("cuda.device.Kernel", true);
  func_type = make_type("cuda.device.Func", false);
  module.attr("Kernel") = nb::handle(reinterpret_cast<PyObject*>(kernel_type));
  module.attr("Func") = nb::handle(reinterpret_cast<PyObject*>(func_type));
  nb::dict parts;
  for (const FastMathPart& part : kFastMathParts)
    parts[nb::str(part.name.data(), part.name.size())] = part.in_true;
  module.attr("FAST_MATH") = parts;
  module.def(
      "make_kernel",
      [](nb::handle function, bool fmad, const std::vector<std::string>& fastmath,
         const std::string& dialect, const std::string& execution, uint32_t max_registers,
         uint32_t min_blocks) {
        return make(
            function, syntax::FunctionKind::Kernel,
            {fmad, fast_math_of(fastmath), {max_registers, min_blocks}, execution_of(execution)},
            dialect_of(dialect));
      },
      nb::arg("function"), nb::kw_only(), nb::arg("fmad"),
      nb::arg("fastmath") = std::vector<std::string>(), nb::arg("dialect") = "guide",
      nb::arg("execution") = "automatic", nb::arg("max_registers") = 0, nb::arg("min_blocks") = 0);
  // A function has the dialect of the kernel that calls it.
  module.def(
      "make_func",
      [](nb::handle function, bool fmad, const std::vector<std::string>& fastmath,
         const std::string& dialect, const std::string& inlining) {
        syntax::FunctionOptions options{fmad, fast_math_of(fastmath)};
        options.inlining = inlining_of(inlining);
        return make(function, syntax::FunctionKind::Func, std::move(options), dialect_of(dialect));
      },
      nb::arg("function"), nb::kw_only(), nb::arg("fmad"),
      nb::arg("fastmath") = std::vector<std::string>(), nb::arg("dialect") = "guide",
      nb::arg("inline") = "automatic");
  // Kernels may call it, and the host may not.
  module.def(
      "make_device_function",
      [](nb::handle function, bool fmad, std::vector<std::string> signature) {
        return make(function, syntax::FunctionKind::Plain,
                    {fmad, {}, {}, Execution::Automatic, std::move(signature)},
                    frontend::DialectName::Device);
      },
      nb::arg("function"), nb::kw_only(), nb::arg("fmad"), nb::arg("signature"));
  module.def("parts_of", &parts_of, nb::arg("object"));
  module.def("make_of_parts", &make_of_parts, nb::arg("into").none(), nb::arg("function"),
             nb::arg("lines"), nb::kw_only(), nb::arg("is_kernel"), nb::arg("options"));
  module.def("name_entity", &name_entity, nb::arg("object"), nb::arg("name"));
}

}  // namespace cuda_device::bindings
