#include "bindings/source/names.h"

#include <algorithm>

#include "bindings/launch/elements.h"
#include "bindings/numpy.h"
#include "bindings/source/bound_names.h"
#include "bindings/source/classes.h"
#include "bindings/source/entities.h"
#include "bindings/source/function_object.h"

namespace cuda_device::bindings {
namespace {

using syntax::Binding;

bool is_simple_namespace(nb::handle object) {
  return object.type().is(nb::module_::import_("types").attr("SimpleNamespace"));
}

// Objects whose attributes are read as constants: nothing else stands still between two launches.
bool has_readable_attributes(nb::handle object) {
  return PyModule_Check(object.ptr()) || PyType_Check(object.ptr()) || is_simple_namespace(object);
}

Binding named(Binding::Kind kind, std::string name) {
  Binding binding;
  binding.kind = kind;
  binding.name = std::move(name);
  return binding;
}

// "math" of a module, "class Thing" of a class.
std::string name_of_namespace(nb::handle object) {
  nb::object name = optional_attr(object, nb::str("__name__"));
  if (!name || !PyUnicode_Check(name.ptr())) return type_text(object);
  return (PyType_Check(object.ptr()) ? "class " : "") + to_string(name);
}

bool is_partial(nb::handle object) {
  return object.type().is(nb::module_::import_("functools").attr("partial"));
}

// operator.itemgetter and its like.
bool is_getter(nb::handle object) {
  const nb::module_ module = nb::module_::import_("operator");
  const auto is_of = [&](const char* name) { return object.type().is(module.attr(name)); };
  return is_of("itemgetter") || is_of("attrgetter") || is_of("methodcaller");
}

nb::object partial_of(nb::handle getter) {
  return nb::module_::import_("cuda.device._operator_in_kernels").attr("as_partial")(getter);
}

// async functions are no Function: calling one gives a coroutine.
bool is_capturable(nb::handle object) {
  if (as_function_object(object.ptr())) return true;
  if (!PyFunction_Check(object.ptr())) return false;
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(object.ptr()));
  return !(code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR));
}

// A class method, bound to its class.
bool is_class_method(nb::handle object) {
  if (!PyMethod_Check(object.ptr()) || !PyType_Check(PyMethod_GET_SELF(object.ptr()))) return false;
  const nb::handle function = PyMethod_GET_FUNCTION(object.ptr());
  return PyFunction_Check(function.ptr()) && is_capturable(function) &&
         nb::cast<int>(function.attr("__code__").attr("co_argcount")) > 0;
}

}  // namespace

Names::Names(nb::handle function, nb::handle cls, syntax::Function& into,
             std::vector<Guard>& guards, FunctionIndex index, TypeIndex type_index)
    : function_(nb::borrow(function)),
      into_(into),
      guards_(guards),
      index_(std::move(index)),
      type_index_(std::move(type_index)) {
  nb::object code = function.attr("__code__");
  globals_ = function.attr("__globals__");
  builtins_ = function.attr("__builtins__");
  for (const char* part : {"co_varnames", "co_cellvars"})
    for (nb::handle name : code.attr(part)) locals_.insert(to_string(name));
  if (cls.is_valid()) {
    name_of_class_ = to_string(nb::object(code.attr("co_varnames")[0]));
    class_ = nb::borrow(cls);
    locals_.erase(name_of_class_);
  }
  nb::object closure = function.attr("__closure__"), free = code.attr("co_freevars");
  for (size_t i = 0; i < nb::len(free); ++i) cells_[to_string(nb::object(free[i]))] = closure[i];
}

void Names::enter_scope(nb::handle ast) {
  const std::set<std::string> names = names_bound_in(ast);
  inner_.emplace_back(names.begin(), names.end());
}

void Names::suspend_scope() {
  suspended_.push_back(std::move(inner_.back()));
  inner_.pop_back();
}

void Names::resume_scope() {
  inner_.push_back(std::move(suspended_.back()));
  suspended_.pop_back();
}

bool Names::is_local(const std::string& name) const {
  for (const auto& scope : inner_)
    if (scope.contains(name)) return true;
  return locals_.contains(name);
}

nb::object type_of_const_expr(nb::handle object) {
  const std::string* type = entities().find(object.type());
  if (!type || *type != "device.ConstExpr") return {};
  return object.attr("type");
}

// Hints such as Any, a TypeVar, float | None and Sequence[float].
static bool declares_nothing(nb::handle object) {
  return nb::cast<bool>(
      nb::module_::import_("cuda.device._hints").attr("declares_nothing")(object));
}

Binding constant_or_object(nb::handle object, const StructIndex& structs) {
  if (const std::string* name = entities().find(object)) return named(Binding::Kind::Entity, *name);
  if (std::optional<syntax::Value> value = constant_of(object, structs)) {
    Binding binding;
    binding.kind = Binding::Kind::Constant;
    binding.value = std::move(*value);
    return binding;
  }
  Binding binding = has_readable_attributes(object)
                        ? named(Binding::Kind::Module, name_of_namespace(object))
                        : named(Binding::Kind::Object, type_text(object));
  binding.is_hint = !PyModule_Check(object.ptr()) && declares_nothing(object);
  return binding;
}

// Deeper ones are no constants.
constexpr int kMaxTuples = 32;

Binding Names::tuple_meaning(nb::handle tuple) {
  Binding binding = named(Binding::Kind::Tuple, "tuple");
  ++tuples_;
  for (nb::handle part : tuple) binding.parts.push_back(meaning_of(part));
  --tuples_;
  const auto is_object = [](const Binding& b) { return b.kind == Binding::Kind::Object; };
  if (std::ranges::any_of(binding.parts, is_object))
    return named(Binding::Kind::Object, type_text(tuple));
  return binding;
}

Binding Names::partial_meaning(nb::handle partial) {
  Binding binding = named(Binding::Kind::Partial, "functools.partial");
  ++tuples_;
  binding.parts.push_back(meaning_of(nb::object(partial.attr("func"))));
  for (nb::handle argument : nb::object(partial.attr("args")))
    binding.parts.push_back(meaning_of(argument));
  for (const auto [name, value] : nb::cast<nb::dict>(partial.attr("keywords"))) {
    binding.names.push_back(to_string(name));
    binding.parts.push_back(meaning_of(value));
  }
  --tuples_;
  return binding;
}

Binding Names::meaning_of(nb::handle object) {
  if (const nb::object type = type_of_const_expr(object)) {
    Binding binding = meaning_of(type);
    binding.of_constant = true;
    return binding;
  }
  if (tuples_ < kMaxTuples && is_partial(object)) return partial_meaning(object);
  if (tuples_ < kMaxTuples && is_getter(object)) return partial_meaning(partial_of(object));
  if (is_struct_class(object) ||
      ((is_named_class(object) || is_enumeration(object)) && !entities().find(object))) {
    Binding binding = named(Binding::Kind::Class, to_string(object.attr("__name__")));
    binding.type = type_index_(object);
    return binding;
  }
  if (const nb::object atomic = atomic_type_of(object); atomic.is_valid()) {
    Binding binding = named(Binding::Kind::Class, to_string(atomic.attr("__name__")));
    binding.type = type_index_(atomic);
    return binding;
  }
  if (const nb::object form = is_aligned_type(object) ? nb::borrow(object) : form_of_arrays(object);
      form.is_valid()) {
    Binding binding = named(Binding::Kind::Class, to_string(nb::repr(object)));
    binding.type = type_index_(form);
    return binding;
  }
  if (const nb::object type = type_of_records(object); type.is_valid()) {
    if (!PyArray_DescrCheck(type.ptr())) return meaning_of(type);
    Binding binding = named(Binding::Kind::Class, "record");
    binding.type = type_index_(type);
    return binding;
  }
  const nb::handle ours = entities().in_kernels(object);
  if (ours.is_valid() || (!entities().find(object) && is_capturable(object)) ||
      is_class_method(object)) {
    Binding binding = named(Binding::Kind::Function, to_string(object.attr("__name__")));
    binding.function = index_(ours.is_valid() ? ours : object);
    return binding;
  }
  Binding binding = constant_or_object(object, type_index_);
  if (PyModule_Check(object.ptr())) modules_.push_back(nb::borrow(object));
  const bool plain_tuple = PyTuple_CheckExact(object.ptr()) && tuples_ < kMaxTuples;
  if (binding.kind == Binding::Kind::Object && plain_tuple) return tuple_meaning(object);
  return binding;
}

Binding Names::bound(nb::handle object, Guard& guard) {
  std::optional<Binding> array = array_binding(object, type_index_);
  Binding binding = array ? std::move(*array) : meaning_of(object);
  if (binding.kind == Binding::Kind::Constant)
    guard.constant = std::make_shared<const syntax::Value>(binding.value);
  return binding;
}

Binding Names::meaning_of_attribute(const nb::object& module, const std::string& name) {
  const nb::object key = interned(name.c_str());
  const nb::object found = optional_attr(module, key);
  if (!found.is_valid()) return {};
  Guard guard = guard_of_attribute(module, key, found);
  Binding binding = bound(found, guard);
  if (!entities().is_fixed_module(module)) {
    guard.expected = found;
    guards_.push_back(std::move(guard));
  }
  return binding;
}

void Names::add_loose(Loose& loose) const {
  loose.attributes.insert(attributes_.begin(), attributes_.end());
  loose.modules.insert(loose.modules.end(), modules_.begin(), modules_.end());
  for (const auto& [node, object] : namespaces_)
    if (PyModule_Check(object.ptr()) && !owners_.contains(node)) loose.modules.push_back(object);
}

void Names::bind(const syntax::Node* node, Guard guard, nb::handle object, bool guarded) {
  Binding binding;
  if (object.is_valid()) {
    const size_t before = modules_.size();
    binding = bound(object, guard);
    if (PyModule_Check(object.ptr())) modules_.resize(before);  // the node says what is read of it
    if (binding.kind == Binding::Kind::Module || is_enum_member(object) || is_enumeration(object))
      namespaces_[node] = nb::borrow(object);
  }
  into_.bindings[node] = std::move(binding);
  if (!guarded) return;
  const bool is_bound = guard.kind == Guard::Kind::ClassMethod;
  guard.expected = nb::borrow(is_bound ? PyMethod_GET_FUNCTION(object.ptr()) : object.ptr());
  guards_.push_back(std::move(guard));
}

void Names::bind_global(const syntax::Name* node, const nb::object& name) {
  nb::object found = nb::borrow(PyDict_GetItemWithError(globals_.ptr(), name.ptr()));
  if (!found && PyErr_Occurred()) throw nb::python_error();
  Guard guard{Guard::Kind::Dict, globals_, name, {}, {}};
  if (found) return bind(node, std::move(guard), found, true);
  // A builtin, guarded only against a global of the same name that may come later.
  guards_.push_back(std::move(guard));
  nb::object builtin = nb::borrow(PyDict_GetItemWithError(builtins_.ptr(), name.ptr()));
  if (!builtin && PyErr_Occurred()) throw nb::python_error();
  bind(node, {}, builtin, false);
}

void Names::on_name(const syntax::Name* node) {
  if (is_local(node->id)) return;
  if (class_.is_valid() && node->id == name_of_class_) return bind(node, {}, class_, false);
  nb::object name = interned(node->id.c_str());
  auto cell = cells_.find(node->id);
  if (cell == cells_.end()) return bind_global(node, name);
  Guard guard{Guard::Kind::Cell, cell->second, name, {}, {}};
  bind(node, std::move(guard), PyCell_GET(cell->second.ptr()), true);
}

Guard Names::guard_of_attribute(const nb::object& owner, const nb::object& name,
                                const nb::object& found) {
  Guard guard{Guard::Kind::Attribute, owner, name, {}, {}};
  if (found.is_valid() && is_class_method(found)) guard.kind = Guard::Kind::ClassMethod;
  if (PyModule_Check(owner.ptr())) {
    // The module's own dictionary where the attribute stands there, not through a module-level
    // __getattr__.
    PyObject* dict = PyModule_GetDict(owner.ptr());
    if (found.ptr() == PyDict_GetItemWithError(dict, name.ptr())) {
      guard.kind = Guard::Kind::Dict;
      guard.owner = nb::borrow(dict);
    }
  }
  return guard;
}

void Names::on_attribute(const syntax::Attribute* node) {
  auto at = namespaces_.find(node->value);
  if (at == namespaces_.end()) {
    attributes_.insert(node->attr);
    return;
  }
  owners_.insert(node->value);
  nb::object owner = at->second, name = interned(node->attr.c_str());
  nb::object found = optional_attr(owner, name);
  Guard guard = guard_of_attribute(owner, name, found);
  bind(node, std::move(guard), found, !entities().is_fixed_module(owner));
}

}  // namespace cuda_device::bindings
