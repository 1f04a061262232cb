// A CUDA driver without a GPU: it records each call, keeps memory on the host, fails where a test
// says so, and hands launches to the test. Its functions are those of driver_api.def, under their
// names in the real library.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/cuda/driver_types.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace cuda_device::cuda {
namespace {

constexpr CUresult kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidContext = 201,
                   kInvalidImage = 200, kNotFound = 500;

using OnLaunch = void (*)(const char* kernel, const unsigned* grid_and_block, unsigned shared,
                          void** params);

struct Library {
  std::string image;
};
struct Kernel {
  std::string name;
};

// What the process has of the device, and what the test wants.
struct State {
  std::mutex mutex;
  std::vector<std::string> calls;
  std::string failing;  // a member of driver_api.def
  int failing_in = 0;   // 1: the next call of it
  CUresult failing_with = 0;
  CUresult sticky = 0;  // after a kernel's fault, everything but asking fails with it
  std::map<CUdeviceptr, size_t> memory;
  size_t allocated = 0;
  std::set<CUlibrary> libraries;
  std::set<CUkernel> kernels;
  std::map<CUkernel, int> shared_limit;
  OnLaunch on_launch = nullptr;
};
State& state() {
  static State* const made = new State;
  return *made;
}
thread_local std::vector<CUcontext> contexts;

long number_from(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}
long devices() { return number_from("FAKE_CUDA_DEVICES", 1); }
size_t capacity() { return static_cast<size_t>(number_from("FAKE_CUDA_MEMORY", 1L << 30)); }

CUcontext context_of(CUdevice device) {
  return reinterpret_cast<CUcontext>(uintptr_t{0x1000} + static_cast<uintptr_t>(device));
}

// A call is written down, and fails if the test, or the fault of an earlier kernel, wants it to.
// FAKE_CUDA_FAIL=member:error fails every call of it, for those that a process makes at its start.
CUresult enter(const char* member, bool asks_only = false) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.calls.emplace_back(member);
  if (const char* text = std::getenv("FAKE_CUDA_FAIL")) {
    const std::string wish = text;
    const size_t colon = wish.find(':');
    if (wish.substr(0, colon) == member) return std::atoi(wish.c_str() + colon + 1);
  }
  if (s.failing == member && --s.failing_in == 0) return s.failing_with;
  return asks_only ? kSuccess : s.sticky;
}

bool in_memory(CUdeviceptr at, size_t bytes) {
  auto found = state().memory.upper_bound(at);
  if (found == state().memory.begin()) return false;
  --found;
  return at + bytes <= found->first + found->second;
}

}  // namespace

#define DRIVER(member, symbol, parameters) EXPORT CUresult fake_##member parameters asm(symbol);
#include "runtime/cuda/driver_api.def"

#define ENTER(member) \
  if (const CUresult wrong = enter(member)) return wrong
#define ASK(member) \
  if (const CUresult wrong = enter(member, true)) return wrong
#define NEEDS_CONTEXT \
  if (contexts.empty()) return kInvalidContext

CUresult fake_init(unsigned) {
  ASK("init");
  return devices() ? kSuccess : kNoDevice;
}

CUresult fake_driver_version(int* version) {
  ASK("driver_version");
  *version = 13000;
  return kSuccess;
}

CUresult fake_device_count(int* count) {
  ASK("device_count");
  *count = static_cast<int>(devices());
  return kSuccess;
}

CUresult fake_device_get(CUdevice* device, int ordinal) {
  ASK("device_get");
  if (ordinal < 0 || ordinal >= devices()) return kInvalidValue;
  *device = ordinal;
  return kSuccess;
}

CUresult fake_device_name(char* name, int size, CUdevice device) {
  ASK("device_name");
  std::snprintf(name, static_cast<size_t>(size), "Fake GPU %d", device);
  return kSuccess;
}

CUresult fake_device_attribute(int* value, int attribute, CUdevice) {
  ASK("device_attribute");
  *value = attribute == kComputeCapabilityMajor ? 9 : 0;
  return kSuccess;
}

CUresult fake_primary_context_retain(CUcontext* context, CUdevice device) {
  ASK("primary_context_retain");
  *context = context_of(device);
  return kSuccess;
}

CUresult fake_context_push(CUcontext context) {
  ASK("context_push");
  contexts.push_back(context);
  return kSuccess;
}

CUresult fake_context_pop(CUcontext* context) {
  ASK("context_pop");
  NEEDS_CONTEXT;
  *context = contexts.back();
  contexts.pop_back();
  return kSuccess;
}

CUresult fake_context_synchronize() {
  ENTER("context_synchronize");
  NEEDS_CONTEXT;
  return kSuccess;
}

CUresult fake_memory_alloc(CUdeviceptr* pointer, size_t bytes) {
  ENTER("memory_alloc");
  NEEDS_CONTEXT;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (bytes == 0) return kInvalidValue;
  if (s.allocated + bytes > capacity()) return kOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xcd, bytes);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  s.memory[*pointer] = bytes;
  s.allocated += bytes;
  return kSuccess;
}

CUresult fake_memory_free(CUdeviceptr pointer) {
  ENTER("memory_free");
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto found = s.memory.find(pointer);
  if (found == s.memory.end()) return kInvalidValue;
  s.allocated -= found->second;
  s.memory.erase(found);
  std::free(reinterpret_cast<void*>(pointer));
  return kSuccess;
}

CUresult fake_copy_to_device(CUdeviceptr to, const void* from, size_t bytes) {
  ENTER("copy_to_device");
  NEEDS_CONTEXT;
  if (!in_memory(to, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}

CUresult fake_copy_to_host(void* to, CUdeviceptr from, size_t bytes) {
  ENTER("copy_to_host");
  NEEDS_CONTEXT;
  if (!in_memory(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

CUresult fake_library_load(CUlibrary* library, const void* image, int* options, void** values,
                           unsigned count, int*, void**, unsigned) {
  CUresult result = enter("library_load");
  const auto* text = static_cast<const char*>(image);
  if (result == kSuccess && !std::strstr(text, ".version")) result = kInvalidImage;
  if (result != kSuccess) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == kJitErrorLogBuffer)
        std::strcpy(static_cast<char*>(values[i]), "ptxas of the fake driver: line 1: refused");
    return result;
  }
  *library = reinterpret_cast<CUlibrary>(new Library{text});
  const std::lock_guard lock(state().mutex);
  state().libraries.insert(*library);
  return kSuccess;
}

CUresult fake_library_unload(CUlibrary library) {
  ENTER("library_unload");
  const std::lock_guard lock(state().mutex);
  if (!state().libraries.erase(library)) return kInvalidValue;
  delete reinterpret_cast<Library*>(library);
  return kSuccess;
}

CUresult fake_library_kernel(CUkernel* kernel, CUlibrary library, const char* name) {
  ENTER("library_kernel");
  const std::string entry = std::string(".entry ") + name + "(";
  if (reinterpret_cast<Library*>(library)->image.find(entry) == std::string::npos) return kNotFound;
  *kernel = reinterpret_cast<CUkernel>(new Kernel{name});  // as long as the process: few
  const std::lock_guard lock(state().mutex);
  state().kernels.insert(*kernel);
  return kSuccess;
}

CUresult fake_kernel_set_attribute(int attribute, int value, CUkernel kernel, CUdevice) {
  ENTER("kernel_set_attribute");
  const std::lock_guard lock(state().mutex);
  if (attribute != kMaxDynamicSharedSizeBytes || !state().kernels.count(kernel))
    return kInvalidValue;
  state().shared_limit[kernel] = value;
  return kSuccess;
}

CUresult fake_launch_kernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, CUstream, void** params,
                            void**) {
  ENTER("launch_kernel");
  NEEDS_CONTEXT;
  const auto kernel = reinterpret_cast<CUkernel>(function);
  State& s = state();
  {
    const std::lock_guard lock(s.mutex);
    if (!s.kernels.count(kernel)) return kInvalidValue;
    const auto limit = s.shared_limit.find(kernel);
    if (shared > 48 * 1024 && (limit == s.shared_limit.end() || shared > unsigned(limit->second)))
      return kInvalidValue;
  }
  const unsigned shape[] = {gx, gy, gz, bx, by, bz};
  const std::string& name = reinterpret_cast<Kernel*>(function)->name;
  if (s.on_launch) s.on_launch(name.c_str(), shape, shared, params);
  return kSuccess;
}

CUresult fake_error_name(CUresult error, const char** text) {
  static const std::map<CUresult, const char*> names = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"}, {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},         {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"}, {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(error);
  if (found == names.end()) return kInvalidValue;
  *text = found->second;
  return kSuccess;
}

CUresult fake_error_text(CUresult error, const char** text) {
  static thread_local std::string words;
  words = "fake error " + std::to_string(error);
  *text = words.c_str();
  return kSuccess;
}

// --- what the test says and asks ---

EXPORT void fake_fail(const char* member, int in, CUresult with) {
  const std::lock_guard lock(state().mutex);
  state().failing = member;
  state().failing_in = in;
  state().failing_with = with;
}
EXPORT void fake_lose_context(CUresult with) { state().sticky = with; }
EXPORT void fake_on_launch(OnLaunch function) { state().on_launch = function; }

// The members called so far, a line each; forgets them.
EXPORT const char* fake_take_calls() {
  static thread_local std::string text;
  const std::lock_guard lock(state().mutex);
  text.clear();
  for (const std::string& call : state().calls) text += call + "\n";
  state().calls.clear();
  return text.c_str();
}
EXPORT size_t fake_allocations() {
  const std::lock_guard lock(state().mutex);
  return state().memory.size();
}
EXPORT size_t fake_libraries() {
  const std::lock_guard lock(state().mutex);
  return state().libraries.size();
}
EXPORT size_t fake_context_depth() { return contexts.size(); }

}  // namespace cuda_device::cuda
