#include "bindings/source/file_change.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "bindings/source/no_warnings.h"

namespace cuda_device::bindings {
namespace {

// Clocks of files are a tick behind; a file too many is compared and found to be as it was.
constexpr double kMargin = 2;
// Where the system does not tell when the process began every file may have changed.
double process_began = 0;

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return seconds(time);
}

// Field 22 of /proc/self/stat, in seconds after the system's start; the second field, a name in
// parentheses, may hold anything.
double start_after_boot() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 21; ++i) fields >> field;
  double ticks = 0;
  fields >> ticks;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool is_code(nb::handle object) { return PyCode_Check(object.ptr()); }

bool same_code(nb::handle a, nb::handle b);

// 1, 1.0 and True are three constants, and so are 0.0 and -0.0.
bool same_constant(nb::handle a, nb::handle b) {
  if (is_code(a) && is_code(b)) return same_code(a, b);
  if (!a.type().is(b.type())) return false;
  if (PyFrozenSet_Check(a.ptr())) return a.equal(b);
  return nb::repr(a).equal(nb::repr(b));
}

bool same_constants(nb::handle a, nb::handle b) {
  const size_t count = nb::len(a);
  if (count != nb::len(b)) return false;
  for (size_t i = 0; i < count; ++i)
    if (!same_constant(nb::object(a[i]), nb::object(b[i]))) return false;
  return true;
}

// Blanks and comments within a line are free to change.
bool same_code(nb::handle a, nb::handle b) {
  for (const char* part : {"co_name", "co_code", "co_names", "co_varnames", "co_freevars"})
    if (!a.attr(part).equal(b.attr(part))) return false;
  return same_constants(a.attr("co_consts"), b.attr("co_consts"));
}

// One line may have several lambdas: of those the columns decide.
bool same_place(nb::handle a, nb::handle b) {
  if (!a.attr("co_firstlineno").equal(b.attr("co_firstlineno"))) return false;
  if (to_string(a.attr("co_name")) != "<lambda>") return true;
  return nb::list(a.attr("co_positions")()).equal(nb::list(b.attr("co_positions")()));
}

// Walks with a list: definitions within definitions take no stack.
bool holds(nb::handle module_code, nb::handle wanted) {
  nb::list left;
  left.append(module_code);
  for (size_t i = 0; i < nb::len(left); ++i) {
    nb::object code = left[i];
    if (same_place(code, wanted) && same_code(code, wanted)) return true;
    for (nb::handle constant : code.attr("co_consts"))
      if (is_code(constant)) left.append(constant);
  }
  return false;
}

// The code of the whole text, as nothing less tells what a name in the function means.
nb::object compile(nb::handle lines, int features) {
  nb::object text = nb::str("").attr("join")(lines);
  nb::object compile = nb::module_::import_("builtins").attr("compile");
  const NoWarnings quiet;
  return compile(text, "<unknown>", "exec", features, true);
}

// The last one is kept, since the functions of a program come from few files: lines are what
// linecache has of the file, the same object each time.
nb::object compiled(nb::handle lines, int features) {
  struct Last {
    nb::object lines, code;
    int features = 0;
  };
  static Last* const last = new Last;  // outlives Python
  if (last->lines.is(lines) && last->features == features) return last->code;
  nb::object code = compile(lines, features);
  *last = {nb::borrow(lines), code, features};
  return code;
}

nb::object loader_of(nb::handle globals) {
  nb::object spec = globals.attr("get")("__spec__");
  nb::object loader = optional_attr(spec, nb::str("loader"));  // a program's own spec is None
  return loader ? loader : globals.attr("get")("__loader__");
}

bool asserts(nb::handle node) {
  nb::module_ ast = nb::module_::import_("ast");
  for (nb::handle part : ast.attr("walk")(node))
    if (part.type().is(ast.attr("Assert"))) return true;
  return false;
}

// Whether Python compiled the file's text and nothing else.
bool compiled_as_written(nb::handle function, nb::handle node) {
  nb::object loader = loader_of(function.attr("__globals__"));
  if (loader.is_none()) return true;
  nb::handle type = loader.type();
  if (type.is(nb::module_::import_("importlib.machinery").attr("SourceFileLoader"))) return true;
  return type_text(loader) == "_pytest.assertion.rewrite.AssertionRewritingHook" && !asserts(node);
}

}  // namespace

void note_when_the_process_began() {
  const double after_boot = start_after_boot();
  if (after_boot > 0) process_began = now(CLOCK_REALTIME) - (now(CLOCK_BOOTTIME) - after_boot);
}

bool changed_since_the_process_began(const std::string& file) {
  struct stat found;
  return stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         seconds(found.st_ctim) > process_began - kMargin;
}

bool compiles_to(nb::handle lines, nb::handle function, nb::handle node) try {
  if (!compiled_as_written(function, node)) return true;
  nb::object code = function.attr("__code__");
  return holds(compiled(lines, nb::cast<int>(code.attr("co_flags")) & PyCF_MASK), code);
} catch (nb::python_error& error) {
  if (error.matches(PyExc_RecursionError) || error.matches(PyExc_MemoryError)) return true;
  if (!error.matches(PyExc_SyntaxError) && !error.matches(PyExc_ValueError)) throw;
  return false;
}

}  // namespace cuda_device::bindings
