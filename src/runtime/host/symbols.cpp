#include "runtime/host/symbols.h"

#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <string_view>

namespace cuda_device::runtime {
namespace {

struct Named {
  std::string_view name;
  void* address;
};

template <class R, class... A>
void* address_of(R (*f)(A...)) {
  return reinterpret_cast<void*>(f);
}

// What LLVM itself may call for, and scalar functions for uniform values.
const Named kSymbols[] = {
    {"memset", address_of(static_cast<void* (*)(void*, int, size_t)>(&memset))},
    {"memcpy", address_of(static_cast<void* (*)(void*, const void*, size_t)>(&memcpy))},
    {"memmove", address_of(static_cast<void* (*)(void*, const void*, size_t)>(&memmove))},
    {"fma", address_of(static_cast<double (*)(double, double, double)>(&::fma))},
    {"fmaf", address_of(static_cast<float (*)(float, float, float)>(&::fmaf))},
    {"fmod", address_of(static_cast<double (*)(double, double)>(&::fmod))},
    {"fmodf", address_of(static_cast<float (*)(float, float)>(&::fmodf))},
    {"floor", address_of(static_cast<double (*)(double)>(&::floor))},
    {"floorf", address_of(static_cast<float (*)(float)>(&::floorf))},
    {"ceil", address_of(static_cast<double (*)(double)>(&::ceil))},
    {"ceilf", address_of(static_cast<float (*)(float)>(&::ceilf))},
    {"trunc", address_of(static_cast<double (*)(double)>(&::trunc))},
    {"truncf", address_of(static_cast<float (*)(float)>(&::truncf))},
    {"rint", address_of(static_cast<double (*)(double)>(&::rint))},
    {"rintf", address_of(static_cast<float (*)(float)>(&::rintf))},
};

std::string folder_of_this_object() {
  Dl_info where;
  if (!dladdr(reinterpret_cast<void*>(&folder_of_this_object), &where) || !where.dli_fname)
    return "";
  std::string path = where.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// RTLD_LOCAL: another SLEEF in this process (PyTorch carries one) must not be met.
void* open_sleef() {
  const std::string bundled = folder_of_this_object() + "libcuda_device_sleef.so";
  if (void* handle = dlopen(bundled.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  return dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

void* host_symbol(const std::string& name) {
  for (const Named& s : kSymbols)
    if (s.name == name) return s.address;
  if (!name.starts_with("Sleef_")) return nullptr;
  static void* const sleef = open_sleef();
  return sleef ? dlsym(sleef, name.c_str()) : nullptr;
}

}  // namespace cuda_device::runtime
