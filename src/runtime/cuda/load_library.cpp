#include "runtime/cuda/load_library.h"

#include "runtime/cuda/context.h"

namespace cuda_device::cuda {
namespace {

// The log is empty where the code was no PTX.
CUresult load(const Code& code, CUlibrary* library, std::string& log) {
  char text[8192] = "";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void* values[] = {text, reinterpret_cast<void*>(sizeof text)};
  const CUresult result =
      driver().library_load(library, code.bytes.data(), options, values, 2, nullptr, nullptr, 0);
  log = text;
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

CUlibrary load_library(const FatImage& code, int sm, const std::string& kernel) {
  const std::string what = "loading kernel '" + kernel + "' on the GPU";
  CUresult result = 0;
  std::string log;
  for (const Code* one : code.for_gpu(sm)) {
    CUlibrary library = nullptr;
    result = load(*one, &library, log);
    if (result == kSuccess) return library;
    if (is_final(result)) break;
  }
  if (result == kSuccess)
    throw DriverError(what + ": there is no code for compute capability " +
                      std::to_string(sm / 10) + "." + std::to_string(sm % 10));
  if (loses_context(result)) throw_what_was_lost();
  throw DriverError(what + ": " + driver().words_for(result) + (log.empty() ? "" : "\n" + log));
}

}  // namespace cuda_device::cuda
