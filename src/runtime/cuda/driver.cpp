#include "runtime/cuda/driver.h"

#include <dlfcn.h>

#include <optional>

#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

struct Found {
  std::optional<Driver> driver;
  std::string why;
};

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
  found.driver = d;
  return found;
}

const Found& found() {
  static constinit MadeOnce<Found> once;
  return once.get(find_driver);
}

Gpu open_gpu0() {
  const Driver& d = driver();
  Gpu gpu;
  char name[256] = "";
  int major = 0, minor = 0;
  d.check(d.device_get(&gpu.device, 0), "opening GPU 0");
  d.check(d.device_name(name, sizeof name, gpu.device), "asking for the name of GPU 0");
  d.check(d.device_attribute(&major, kComputeCapabilityMajor, gpu.device),
          "asking for the compute capability");
  d.check(d.device_attribute(&minor, kComputeCapabilityMinor, gpu.device),
          "asking for the compute capability");
  d.check(d.primary_context_retain(&gpu.context, gpu.device), "opening the context of GPU 0");
  gpu.sm = major * 10 + minor;
  gpu.name = name;
  return gpu;
}

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

void Driver::check(CUresult result, const char* what) const {
  if (result == kSuccess) return;
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name) error_name(result, &name);
  if (error_text) error_text(result, &text);
  throw DriverError(std::string(what) + ": " +
                    (name ? name : "CUDA error " + std::to_string(result)) +
                    (text ? std::string(" (") + text + ")" : "") + advice_on(result));
}

const Driver& driver() {
  if (!found().driver) throw DriverError(found().why);
  return *found().driver;
}

std::string why_no_driver() { return found().why; }

const Gpu& gpu0() {
  static constinit MadeOnce<Gpu> once;
  return once.get(open_gpu0);
}

CurrentContext::CurrentContext(const Gpu& gpu) {
  driver().check(driver().context_push(gpu.context), "making the GPU's context current");
}

CurrentContext::~CurrentContext() {
  CUcontext ours;
  driver().context_pop(&ours);
}

}  // namespace cuda_device::cuda
