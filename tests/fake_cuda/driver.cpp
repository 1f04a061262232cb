// A CUDA driver without a GPU: it records each call, keeps memory on the host, fails where a test
// says so, and hands launches to the test. Its functions are those of driver_api.def, under their
// names in the real library.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "fake.h"

namespace cuda_device::cuda {

State& state() {
  static State* const made = new State;
  return *made;
}

namespace {

thread_local std::vector<CUcontext> contexts;

// FAKE_CUDA_ARCHITECTURES=90,86: of each device, the last one for all others.
int architecture(CUdevice device) {
  const char* text = std::getenv("FAKE_CUDA_ARCHITECTURES");
  std::stringstream list(text ? text : "90");
  int sm = 90;
  std::string word;
  for (int i = 0; i <= device && std::getline(list, word, ','); ++i) sm = std::stoi(word);
  return sm;
}

// Bytes of each parameter of an entry, as its text declares them: ".param .u64 x", ".b8 x[24]".
std::vector<size_t> params_of(const std::string& image, size_t from) {
  std::vector<size_t> sizes;
  std::stringstream list(image.substr(from, image.find(')', from) - from));
  for (std::string one; std::getline(list, one, ',');) {
    const size_t dot = one.find_last_of('.');
    if (one.find(".param") == std::string::npos) continue;
    const size_t bracket = one.find('[');
    if (bracket != std::string::npos)
      sizes.push_back(std::stoul(one.substr(bracket + 1)));
    else
      sizes.push_back(std::stoul(one.substr(one.find_first_of("0123456789", dot))) / 8);
  }
  return sizes;
}

}  // namespace

long number_from(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}
long devices() { return number_from("FAKE_CUDA_DEVICES", 1); }

CUcontext context_of(CUdevice device) {
  return reinterpret_cast<CUcontext>(uintptr_t{0x1000} + static_cast<uintptr_t>(device));
}
CUdevice device_of(CUcontext context) {
  return static_cast<CUdevice>(reinterpret_cast<uintptr_t>(context) & 0xff);
}
CUcontext current_context() { return contexts.empty() ? nullptr : contexts.back(); }

thread_local bool in_host_function = false;  // where the driver must not be called
std::atomic<int> forbidden_calls{0};

// Called with the lock held.
static CUresult state_of(CUcontext context) {
  const State& s = state();
  if (s.sticky_everywhere) return s.sticky_everywhere;
  if (s.destroyed.count(context)) return kContextIsDestroyed;
  const auto found = s.sticky.find(context);
  return found == s.sticky.end() ? kSuccess : found->second;
}

// A call is written down, and fails if the test, or the fault of an earlier kernel, wants it to.
// FAKE_CUDA_FAIL=member:error fails every call of it, for those that a process makes at its start.
CUresult enter(const char* member, bool asks_only) {
  State& s = state();
  if (in_host_function) {
    ++forbidden_calls;
    return kNotPermitted;
  }
  const std::lock_guard lock(s.mutex);
  s.calls.emplace_back(member);
  if (const char* text = std::getenv("FAKE_CUDA_FAIL")) {
    const std::string wish = text;
    const size_t colon = wish.find(':');
    if (wish.substr(0, colon) == member) return std::atoi(wish.c_str() + colon + 1);
  }
  if (s.failing == member && --s.failing_in == 0) return s.failing_with;
  return asks_only ? kSuccess : state_of(current_context());
}

CUresult sticky(CUcontext context) {
  const std::lock_guard lock(state().mutex);
  return state_of(context);
}

void destroy_context(CUcontext context) {
  {
    const std::lock_guard lock(state().mutex);
    state().destroyed.insert(context);
    ++state().times_destroyed[context];
    state().sticky.erase(context);
  }
  drop_streams_of(context);
  drop_memory_of(context);
}

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

CUresult fake_device_attribute(int* value, int attribute, CUdevice device) {
  ASK("device_attribute");
  const int sm = architecture(device);
  *value = 0;
  if (attribute == kComputeCapabilityMajor) *value = sm / 10;
  if (attribute == kComputeCapabilityMinor) *value = sm % 10;
  if (attribute == kMaxSharedPerBlockOptIn) *value = sm == 90 ? 227 * 1024 : 99 * 1024;
  if (attribute == kMemoryPoolsSupported) *value = number_from("FAKE_CUDA_POOLS", 1) != 0;
  if (attribute == 16) *value = 132;
  return kSuccess;
}

CUresult fake_device_uuid(CUuuid* id, CUdevice device) {
  ASK("device_uuid");
  for (int i = 0; i < 16; ++i) id->bytes[i] = static_cast<unsigned char>(16 * device + i);
  return kSuccess;
}

CUresult fake_primary_context_retain(CUcontext* context, CUdevice device) {
  ASK("primary_context_retain");
  ENDS_CAPTURES;
  const std::lock_guard lock(state().mutex);
  ++state().retained[device];
  *context = context_of(device);
  return kSuccess;
}

// Not called by the runtime: the last one destroys the context, and memory that others still see.
EXPORT CUresult fake_primary_context_release(CUdevice device) asm("cuDevicePrimaryCtxRelease_v2");
CUresult fake_primary_context_release(CUdevice device) {
  ASK("primary_context_release");
  int left = 0;
  {
    const std::lock_guard lock(state().mutex);
    left = --state().retained[device] + static_cast<int>(state().retained_by_others.count(device));
  }
  if (left == 0) destroy_context(context_of(device));
  return left < 0 ? kInvalidContext : kSuccess;
}

CUresult fake_primary_context_state(CUdevice device, unsigned* flags, int* active) {
  ASK("primary_context_state");
  const std::lock_guard lock(state().mutex);
  *flags = 0;
  *active = state().retained[device] > 0 || state().retained_by_others.count(device);
  return kSuccess;
}

CUresult fake_context_get(CUcontext* context) {
  ASK("context_get");
  *context = current_context();
  return kSuccess;
}

CUresult fake_context_set(CUcontext context) {
  ASK("context_set");
  if (!contexts.empty()) contexts.pop_back();
  if (context) contexts.push_back(context);
  return kSuccess;
}

// Contexts at one address, one after the other, have numbers of their own.
CUresult fake_context_id(CUcontext context, unsigned long long* id) {
  ASK("context_id");
  const std::lock_guard lock(state().mutex);
  if (state().destroyed.count(context)) return kInvalidContext;
  *id = reinterpret_cast<uintptr_t>(context) +
        0x10000 * static_cast<uintptr_t>(state().times_destroyed[context]);
  return kSuccess;
}

CUresult fake_context_device(CUdevice* device) {
  ASK("context_device");
  NEEDS_CONTEXT;
  *device = device_of(current_context());
  return kSuccess;
}

CUresult fake_context_limit(size_t* value, int limit) {
  ENTER("context_limit");
  NEEDS_CONTEXT;
  if (limit != kStackSize) return kInvalidValue;
  const std::lock_guard lock(state().mutex);
  const auto found = state().stack_limit.find(current_context());
  *value = found == state().stack_limit.end() ? 1024 : found->second;
  return kSuccess;
}

// FAKE_CUDA_MOST_STACK: of a thread, bytes; more does not fit into the GPU's memory.
CUresult fake_context_set_limit(int limit, size_t value) {
  ENTER("context_set_limit");
  NEEDS_CONTEXT;
  if (limit != kStackSize) return kInvalidValue;
  note("stack " + std::to_string(value));
  if (value > static_cast<size_t>(number_from("FAKE_CUDA_MOST_STACK", 512 * 1024)))
    return kOutOfMemory;
  const std::lock_guard lock(state().mutex);
  state().stack_limit[current_context()] = value;
  return kSuccess;
}

CUresult fake_context_push(CUcontext context) {
  ASK("context_push");
  {
    const std::lock_guard lock(state().mutex);
    if (state().destroyed.count(context)) return kInvalidContext;
  }
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

namespace {

// All of an ELF file of 64 bits: its tables lie after everything else.
std::string elf_at(const char* start) {
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, start + at, bytes);
    return static_cast<size_t>(value);
  };
  const size_t programs = number(32, 8) + number(54, 2) * number(56, 2);
  const size_t sections = number(40, 8) + number(58, 2) * number(60, 2);
  return {start, std::max(programs, sections)};
}

// PTX or a cubin; empty for anything else, and for what FAKE_CUDA_REFUSES names.
std::string image_at(const void* image) {
  const auto* start = static_cast<const char*>(image);
  const char* refused = std::getenv("FAKE_CUDA_REFUSES");
  const bool cubin = std::memcmp(start,
                                 "\x7f"
                                 "ELF",
                                 4) == 0;
  if (refused && (std::string(refused) == "cubin") == cubin) return "";
  if (cubin) return elf_at(start);
  return std::strstr(start, ".version") ? start : "";
}

bool holds(const std::string& image, const std::string& kernel) {
  const bool cubin = image[0] == 0x7f;
  return image.find(cubin ? ".text." + kernel : ".entry " + kernel + "(") != std::string::npos;
}

}  // namespace

bool lazy() { return number_from("FAKE_CUDA_LAZY", 0) != 0; }

CUresult say_why(char* log, CUresult error) {
  if (log) std::strcpy(log, "ptxas of the fake driver: line 1: refused");
  return error;
}

CUresult need(const Kernel& kernel) {
  return kernel.library->image.empty() ? say_why(kernel.library->log, kInvalidImage) : kSuccess;
}

CUresult fake_kernel_function(CUfunction* function, CUkernel handle) {
  const auto* const kernel = reinterpret_cast<Kernel*>(handle);
  CUresult result = enter("kernel_function");
  NEEDS_CONTEXT;
  if (result == kSuccess) result = against_captures();
  if (result != kSuccess) return say_why(kernel->library->log, result);
  *function = reinterpret_cast<CUfunction>(handle);
  return need(*kernel);
}

CUresult fake_library_load(CUlibrary* library, const void* image, int* options, void** values,
                           unsigned count, int*, void**, unsigned) {
  CUresult result = enter("library_load");
  if (result == kSuccess) result = against_captures();
  const std::string code = image_at(image);
  note(std::string("library_load ") + (code.empty()      ? "nothing"
                                       : code[0] == 0x7f ? "cubin"
                                                         : "ptx"));
  char* log = nullptr;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kJitErrorLogBuffer) log = static_cast<char*>(values[i]);
  if (result == kSuccess && code.empty() && !lazy()) result = kInvalidImage;
  if (result != kSuccess) return say_why(log, result);
  *library = reinterpret_cast<CUlibrary>(new Library{code, log});
  const std::lock_guard lock(state().mutex);
  state().libraries.insert(*library);
  return kSuccess;
}

CUresult fake_library_unload(CUlibrary library) {
  ENTER("library_unload");
  ENDS_CAPTURES;
  const std::lock_guard lock(state().mutex);
  if (!state().libraries.erase(library)) return kInvalidValue;
  delete reinterpret_cast<Library*>(library);
  return kSuccess;
}

CUresult fake_library_kernel(CUkernel* kernel, CUlibrary library, const char* name) {
  ENTER("library_kernel");
  ENDS_CAPTURES;
  auto* const from = reinterpret_cast<Library*>(library);
  const std::string& image = from->image;
  if (!image.empty() && !holds(image, name)) return kNotFound;
  // The parameters of a cubin are not known.
  const size_t entry = image.find(std::string(".entry ") + name + "(");
  std::vector<size_t> params;
  if (entry != std::string::npos) params = params_of(image, image.find('(', entry));
  *kernel =
      reinterpret_cast<CUkernel>(new Kernel{name, params, from});  // as long as the process: few
  const std::lock_guard lock(state().mutex);
  state().kernels.insert(*kernel);
  return kSuccess;
}

CUresult fake_kernel_set_attribute(int attribute, int value, CUkernel kernel, CUdevice device) {
  ENTER("kernel_set_attribute");
  ENDS_CAPTURES;
  const std::lock_guard lock(state().mutex);
  if (attribute != kMaxDynamicSharedSizeBytes || !state().kernels.count(kernel))
    return kInvalidValue;
  state().shared_limit[{kernel, device}] = value;
  return kSuccess;
}

CUresult fake_error_name(CUresult error, const char** text) {
  static const std::map<CUresult, const char*> names = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"}, {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},         {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},           {400, "CUDA_ERROR_INVALID_HANDLE"},
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
EXPORT void fake_lose_context(CUresult with) {
  const std::lock_guard lock(state().mutex);
  state().sticky_everywhere = with;
}
// The same of one context.
EXPORT void fake_lose(uint64_t context, CUresult with) {
  const std::lock_guard lock(state().mutex);
  state().sticky[reinterpret_cast<CUcontext>(context)] = with;
}
// Makes the kernel of this name fail from now on when its turn comes, and with it its context.
EXPORT void fake_fault(const char* kernel, CUresult with) {
  const std::lock_guard lock(state().mutex);
  state().faulty = kernel;
  state().fault = with;
}
EXPORT void fake_destroy_context(uint64_t context) {
  destroy_context(reinterpret_cast<CUcontext>(context));
}
EXPORT int fake_forbidden_calls() { return forbidden_calls; }
EXPORT uint64_t fake_current_context() { return reinterpret_cast<uint64_t>(current_context()); }
EXPORT int fake_retained(CUdevice device) {
  const std::lock_guard lock(state().mutex);
  return state().retained[device];
}
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
EXPORT size_t fake_libraries() {
  const std::lock_guard lock(state().mutex);
  return state().libraries.size();
}
EXPORT size_t fake_context_depth() { return contexts.size(); }

}  // namespace cuda_device::cuda
