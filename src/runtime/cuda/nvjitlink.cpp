// nvJitLink, found at run time like the driver, as an assembler.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "runtime/cuda/assembler.h"

namespace cuda_device::cuda {
namespace {

struct Library {
#define NVJITLINK(member, symbol, parameters) int(*member) parameters = nullptr;
#include "runtime/cuda/nvjitlink_api.def"
  std::string path;
};

constexpr int kInputPtx = 2;

void* open_library() {
  for (const char* name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    const std::string path = find_in_toolkit(name);
    if (path.empty()) continue;
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

bool bind_functions(void* handle, Library& library) {
#define NVJITLINK(member, symbol, parameters)                                         \
  library.member = reinterpret_cast<decltype(library.member)>(dlsym(handle, symbol)); \
  if (!library.member) return false;
#include "runtime/cuda/nvjitlink_api.def"
  Dl_info where;
  if (!dladdr(reinterpret_cast<void*>(library.create), &where) || !where.dli_fname) return false;
  library.path = where.dli_fname;
  return true;
}

// One link, from its creation to its end.
class Link {
 public:
  Link(const Library& library, int sm) : library_(library) {
    const std::string arch = "-arch=sm_" + std::to_string(sm);
    const char* options[] = {arch.c_str()};
    ok_ = library_.create(&handle_, 1, options) == 0;
  }
  ~Link() {
    if (handle_) library_.destroy(&handle_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  Assembled run(const std::string& ptx) {
    Assembled result;
    ok_ = ok_ && library_.add_data(handle_, kInputPtx, ptx.c_str(), ptx.size() + 1, "kernel") == 0;
    ok_ = ok_ && library_.complete(handle_) == 0;
    size_t bytes = 0;
    if (ok_ && library_.cubin_size(handle_, &bytes) == 0) {
      result.cubin.resize(bytes);
      result.ok = library_.cubin(handle_, result.cubin.data()) == 0;
    }
    if (!result.ok) result.log = log();
    return result;
  }

 private:
  std::string log() const {
    size_t bytes = 0;
    if (!handle_ || library_.error_log_size(handle_, &bytes) != 0 || bytes == 0)
      return "nvJitLink failed without a word";
    std::string text(bytes, '\0');
    library_.error_log(handle_, text.data());
    text.resize(std::strlen(text.data()));
    return text;
  }

  const Library& library_;
  void* handle_ = nullptr;
  bool ok_ = false;
};

}  // namespace

Assembler find_nvjitlink_assembler() {
  void* const handle = open_library();
  const auto library = std::make_shared<Library>();
  if (!handle || !bind_functions(handle, *library)) return {};
  unsigned major = 0, minor = 0;
  library->version(&major, &minor);
  const std::string name = "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
  return {identity_of_file(name, library->path), name + " (" + library->path + ")",
          [library](const std::string& ptx, int sm) { return Link(*library, sm).run(ptx); }};
}

}  // namespace cuda_device::cuda
