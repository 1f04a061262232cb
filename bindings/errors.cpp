#include "bindings/errors.h"

#include <new>

#include "support/check.h"
#include "support/render.h"

namespace cuda_device::bindings {
namespace {

nb::object exception_class(const char* name) {
  return nb::module_::import_("cuda.device.errors").attr(name);
}

const char* launch_class(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::Type:
      return "LaunchTypeError";
    case ErrorClass::Value:
      return "LaunchValueError";
    case ErrorClass::Overflow:
      return "LaunchOverflowError";
    case ErrorClass::Buffer:
      return "LaunchBufferError";
    case ErrorClass::Runtime:
      return "LaunchRuntimeError";
    case ErrorClass::Compile:
      return "CompileError";
    case ErrorClass::NotImplemented:
      return "NotImplementedYetError";
  }
  return "LaunchError";
}

// Columns are 1-based and counted in characters here, as editors and Python's own messages count.
int character_column(const SourceMap& files, const Span& span, uint32_t line,
                     uint32_t byte_column) {
  if (span.file >= files.size()) return static_cast<int>(byte_column) + 1;
  const SourceFile& file = files[span.file];
  if (line < file.first_line || line - file.first_line >= file.lines.size())
    return static_cast<int>(byte_column) + 1;
  const std::string& text = file.lines[line - file.first_line];
  int column = 1;
  for (size_t i = 0; i < byte_column && i < text.size(); ++i)
    if ((text[i] & 0xC0) != 0x80) ++column;
  return column;
}

nb::object to_python(const Diagnostic& diagnostic, const SourceMap& files) {
  nb::dict fields;
  const Span& span = diagnostic.span;
  bool has_file = span.known() && span.file < files.size();
  fields["code"] = info(diagnostic.code).name;
  fields["message"] = message_of(diagnostic);
  fields["hint"] = hint_of(diagnostic);
  fields["file"] = has_file ? nb::cast(nb::str(files[span.file].name.c_str())) : nb::none();
  fields["line"] = span.line;
  fields["column"] = span.known() ? character_column(files, span, span.line, span.column) : 0;
  fields["end_line"] = span.end_line;
  fields["end_column"] =
      span.known() ? character_column(files, span, span.end_line, span.end_column) : 0;
  nb::list notes;
  for (const Note& note : diagnostic.notes)
    notes.append(nb::str(note.text.c_str(), note.text.size()));
  fields["notes"] = notes;
  return exception_class("Diagnostic")(**fields);
}

// That of the first diagnostic, so that one mistake of type is a TypeError too.
const char* compile_class(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) return "CompileError";
  switch (info(diagnostics.front().code).error_class) {
    case ErrorClass::Type:
      return "CompileTypeError";
    case ErrorClass::Value:
      return "CompileValueError";
    case ErrorClass::Overflow:
      return "CompileOverflowError";
    case ErrorClass::NotImplemented:
      return "NotImplementedYetError";
    default:
      return "CompileError";
  }
}

// A mistake that shows only once the kernel is compiled.
bool is_about_the_launch(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.size() != 1) return false;
  const DiagCode code = diagnostics[0].code;
  return code == DiagCode::shared_total || code == DiagCode::grid_threads;
}

void raise(nb::handle type, const std::string& text) {
  PyErr_SetObject(type.ptr(), nb::str(text.c_str(), text.size()).ptr());
}

void raise_shortage(const std::string& text, const dispatch::Shortage& shortage) {
  nb::object type = exception_class("OutOfMemoryError");
  nb::object exception =
      type(nb::str(text.c_str(), text.size()), shortage.asked, shortage.free, shortage.total);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

PyObject* python_class(nb::exception_type type) {
  switch (type) {
    case nb::exception_type::value_error:
      return PyExc_ValueError;
    case nb::exception_type::index_error:
      return PyExc_IndexError;
    case nb::exception_type::buffer_error:
      return PyExc_BufferError;
    default:
      return PyExc_TypeError;
  }
}

void set_with_guard(auto set) noexcept {
  try {
    set();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  }
}

}  // namespace

PyObject* raise_launch_error(DiagCode code, std::vector<std::string> args) {
  set_with_guard([&] {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.args = std::move(args);
    std::string text = message_of(diagnostic), hint = hint_of(diagnostic);
    if (!hint.empty()) text += "\n  " + hint;
    raise(exception_class(launch_class(info(code).error_class)), text);
  });
  return nullptr;
}

void set_diagnostics(const std::vector<Diagnostic>& diagnostics, const SourceMap& files) {
  set_with_guard([&] {
    nb::list list;
    for (const Diagnostic& diagnostic : diagnostics) list.append(to_python(diagnostic, files));
    const std::string text = render(diagnostics, files);
    nb::object type = exception_class(compile_class(diagnostics));
    nb::object exception = type(nb::str(text.c_str(), text.size()), list);
    PyErr_SetObject(type.ptr(), exception.ptr());
  });
}

void set_outcome(const dispatch::Outcome& outcome, const SourceMap& files,
                 const std::string& name) {
  set_with_guard([&] {
    std::string where = name.empty() ? "" : "kernel '" + name + "': ";
    switch (outcome.status) {
      case dispatch::Status::UserError:
        if (is_about_the_launch(outcome.diagnostics)) {
          raise_launch_error(outcome.diagnostics[0].code, outcome.diagnostics[0].args);
          return;
        }
        return set_diagnostics(outcome.diagnostics, files);
      case dispatch::Status::CompilerFault:
        return raise(exception_class("CompilerBug"), where + outcome.text);
      case dispatch::Status::KernelFailed: {
        nb::object type = exception_class("kernel_exception")(outcome.raises);
        return raise(type, outcome.text);
      }
      case dispatch::Status::BadValue:
        return raise(nb::borrow(PyExc_ValueError), outcome.text);
      case dispatch::Status::OutOfMemory:
        return raise_shortage(where + outcome.text, outcome.shortage);
      case dispatch::Status::Timeout:
        return raise(nb::borrow(PyExc_TimeoutError), outcome.text);
      default:
        return raise(exception_class("KernelError"), where + outcome.text);
    }
  });
}

static Diagnostic placed(const Warning& warning, const syntax::Program& program) {
  Diagnostic d{warning.code, warning.span, warning.args, {}, "", {}};
  const Span& definition = program.functions.at(warning.function).span;
  d.span.file = definition.file;
  d.span.line += definition.line;
  d.span.end_line += definition.line;
  return d;
}

// As Python does it for its own: the module remembers what was said.
bool warn_of_precision(const std::vector<Warning>& warnings, const syntax::Program& program,
                       nb::handle globals) {
  bool fine = true;
  set_with_guard([&] {
    const nb::object category = exception_class("PrecisionWarning");
    const nb::dict names = nb::borrow<nb::dict>(globals);
    if (!names.contains("__warningregistry__")) names["__warningregistry__"] = nb::dict();
    const nb::object registry = names["__warningregistry__"];
    for (const Warning& warning : warnings) {
      const Diagnostic d = placed(warning, program);
      const std::string text = render(d, program.files);
      const std::string& file = program.files.at(d.span.file).name;
      const nb::str message(text.c_str(), text.size()), name(file.c_str(), file.size());
      const nb::object module = names.contains("__name__") ? names["__name__"] : nb::object(name);
      fine = PyErr_WarnExplicitObject(category.ptr(), message.ptr(), name.ptr(),
                                      static_cast<int>(d.span.line), module.ptr(),
                                      registry.ptr()) == 0;
      if (!fine) return;
    }
  });
  return fine && !PyErr_Occurred();
}

void add_note(nb::python_error& error, const std::string& text) {
  error.value().attr("add_note")(text);
}

// Behind what the later one has as its context already.
void set_context(const nb::python_error& later, const nb::python_error& earlier) {
  nb::object last = nb::borrow(later.value());
  for (;;) {
    if (last.is(earlier.value())) return;
    nb::object context = nb::steal(PyException_GetContext(last.ptr()));
    if (!context) break;
    last = std::move(context);
  }
  PyException_SetContext(last.ptr(), Py_NewRef(earlier.value().ptr()));
}

void throw_unless_ok(const dispatch::Outcome& outcome, const std::string& kernel) {
  if (outcome.status == dispatch::Status::Ok) return;
  set_outcome(outcome, {}, kernel);
  nb::python_error error;
  for (const std::string& text : outcome.later) add_note(error, "and: " + text);
  throw error;
}

void set_current_exception() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (LaunchError& error) {
    raise_launch_error(error.code, std::move(error.args));
  } catch (CaptureError& error) {
    set_diagnostics(error.diagnostics, error.files);
  } catch (InternalError& error) {
    set_with_guard([&] { raise(exception_class("CompilerBug"), error.what()); });
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(python_class(error.type()), error.what());
  } catch (std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "unknown C++ exception");
  }
}

}  // namespace cuda_device::bindings
