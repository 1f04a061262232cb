#include "bindings/source/function_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "bindings/source/block_end.h"
#include "bindings/source/file_change.h"
#include "bindings/source/no_warnings.h"
#include "support/diagnostic.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {
namespace {

int int_of(nb::handle object) { return nb::cast<int>(object); }

std::string file_of(nb::handle function) {
  return to_string(function.attr("__code__").attr("co_filename"));
}

[[noreturn]] void refuse(nb::handle function, DiagCode code) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.args = {to_string(function.attr("__qualname__"))};
  throw DiagnosticError(std::move(diagnostic));
}

[[noreturn]] void no_source(nb::handle function) {
  const std::string file = file_of(function);
  if (file == "<stdin>" || file == "<string>") refuse(function, DiagCode::source_not_kept);
  const bool changed = changed_since_the_process_began(file);
  refuse(function, changed ? DiagCode::source_changed : DiagCode::no_source);
}

// What compiled at the top of a program must parse again deep within one; and Python 3.11 lets
// sys.setrecursionlimit raise the depth that its parser gets to in C beyond what a thread's stack
// holds. Hence a limit of our own from here. Later versions count C's levels by themselves.
class ParserLimit {
#if PY_VERSION_HEX < 0x030C0000
 public:
  ParserLimit() : before_(Py_GetRecursionLimit()) {
    const PyThreadState* thread = PyThreadState_Get();
    const int depth = thread->recursion_limit - thread->recursion_remaining;
    const int enough = depth + static_cast<int>(syntax::kMaxNesting / 2);  // 3 levels of C each
    Py_SetRecursionLimit(enough);
  }
  ~ParserLimit() { Py_SetRecursionLimit(before_); }
  ParserLimit(const ParserLimit&) = delete;

 private:
  int before_;
#endif
};

// As ast.parse does, without giving up the GIL.
nb::object parse(const std::string& text) {
  [[maybe_unused]] const ParserLimit limit;
  const NoWarnings quiet;
  PyCompilerFlags flags = _PyCompilerFlags_INIT;
  flags.cf_flags = PyCF_ONLY_AST | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE;
  return checked(Py_CompileStringExFlags(text.c_str(), "<unknown>", Py_file_input, &flags, -1));
}

std::string joined(nb::handle lines) {
  return to_string(nb::object(nb::str("").attr("join")(lines)));
}

nb::object slice(nb::handle sequence, Py_ssize_t begin, size_t end) {
  return checked(PySequence_GetSlice(sequence.ptr(), begin, static_cast<Py_ssize_t>(end)));
}

bool is_kind(nb::handle node, const char* name) {
  return node.type().is(nb::module_::import_("ast").attr(name));
}

// The names of the parameters, in the order of co_varnames, agree: the text is this function's.
bool same_parameters(nb::handle node, nb::handle code) {
  nb::handle args = node.attr("args");
  nb::list names;
  for (const char* part : {"posonlyargs", "args", "kwonlyargs"})
    for (nb::handle arg : args.attr(part)) names.append(arg.attr("arg"));
  for (const char* part : {"vararg", "kwarg"})
    if (nb::object arg = args.attr(part); !arg.is_none()) names.append(arg.attr("arg"));
  nb::object expected = slice(code.attr("co_varnames"), 0, nb::len(names));
  return nb::tuple(names).equal(expected);
}

int start_line(nb::handle node) {
  nb::object decorators = node.attr("decorator_list");
  return int_of(nb::len(decorators) ? decorators[0].attr("lineno") : node.attr("lineno"));
}

bool is_definition_of(nb::handle node, nb::handle code) {
  return is_kind(node, "FunctionDef") && node.attr("name").equal(code.attr("co_name")) &&
         same_parameters(node, code);
}

// Parses no more than the definition's own lines, which end in front of `end`. An indented one goes
// under `if 1:`, which keeps its columns.
std::optional<FunctionSource> from_block(nb::handle lines, nb::handle code, Py_ssize_t end) {
  int first = int_of(code.attr("co_firstlineno"));
  std::string text = joined(slice(lines, first - 1, static_cast<size_t>(end)));
  bool indented = !text.empty() && (text[0] == ' ' || text[0] == '\t');
  nb::object body = parse(indented ? "if 1:\n" + text : text).attr("body");
  if (indented) body = body[0].attr("body");
  if (nb::len(body) != 1 || !is_definition_of(body[0], code)) return std::nullopt;
  FunctionSource found;
  found.node = body[0];
  found.line_shift = first - 1 - (indented ? 1 : 0);
  if (start_line(found.node) + found.line_shift != first) return std::nullopt;
  return found;
}

// Lines and columns (line, column, end line, end column) of the code's instructions that lie in its
// body.
nb::list body_positions(nb::handle code) {
  nb::list positions;
  int first = int_of(code.attr("co_firstlineno"));
  for (nb::handle p : code.attr("co_positions")()) {
    if (p[0].is_none() || p[2].is_none() || p[1].is_none() || p[3].is_none()) continue;
    // The prologue stands at column 0 of the first line, wherever the lambda is.
    if (int_of(p[0]) == first && int_of(p[2]) == 0 && int_of(p[3]) == 0) continue;
    positions.append(p);
  }
  return positions;
}

bool contains_all(nb::handle body, nb::handle positions) {
  auto before = [](int line_a, int col_a, int line_b, int col_b) {
    return line_a < line_b || (line_a == line_b && col_a <= col_b);
  };
  int line = int_of(body.attr("lineno")), column = int_of(body.attr("col_offset"));
  int end_line = int_of(body.attr("end_lineno")), end_column = int_of(body.attr("end_col_offset"));
  for (nb::handle p : positions) {
    if (!before(line, column, int_of(p[0]), int_of(p[2]))) return false;
    if (!before(int_of(p[1]), int_of(p[3]), end_line, end_column)) return false;
  }
  return true;
}

// The innermost lambda whose body holds every instruction of the code.
nb::object find_lambda(nb::handle tree, nb::handle code) {
  nb::object positions = body_positions(code), best;
  if (!nb::len(positions)) return best;
  for (nb::handle node : nb::module_::import_("ast").attr("walk")(tree)) {
    if (!is_kind(node, "Lambda") || !same_parameters(node, code)) continue;
    nb::object body = node.attr("body");
    if (!contains_all(body, positions)) continue;
    // ast.walk goes from the outside in.
    best = nb::borrow(node);
  }
  return best;
}

nb::object find_definition(nb::handle tree, nb::handle code) {
  int first = int_of(code.attr("co_firstlineno"));
  for (nb::handle node : nb::module_::import_("ast").attr("walk")(tree))
    if (is_definition_of(node, code) && start_line(node) == first) return nb::borrow(node);
  return {};
}

std::optional<FunctionSource> from_file(nb::handle lines, nb::handle code) {
  nb::object tree = parse(joined(lines));
  bool lambda = to_string(code.attr("co_name")) == "<lambda>";
  FunctionSource found;
  found.node = lambda ? find_lambda(tree, code) : find_definition(tree, code);
  if (!found.node) return std::nullopt;
  return found;
}

// What does not parse is not the function's text; anything else is a real error.
template <class F>
std::optional<FunctionSource> attempt(F find) {
  try {
    return find();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_SyntaxError) && !error.matches(PyExc_ValueError)) throw;
    return std::nullopt;
  }
}

// Throws, for a file that is there, the system's own error, which linecache keeps to itself.
void throw_if_unreadable(nb::handle file) {
  const int fd = open(to_string(file).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    close(fd);
    return;
  }
  if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return;
  PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, file.ptr());
  throw nb::python_error();
}

}  // namespace

nb::object source_lines_of(nb::handle function) {
  // The source that came with a function from another process, whose file may be another one here
  // (_pickling.py).
  if (nb::object came = optional_attr(function, nb::str("__cuda_device_source__"))) return came;
  nb::module_ linecache = nb::module_::import_("linecache");
  nb::object file = function.attr("__code__").attr("co_filename");
  linecache.attr("checkcache")(file);
  nb::object lines = linecache.attr("getlines")(file, function.attr("__globals__"));
  if (nb::len(lines) == 0) throw_if_unreadable(file);
  return lines;
}

[[noreturn]] static void parser_too_deep(nb::handle code) {
  Diagnostic diagnostic;
  diagnostic.code = DiagCode::parser_too_deep;
  diagnostic.args = {to_string(code.attr("co_name")), to_string(code.attr("co_filename")),
                     std::to_string(int_of(code.attr("co_firstlineno")))};
  throw DiagnosticError(std::move(diagnostic));
}

// Whichever way finds it; nothing where none does.
static std::optional<FunctionSource> find_parsed(nb::handle lines, nb::handle code) try {
  std::optional<FunctionSource> found;
  if (to_string(code.attr("co_name")) != "<lambda>")
    for (Py_ssize_t end : possible_ends(lines, int_of(code.attr("co_firstlineno")) - 1))
      if ((found = attempt([&] { return from_block(lines, code, end); }))) break;
  if (!found) found = attempt([&] { return from_file(lines, code); });
  return found;
} catch (nb::python_error& error) {
  if (!error.matches(PyExc_RecursionError)) throw;
  parser_too_deep(code);
}

FunctionSource find_source(nb::handle function, nb::handle lines) {
  nb::object code = function.attr("__code__");
  int first = int_of(code.attr("co_firstlineno"));
  if (first < 1 || static_cast<size_t>(first) > nb::len(lines)) no_source(function);
  std::optional<FunctionSource> found = find_parsed(lines, code);
  if (!found) no_source(function);
  found->file = file_of(function);
  if (changed_since_the_process_began(found->file) && !compiles_to(lines, function, found->node))
    refuse(function, DiagCode::source_changed);
  found->lines = nb::borrow(lines);
  bool is_lambda = is_kind(found->node, "Lambda");
  int start = is_lambda ? int_of(found->node.attr("lineno")) : start_line(found->node);
  found->first_line = static_cast<uint32_t>(start + found->line_shift);
  found->last_line =
      static_cast<uint32_t>(int_of(found->node.attr("end_lineno")) + found->line_shift);
  return *found;
}

}  // namespace cuda_device::bindings
