#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <atomic>
#include <optional>

#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

struct Found {
  std::optional<Driver> driver;
  std::string why;
};

// Set once it is initialised: for callers that must not initialise it.
std::atomic<const Driver*> initialised{nullptr};
std::atomic<bool> ended{false};

bool bind_functions(void* library, Driver& d, std::string& why) {
#define DRIVER(member, symbol, parameters)                                                 \
  d.member = reinterpret_cast<decltype(d.member)>(dlsym(library, symbol));                 \
  if (!d.member) {                                                                         \
    why = std::string("the CUDA driver lacks ") + symbol + "; CUDA 12 or newer is needed"; \
    return false;                                                                          \
  }
#include "runtime/cuda/driver_api.def"
  return true;
}

Found find_driver() {
  Found found;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    found.why = "no CUDA driver (libcuda.so.1) on this machine";
    return found;
  }
  Driver d;
  if (!bind_functions(library, d, found.why)) return found;
  try {
    d.check(d.init(0), "initialising the CUDA driver");
    d.check(d.driver_version(&d.version), "asking for the driver's version");
    d.check(d.device_count(&d.devices), "counting GPUs");
  } catch (const DriverError& e) {
    found.why = e.what();
    return found;
  }
  if (d.devices == 0) {
    found.why = "the CUDA driver sees no GPU";
    return found;
  }
  d.forks = fork_count();
  found.driver = d;
  return found;
}

const Found& found() {
  static constinit MadeOnce<Found> once;
  const Found& made = once.get(find_driver);
  if (made.driver) initialised.store(&*made.driver, std::memory_order_release);
  return made;
}

constexpr const char* kForked =
    "this process was forked from one that had initialised CUDA, and CUDA does not work in such a "
    "child; start it anew instead (multiprocessing's 'spawn' or 'forkserver'), or fork before the "
    "first use of a GPU";

std::string advice_on(CUresult error) {
  switch (error) {
#define ADVICE(number, text) \
  case number:               \
    return "\n" text;
#include "runtime/cuda/driver_errors.def"
    default:
      return "";
  }
}

}  // namespace

std::string Driver::words_for(CUresult error) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name) error_name(error, &name);
  if (error_text) error_text(error, &text);
  return (name ? name : "CUDA error " + std::to_string(error)) +
         (text ? std::string(" (") + text + ")" : "") + advice_on(error);
}

void Driver::check(CUresult result, const char* what) const {
  if (result != kSuccess) throw DriverError(std::string(what) + ": " + words_for(result));
}

const Driver& driver() {
  const Driver* d = initialised.load(std::memory_order_acquire);
  if (!d) {
    if (!found().driver) throw DriverError(found().why);
    d = &*found().driver;
  }
  if (d->forks != fork_count()) throw DriverError(kForked);
  if (ended.load(std::memory_order_relaxed))
    throw DriverError("the process is ending: its GPUs are not used any more");
  return *d;
}

std::string why_no_driver() {
  if (!found().driver) return found().why;
  return found().driver->forks != fork_count() ? kForked : "";
}

const Driver* working_driver() {
  const Driver* d = initialised.load(std::memory_order_acquire);
  const bool works = d && d->forks == fork_count() && !ended.load(std::memory_order_relaxed);
  return works ? d : nullptr;
}

bool driver_takes_calls() {
  const Driver* d = working_driver();
  CUcontext current = nullptr;
  return !d || d->context_get(&current) != kNotPermitted;
}

void end_driver() { ended = true; }

bool loses_context(CUresult error) {
  switch (error) {
#define LOSES(number, text) case number:
#include "runtime/cuda/driver_errors.def"
    return true;
    default:
      return false;
  }
}

CurrentContext::CurrentContext(CUcontext context) {
  const Driver& d = driver();
  CUcontext before = nullptr;
  d.check(d.context_get(&before), "asking for the current context");
  if (before == context) return;
  d.check(d.context_push(context), "making the GPU's context current");
  pushed_ = true;
}

BesideCaptures::BesideCaptures() noexcept {
  if (const Driver* d = working_driver()) changed_ = d->thread_capture_mode(&mode_) == kSuccess;
}

BesideCaptures::~BesideCaptures() {
  if (const Driver* d = working_driver(); changed_ && d) d->thread_capture_mode(&mode_);
}

bool captured(CUstream stream) {
  int capturing = 0;
  const CUresult result = driver().stream_capturing(stream, &capturing);
  return result == kCaptureImplicit || (result == kSuccess && capturing);
}

CurrentContext::~CurrentContext() {
  CUcontext ours;
  if (const Driver* d = working_driver(); pushed_ && d) d->context_pop(&ours);
}

}  // namespace cuda_device::cuda
