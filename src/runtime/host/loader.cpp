#include "runtime/host/loader.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "runtime/host/fibres/switch.h"
#include "runtime/host/symbols.h"

namespace cuda_device::runtime {
namespace {

constexpr size_t kPage = 4096;
size_t round_to_page(size_t n) { return (n + kPage - 1) / kPage * kPage; }

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

void check_image(const abi::KernelImage& image) {
  const bool sane = image.kind == abi::ImageKind::HostCode &&
                    image.text_size <= image.code.size() && image.entry < image.text_size;
  if (!sane) throw std::runtime_error("damaged kernel image of '" + image.name + "'");
  if (image.threads && !fibres::kSupported)
    throw std::runtime_error("the threads of kernel '" + image.name +
                             "' wait for each other, which needs a stack for each: that works on "
                             "x86-64 only, yet");
}

void resolve_imports(const abi::KernelImage& image, char* base) {
  for (const abi::Import& import : image.imports) {
    if (import.offset + sizeof(void*) > image.code.size() || import.offset < image.text_size)
      throw std::runtime_error("damaged import table in the image of '" + image.name + "'");
    void* address = host_symbol(import.name);
    if (!address)
      throw std::runtime_error("kernel '" + image.name + "' imports unknown symbol '" +
                               import.name + "'");
    std::memcpy(base + import.offset, &address, sizeof address);
  }
}

}  // namespace

LoadedCode::LoadedCode(const abi::KernelImage& image) {
  check_image(image);
  size_ = round_to_page(image.code.size());
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no memory for compiled code");
  base_ = static_cast<char*>(memory);
  try {
    std::memcpy(base_, image.code.data(), image.code.size());
    resolve_imports(image, base_);
    seal(round_to_page(image.text_size));
    profiler_hooks_.emplace(image, base_);
  } catch (...) {
    munmap(base_, size_);
    throw;
  }
  entry_ = base_ + image.entry;
}

void LoadedCode::seal(size_t text_bytes) {
  if (mprotect(base_, text_bytes, PROT_READ | PROT_EXEC))
    fail("cannot make compiled code executable");
  if (size_ > text_bytes && mprotect(base_ + text_bytes, size_ - text_bytes, PROT_READ))
    fail("cannot seal compiled constants");
}

LoadedCode::~LoadedCode() {
  profiler_hooks_.reset();
  munmap(base_, size_);
}

}  // namespace cuda_device::runtime
