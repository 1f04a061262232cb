// The Python types behind @kernel and @func: one struct, two types.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "bindings/python.h"
#include "bindings/source/function_source.h"
#include "bindings/source/guard.h"
#include "dispatch/rt_api.h"
#include "support/fork.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// Parsed functions by code object, so that a program captured again is not parsed again.
class SourceCache {
 public:
  // `lines`: taken at decoration; null for plain functions, whose text is looked up now.
  const FunctionSource& find(nb::handle function, nb::handle lines);

 private:
  struct Entry {
    nb::object code;
    FunctionSource source;
  };
  std::unordered_map<PyObject*, Entry> entries_;
};

// What an annotation says of the numbers that a launch gives.
struct DeclaredFormat {
  std::optional<ScalarKind> number;  // of a complex number, the format of its parts
  bool is_complex = false;
  std::vector<DeclaredFormat> elements;  // of tuple[...]
  bool repeats = false;                  // tuple[T, ...]: all are as the first one

  bool says_something() const { return number || !elements.empty(); }
};
using DeclaredFormats = std::vector<DeclaredFormat>;

// A kernel as captured under one state of the globals and closures that it reads.
struct Variant {
  uint32_t id = 0;
  DeclaredFormats declared;  // of the parameters, by annotation; empty where none has one
  std::shared_ptr<const syntax::Program> program;
  std::vector<Guard> guards;
  std::vector<nb::object> types;  // the classes and dtypes behind the program's types, by index
  std::vector<bool> constant;     // which parameters are constants; empty where none is
};

// How many arguments a launch may give.
struct Parameters {
  Py_ssize_t required = 0;    // positional without default
  Py_ssize_t positional = 0;  // most that can be given
  bool variadic = false;  // has *args or **kwargs: the compiler refuses them with the source line
  std::vector<std::string> names;  // in order, keyword-only ones last
};

struct FunctionState {
  syntax::FunctionKind kind = syntax::FunctionKind::Kernel;
  syntax::FunctionOptions options;
  frontend::DialectName dialect = frontend::DialectName::Device;
  std::string name;
  // Belongs to one code object, which tools that reload modules may replace.
  nb::object code;
  nb::object lines;  // text of the file when the code was first seen
  Parameters parameters;
  SourceCache sources;

  // --- kernels ---
  dispatch::Kernel* kernel = nullptr;
  std::recursive_mutex capturing;  // taken without the GIL
  void renew_in_child() { leave_behind(capturing); }
  std::vector<std::shared_ptr<Variant>> variants;  // the one used last is in front
  uint32_t next_variant = 0;
  std::vector<nb::object>
      argument_types;  // classes and dtypes that arguments had: in every variant
  std::vector<std::array<uint32_t, 3>> blocks;  // block shapes that have a version of their own
  // Key, target and code of the last launch on the host: such a launch need not let go of the GIL,
  // nor look for its code.
  std::string ready_key, ready_target;
  std::shared_ptr<const dispatch::Compiled> ready_code;
  ForkHook hook{this};
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* underlying;
  PyObject* dict;
  PyObject* weakrefs;
  FunctionState* state;
};

extern PyTypeObject* kernel_type;
extern PyTypeObject* func_type;

inline FunctionObject* as_function_object(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == kernel_type || type == func_type ? reinterpret_cast<FunctionObject*>(object)
                                                  : nullptr;
}

// Reads code, lines and parameters again if the code was replaced.
void refresh(FunctionObject* function);

// Adds the types to the module, and make_kernel and make_func.
void register_function_types(nb::module_& module);

}  // namespace cuda_device::bindings
