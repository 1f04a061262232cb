#include "bindings/source/capture.h"

#include <algorithm>
#include <map>

#include "bindings/errors.h"
#include "bindings/source/ast_reader.h"
#include "bindings/source/classes.h"
#include "bindings/source/names.h"
#include "support/diagnostic.h"

namespace cuda_device::bindings {
namespace {

// Versions of one kernel for different values of its globals; the one used longest ago goes first.
constexpr size_t kMaxVariants = 64;

SourceFile file_of(const FunctionSource& source) {
  SourceFile file{source.file, source.first_line, {}};
  for (uint32_t line = source.first_line; line <= source.last_line; ++line) {
    std::string text = to_string(nb::object(source.lines[line - 1]));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    file.lines.push_back(std::move(text));
  }
  return file;
}

// The first line only: a span over the whole body would not help.
Span head_span(Span span, const SourceFile& file) {
  size_t index = span.line - file.first_line;
  if (span.end_line == span.line || index >= file.lines.size()) return span;
  span.end_line = span.line;
  span.end_column =
      std::max<uint32_t>(span.column + 1, static_cast<uint32_t>(file.lines[index].size()));
  return span;
}

// ConstExpr or ConstExpr[T], evaluated or, where annotations are text, as it is written.
bool is_constant_hint(const syntax::Function& function, const syntax::Node* annotation) {
  const auto is_name = [](const syntax::Binding& b) {
    return b.kind == syntax::Binding::Kind::Entity && b.name == "device.ConstExpr";
  };
  const auto at = function.bindings.find(annotation);
  if (at != function.bindings.end()) return at->second.of_constant || is_name(at->second);
  auto* generic = syntax::as<syntax::Subscript>(annotation);
  const auto base = function.bindings.find(generic ? generic->value : nullptr);
  return base != function.bindings.end() && is_name(base->second);
}

// The folder of Python's standard library, with a slash at its end; empty: it has none.
std::string library_folder() {
  nb::object file = optional_attr(nb::module_::import_("os"), nb::str("__file__"));
  if (!file.is_valid() || !PyUnicode_Check(file.ptr())) return "";
  const std::string path = to_string(file);
  return path.substr(0, path.rfind('/') + 1);
}

// Installed packages lie in a folder of the library's own.
bool is_of_library(nb::handle function) {
  const std::string file = to_string(function.attr("__code__").attr("co_filename"));
  if (file.starts_with("<frozen ")) return true;
  const std::string folder = library_folder();
  if (folder.empty() || !file.starts_with(folder)) return false;
  const std::string_view rest = std::string_view(file).substr(folder.size());
  return !rest.starts_with("site-packages/") && !rest.starts_with("dist-packages/");
}

// "functools.singledispatch" of what that makes, too.
std::string name_in_library(nb::handle function, const std::string& module) {
  const std::string name = to_string(function.attr("__code__").attr("co_qualname"));
  return module + "." + name.substr(0, name.find(".<locals>"));
}

// By whom it is written. What decorators give a function of the name of another's is not asked.
void note_origin(nb::handle function, syntax::Function& into) {
  nb::object name = nb::object(function.attr("__globals__")).attr("get")("__name__");
  const std::string module = PyUnicode_Check(name.ptr()) ? to_string(name) : "";
  into.of_language = module.starts_with("cuda.device.");
  if (is_of_library(function)) into.in_library = name_in_library(function, module);
}

// Text, or ConstExpr of text.
bool is_text_hint(PyObject* hint) {
  const nb::object type = type_of_const_expr(hint);
  return PyUnicode_Check(type ? type.ptr() : hint);
}

class ProgramReader {
 public:
  ProgramReader(syntax::Program& program, std::vector<Guard>& guards, SourceCache& sources)
      : program_(program),
        guards_(guards),
        sources_(sources),
        classes_(
            program, guards, [this](nb::handle function) { return add(function); },
            [this](nb::handle object) { return constant_or_object(object, struct_index()); }) {}

  std::vector<nb::object> take_types() { return classes_.take(); }

  // The function and all that it names, by a queue: a long chain of calls takes no stack. One that
  // cannot be read is refused where it is called.
  void read_all(nb::handle root, const std::vector<nb::object>& types, Given given) {
    given_ = given;
    add(root);
    for (const nb::object& type : types) classes_.index_of(type);
    read(root, program_.functions.front());
    for (size_t i = 1; i < waiting_.size() || read_modules(root);) {
      if (i < waiting_.size()) read_waiting(i++);
    }
  }

 private:
  void read_waiting(size_t i) {
    const nb::object next = waiting_[i];
    syntax::Function& into = program_.functions[i];
    try {
      read(next, into);
    } catch (DiagnosticError& error) {
      refuse(into, std::move(error.diagnostics.front()));
    }
  }

  // What attributes that are read of values mean of modules that are values; whether there are more
  // than before.
  bool read_modules(nb::handle root) {
    bool more = false;
    FunctionObject* decorated = as_function_object(root.ptr());
    Names names(
        nb::borrow(decorated ? decorated->underlying : root.ptr()), {}, program_.functions.front(),
        guards_, [this](nb::handle called) { return add(called); },
        [this](nb::handle cls) { return classes_.index_of(cls); });
    for (size_t k = 0; k < loose_.modules.size(); ++k) {
      const nb::object module = loose_.modules[k];
      auto& known = program_.modules[to_string(module.attr("__name__"))];
      for (const std::string& name : loose_.attributes) {
        if (known.contains(name)) continue;
        known[name] = names.meaning_of_attribute(module, name);
        more = true;
      }
    }
    names.add_loose(loose_);
    return more;
  }

  static void refuse(syntax::Function& function, Diagnostic why) {
    syntax::Function refused;
    refused.name = function.name;
    refused.kind = function.kind;
    refused.of_language = function.of_language;
    refused.in_library = function.in_library;
    refused.refusal = std::make_shared<const Diagnostic>(std::move(why));
    function = std::move(refused);
  }

  uint32_t add(nb::handle object) {
    const bool is_method = PyMethod_Check(object.ptr());  // Python binds it anew at each look
    const std::pair key{is_method ? PyMethod_GET_FUNCTION(object.ptr()) : object.ptr(),
                        is_method ? PyMethod_GET_SELF(object.ptr()) : nullptr};
    auto [at, is_new] = indices_.emplace(key, static_cast<uint32_t>(program_.functions.size()));
    if (is_new) {
      program_.functions.emplace_back();
      waiting_.push_back(nb::borrow(object));
    }
    return at->second;
  }

  void read(nb::handle object, syntax::Function& into) {
    nb::handle cls;
    if (PyMethod_Check(object.ptr())) {
      cls = PyMethod_GET_SELF(object.ptr());
      object = PyMethod_GET_FUNCTION(object.ptr());
    }
    FunctionObject* decorated = as_function_object(object.ptr());
    nb::object function = nb::borrow(decorated ? decorated->underlying : object.ptr());
    if (decorated) {
      into.kind = decorated->state->kind;
      into.options = decorated->state->options;
    }
    into.name = to_string(function.attr("__name__"));
    note_origin(function, into);
    guard(function);
    if (decorated) refresh(decorated);
    read(function, cls, sources_.find(function, decorated ? decorated->state->lines : nb::object()),
         into);
  }

  StructIndex struct_index() {
    return [this](nb::handle cls) { return classes_.index_of(cls); };
  }

  void guard(nb::handle function) {
    nb::object owner = nb::borrow(function);
    nb::object code = nb::borrow(PyFunction_GetCode(function.ptr()));
    nb::object defaults = nb::borrow(PyFunction_GetDefaults(function.ptr()));
    guards_.push_back({Guard::Kind::Code, owner, {}, code, {}});
    Guard guard{Guard::Kind::Defaults, owner, {}, defaults, {}};
    if (is_mutable(defaults))
      if (auto constant = constant_of(defaults, struct_index()))
        guard.constant = std::make_shared<const syntax::Value>(std::move(*constant));
    guards_.push_back(std::move(guard));
  }

  void read(nb::handle function, nb::handle cls, const FunctionSource& source,
            syntax::Function& into) {
    uint32_t file = static_cast<uint32_t>(program_.files.size());
    program_.files.push_back(file_of(source));
    Names names(
        function, cls, into, guards_, [this](nb::handle called) { return add(called); },
        [this](nb::handle cls) { return classes_.index_of(cls); });
    AstReader reader(program_, file, source.line_shift, names);
    into.span = head_span(reader.span_of(source.node), program_.files[file]);
    into.args = static_cast<syntax::arguments*>(reader.read(source.node.attr("args")));
    if (cls.is_valid()) {
      auto& first = into.args->posonlyargs.empty() ? into.args->args : into.args->posonlyargs;
      first.erase(first.begin());
    }
    name_receivers(function, source.node, into);
    read_body(reader, source.node, into);
    bind_defaults(function, names, into);
    bind_annotations(function, names, into);
    names.add_loose(loose_);
    if (&into == &program_.functions.front()) bind_constant_arguments(names, into);
  }

  // `super()` means `super(self)` of the method's class: what is left out there is put in.
  static void name_receivers(nb::handle function, nb::handle ast, const syntax::Function& into) {
    const nb::object outer = nb::object(function.attr("__code__").attr("co_freevars"));
    const auto& first = into.args->posonlyargs.empty() ? into.args->args : into.args->posonlyargs;
    if (first.empty() || !nb::cast<bool>(outer.attr("__contains__")("__class__"))) return;
    const nb::module_ module = nb::module_::import_("ast");
    const nb::str name(static_cast<syntax::arg*>(first.front())->name.c_str());
    nb::list waiting = nb::list(nb::object(ast.attr("body")));
    while (nb::len(waiting) > 0) {
      const nb::object node = nb::object(waiting.attr("pop")());
      if (nb::isinstance(node, module.attr("FunctionDef")) ||
          nb::isinstance(node, module.attr("Lambda")) ||
          nb::isinstance(node, module.attr("GeneratorExp")))
        continue;  // whose own first parameter it would be
      waiting.attr("extend")(module.attr("iter_child_nodes")(node));
      const bool call = nb::isinstance(node, module.attr("Call")) &&
                        nb::isinstance(nb::object(node.attr("func")), module.attr("Name")) &&
                        nb::object(node.attr("func").attr("id")).equal(nb::str("super"));
      if (call && nb::len(nb::object(node.attr("args"))) == 0)
        node.attr("args").attr("append")(
            module.attr("copy_location")(module.attr("Name")(name, module.attr("Load")()), node));
    }
  }

  void read_body(AstReader& reader, nb::handle node, syntax::Function& into) {
    nb::object body = node.attr("body");
    if (nb::isinstance<nb::list>(body)) {
      into.body = reader.read_list(body);
      into.returns = reader.read_hint(node.attr("returns"));
    } else {
      auto* result = program_.make<syntax::Return>(reader.span_of(body));
      result->value = reader.read(body);
      into.body = {result};
    }
  }

  void bind_defaults(nb::handle function, Names& names, syntax::Function& into) {
    nb::object defaults = function.attr("__defaults__"), by_name = function.attr("__kwdefaults__");
    if (!defaults.is_none())
      for (nb::handle value : defaults) into.defaults.push_back(names.meaning_of(value));
    for (syntax::Node* node : into.args->kwonlyargs) {
      nb::object name = nb::cast(nb::str(static_cast<syntax::arg*>(node)->name.c_str()));
      bool given = !by_name.is_none() && nb::cast<nb::dict>(by_name).contains(name);
      into.kw_defaults.push_back(given ? names.meaning_of(nb::object(by_name[name]))
                                       : syntax::Binding{});
    }
  }

  // Annotations were evaluated when the function was defined; text was not, and is left to the
  // names in it: that of quotes, and that of `from __future__ import annotations`.
  void bind_annotations(nb::handle function, Names& names, syntax::Function& into) {
    nb::object annotations = optional_attr(function, nb::str("__annotations__"));
    if (!annotations || !nb::isinstance<nb::dict>(annotations)) return;
    auto bind = [&](const std::string& name, const syntax::Node* node) {
      PyObject* value = PyDict_GetItemString(annotations.ptr(), name.c_str());
      if (!node || !value) return;
      if (!is_text_hint(value)) into.bindings[node] = names.meaning_of(value);
    };
    for (auto* list : {&into.args->posonlyargs, &into.args->args, &into.args->kwonlyargs})
      for (syntax::Node* node : *list) {
        auto* parameter = static_cast<syntax::arg*>(node);
        bind(parameter->name, parameter->annotation);
      }
    bind("return", into.returns);
  }

  // Arguments of the launch become part of the program.
  void bind_constant_arguments(Names& names, syntax::Function& into) {
    uint32_t position = 0;
    for (auto* list : {&into.args->posonlyargs, &into.args->args})
      for (const syntax::Node* node : *list) {
        const uint32_t i = position++;
        if (!is_constant_hint(into, static_cast<const syntax::arg*>(node)->annotation)) continue;
        nb::object object = nb::borrow(i < given_.size() ? given_[i] : nullptr);
        Guard guard{Guard::Kind::Argument, {}, {}, object, {}, i};
        if (object) into.constant_arguments[i] = names.bound(object, guard);
        guards_.push_back(std::move(guard));
      }
  }

  syntax::Program& program_;
  std::vector<Guard>& guards_;
  SourceCache& sources_;
  Given given_;
  Classes classes_;
  Names::Loose loose_;
  std::map<std::pair<PyObject*, PyObject*>, uint32_t> indices_;  // and to what they are bound
  // By index in the program; those before the one being read are read.
  std::vector<nb::object> waiting_;
};

std::vector<bool> constant_parameters(const syntax::Function& function) {
  std::vector<bool> constant;
  const syntax::arguments& args = *function.args;
  for (auto* list : {&args.posonlyargs, &args.args})
    for (const syntax::Node* node : *list)
      constant.push_back(
          is_constant_hint(function, static_cast<const syntax::arg*>(node)->annotation));
  return std::ranges::find(constant, true) == constant.end() ? std::vector<bool>{} : constant;
}

const syntax::Binding* binding_of(const syntax::Function& function, const syntax::Node* node) {
  const auto at = function.bindings.find(node);
  return at == function.bindings.end() ? nullptr : &at->second;
}

bool is_entity(const syntax::Binding* binding, std::string_view name) {
  return binding && binding->kind == syntax::Binding::Kind::Entity && binding->name == name;
}

bool is_ellipsis(const syntax::Node* node) {
  auto* constant = syntax::as<syntax::Constant>(node);
  return constant && constant->value.kind == syntax::Value::Kind::Ellipsis;
}

DeclaredFormat declared_format(const syntax::Function& function, const syntax::Node* annotation) {
  DeclaredFormat format;
  auto* generic = syntax::as<syntax::Subscript>(annotation);
  if (generic && is_entity(binding_of(function, generic->value), "builtins.tuple")) {
    auto* several = syntax::as<syntax::Tuple>(generic->slice);
    const std::vector<syntax::Node*> elements =
        several ? several->elts : std::vector<syntax::Node*>{generic->slice};
    format.repeats = elements.size() == 2 && is_ellipsis(elements[1]);
    for (const syntax::Node* element : elements)
      format.elements.push_back(declared_format(function, element));
    return format;
  }
  const syntax::Binding* named = binding_of(function, annotation);
  if (!named || named->kind != syntax::Binding::Kind::Entity) return format;
  const std::string_view name = named->name;
  if (!name.starts_with("device.")) return format;
  format.is_complex = name == "device.complex64" || name == "device.complex128";
  format.number = !format.is_complex            ? scalar_named(name.substr(7))
                  : name == "device.complex128" ? ScalarKind::F64
                                                : ScalarKind::F32;
  return format;
}

// What the annotation of each parameter declares; empty where none is a fixed format.
DeclaredFormats declared_formats(const syntax::Function& function) {
  DeclaredFormats formats;
  const syntax::arguments& args = *function.args;
  for (auto* list : {&args.posonlyargs, &args.args, &args.kwonlyargs})
    for (const syntax::Node* node : *list)
      formats.push_back(
          declared_format(function, static_cast<const syntax::arg*>(node)->annotation));
  const bool any = std::ranges::any_of(formats, &DeclaredFormat::says_something);
  return any ? formats : DeclaredFormats{};
}

std::shared_ptr<Variant> capture(nb::handle function, SourceCache& sources,
                                 const std::vector<nb::object>& types, Given given) {
  auto program = std::make_shared<syntax::Program>();
  auto variant = std::make_shared<Variant>();
  try {
    ProgramReader reader(*program, variant->guards, sources);
    reader.read_all(function, types, given);
    variant->types = reader.take_types();
  } catch (DiagnosticError& error) {
    throw CaptureError{std::move(error.diagnostics), std::move(program->files)};
  }
  variant->declared = declared_formats(program->functions.front());
  variant->constant = constant_parameters(program->functions.front());
  variant->program = std::move(program);
  return variant;
}

// Moves the variant that holds to the front.
bool find_variant(FunctionState& state, Given given) {
  for (size_t i = 0; i < state.variants.size(); ++i) {
    if (!all_hold(state.variants[i]->guards, state.variants[i]->types, given)) continue;
    std::rotate(state.variants.begin(), state.variants.begin() + i, state.variants.begin() + i + 1);
    return true;
  }
  return false;
}

// A thread that waits must not hold the GIL: the one it waits for runs Python.
std::unique_lock<std::recursive_mutex> lock_without_gil(std::recursive_mutex& mutex) {
  const WithoutGil released;
  return std::unique_lock(mutex);
}

}  // namespace

const FunctionSource& SourceCache::find(nb::handle function, nb::handle lines) {
  nb::object code = function.attr("__code__");
  auto at = entries_.find(code.ptr());
  if (at != entries_.end()) return at->second.source;
  FunctionSource source =
      find_source(function, lines.is_valid() ? nb::borrow(lines) : source_lines_of(function));
  return entries_.insert_or_assign(code.ptr(), Entry{code, std::move(source)}).first->second.source;
}

std::shared_ptr<Variant> current_variant(FunctionObject* function, Given given) {
  FunctionState& state = *function->state;
  if (!state.variants.empty()) {
    std::shared_ptr<Variant> latest = state.variants.front();
    if (all_hold(latest->guards, latest->types, given)) return latest;
  }
  auto lock = lock_without_gil(state.capturing);
  if (find_variant(state, given)) return state.variants.front();
  std::shared_ptr<Variant> made;
  try {
    made =
        capture(reinterpret_cast<PyObject*>(function), state.sources, state.argument_types, given);
  } catch (...) {
    state.argument_types.clear();  // launches with the others say again that they need them
    throw;
  }
  made->id = state.next_variant++;
  state.variants.insert(state.variants.begin(), made);
  if (state.variants.size() > kMaxVariants) state.variants.pop_back();
  return made;
}

void add_argument_type(FunctionState& state, nb::handle type) {
  auto lock = lock_without_gil(state.capturing);
  const auto is_type = [&](const nb::object& known) { return known.is(type); };
  if (std::ranges::none_of(state.argument_types, is_type))
    state.argument_types.push_back(nb::borrow(type));
  std::erase_if(state.variants, [&](const std::shared_ptr<Variant>& variant) {
    return std::ranges::none_of(variant->types, is_type);
  });
}

std::shared_ptr<const Variant> capture_function(nb::handle function,
                                                const std::vector<nb::object>& types, Given given) {
  SourceCache sources;
  return capture(function, sources, types, given);
}

}  // namespace cuda_device::bindings
