#include "bindings/interrupted.h"

#include <unistd.h>

#include "bindings/python.h"
#include "support/fork.h"

namespace cuda_device::bindings {
namespace {

// Python runs handlers of signals in its main thread alone. Other threads are not asked: at the
// process's end they may no longer come near Python.
bool runs_handlers() {
  static thread_local bool main = false;
  static thread_local unsigned known_at = ~0U;  // a fork makes its thread the child's main one
  if (const unsigned forks = fork_count(); known_at != forks) {
    main = getpid() == gettid();
    known_at = forks;
  }
  return main;
}

bool a_handler_raised() {
  const WithGil gil;
  return PyErr_CheckSignals() != 0;
}

}  // namespace

const std::function<bool()>* interrupted() {
  static const std::function<bool()> ask = a_handler_raised;
  return runs_handlers() ? &ask : nullptr;
}

}  // namespace cuda_device::bindings
