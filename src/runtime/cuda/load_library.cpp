#include "runtime/cuda/load_library.h"

#include "runtime/cuda/context.h"

namespace cuda_device::cuda {
namespace {

constexpr size_t kLogBytes = 8192;

// The log is empty where the code was no PTX. The driver may put off to look at the code until a
// function of it is asked for in a context, and would refuse it at the first launch.
CUresult load(const Code& code, const std::string& entry, LoadedLibrary& loaded) {
  const Driver& d = driver();
  loaded.log = std::make_unique<char[]>(kLogBytes);
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void* values[] = {loaded.log.get(), reinterpret_cast<void*>(kLogBytes)};
  CUresult result =
      d.library_load(&loaded.library, code.bytes.data(), options, values, 2, nullptr, nullptr, 0);
  if (result != kSuccess) return result;
  result = d.library_kernel(&loaded.kernel, loaded.library, entry.c_str());
  CUfunction function = nullptr;
  if (result == kSuccess) result = d.kernel_function(&function, loaded.kernel);
  if (result != kSuccess) d.library_unload(loaded.library);
  return result;
}

// Not by this kernel, which has not run: by one before it.
void throw_what_was_lost() {
  for_each_context([](Context& context) {
    context.note(context.state());
    context.throw_if_lost();
  });
}

// Another form of the code would meet the same.
bool is_final(CUresult result) { return result == kOutOfMemory || loses_context(result); }

}  // namespace

LoadedLibrary load_library(const FatImage& code, int sm, const std::string& kernel,
                           const std::string& entry) {
  const std::string what = "loading kernel '" + kernel + "' on the GPU";
  CUresult result = 0;
  std::string log;
  for (const Code* one : code.for_gpu(sm)) {
    LoadedLibrary loaded;
    result = load(*one, entry, loaded);
    if (result == kSuccess) return loaded;
    log = loaded.log.get();
    if (is_final(result)) break;
  }
  if (result == kSuccess)
    throw DriverError(what + ": there is no code for compute capability " +
                      std::to_string(sm / 10) + "." + std::to_string(sm % 10));
  if (loses_context(result)) throw_what_was_lost();
  throw DriverError(what + ": " + driver().words_for(result) + (log.empty() ? "" : "\n" + log));
}

}  // namespace cuda_device::cuda
