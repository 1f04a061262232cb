#include "runtime/host/symbols.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include <string_view>

#include "runtime/host/fibres/imports.h"
#include "runtime/host/report.h"
#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

struct Named {
  std::string_view name;
  void* address;
};

const Named kSymbols[] = {
#define HOST_IMPORT(name, result, parameters) \
  {#name, reinterpret_cast<void*>(static_cast<result(*) parameters>(&::name))},
#include "abi/host_imports.def"
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
  static constinit MadeOnce<void*> once;
  void* const sleef = once.get(open_sleef);
  return sleef ? dlsym(sleef, name.c_str()) : nullptr;
}

}  // namespace cuda_device::runtime
