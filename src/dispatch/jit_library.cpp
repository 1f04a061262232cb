#include "dispatch/jit_library.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "support/fork.h"

namespace cuda_device::dispatch {
namespace {

std::string path_beside_this_object() {
  Dl_info where;
  if (!dladdr(reinterpret_cast<void*>(&path_beside_this_object), &where) || !where.dli_fname)
    return "libcuda_device_jit.so";
  std::string path = where.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "libcuda_device_jit.so";
}

template <class F>
void bind(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (!function)
    throw std::runtime_error(std::string("the compiler library lacks ") + name +
                             "; reinstall the package");
}

// RTLD_LOCAL: other LLVMs live in this process (llvmlite, PyTorch, JAX).
JitLibrary open() {
  void* handle = dlopen(path_beside_this_object().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(std::string("cannot open the compiler library: ") + dlerror());
  JitLibrary library;
  bind(handle, "cd_jit_compile", library.compile);
  bind(handle, "cd_jit_inspect", library.inspect);
  bind(handle, "cd_jit_finish", library.finish);
  bind(handle, "cd_jit_interpret", library.interpret);
  bind(handle, "cd_jit_release", library.release);
  bind(handle, "cd_jit_host_forms", library.host_forms);
  bind(handle, "cd_jit_emulated_forms", library.emulated_forms);
  bind(handle, "cd_jit_host_targets", library.host_targets);
  bind(handle, "cd_jit_ptx_architectures", library.ptx_architectures);
  bind(handle, "cd_jit_llvm_version", library.llvm_version);
  return library;
}

constinit MadeOnce<JitLibrary> once;

}  // namespace

const JitLibrary& jit_library() { return once.get(open); }
const JitLibrary* jit_library_if_open() { return once.if_made(); }

}  // namespace cuda_device::dispatch
