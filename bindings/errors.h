// Diagnostics and faults → Python exceptions. Nothing else in bindings/ makes an exception of ours.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/python.h"
#include "dispatch/rt_api.h"
#include "support/diagnostic.h"
#include "support/span.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// A mistake of one launch, with no place in the source: sets the exception of the code's class;
// returns null.
PyObject* raise_launch_error(DiagCode code, std::vector<std::string> args);

// The same as a C++ exception, for code further down; `guarded` turns it into the Python one.
struct LaunchError {
  DiagCode code;
  std::vector<std::string> args;
};

// A function that cannot be read: diagnostics with the files that they point into.
struct CaptureError {
  std::vector<Diagnostic> diagnostics;
  SourceMap files;
};

// Sets the Python exception for diagnostics of the compiler, rendered with the lines of their
// files.
void set_diagnostics(const std::vector<Diagnostic>& diagnostics, const SourceMap& files);

// Tells the compiler's doubts as Python warnings of class PrecisionWarning, each once for its place
// in the module with these globals. False: an exception is set, as where warnings are errors.
bool warn_of_precision(const std::vector<Warning>& warnings, const syntax::Program& program,
                       nb::handle globals);

// Sets the Python exception of an outcome that is not Ok. `name`: of the kernel.
void set_outcome(const dispatch::Outcome& outcome, const SourceMap& files, const std::string& name);

// Throws it, where the outcome is not Ok. `kernel`: its name, where it is about one.
void throw_unless_ok(const dispatch::Outcome& outcome, const std::string& kernel = "");
// The error that is raised says what the others were.
void add_note(nb::python_error& error, const std::string& text);

// The later one was raised while the earlier one was told: tracebacks show both.
void set_context(const nb::python_error& later, const nb::python_error& earlier);

// Calls a function of the runtime that takes an outcome, without the GIL, and throws what is wrong.
template <class Call>
auto without_gil(Call call) {
  dispatch::Outcome outcome;
  const auto unlocked = [&] {
    const WithoutGil released;
    return call(&outcome);
  };
  if constexpr (std::is_void_v<decltype(unlocked())>) {
    unlocked();
    throw_unless_ok(outcome);
  } else {
    const auto result = unlocked();
    throw_unless_ok(outcome);
    return result;
  }
}

// Sets the Python exception for whatever C++ exception is being handled.
void set_current_exception() noexcept;

// Calls f, which returns an nb::object, at the border to Python: null and a Python exception if it
// throws.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    nb::object result = f();
    return result.release().ptr();
  } catch (...) {
    set_current_exception();
    return nullptr;
  }
}

}  // namespace cuda_device::bindings
