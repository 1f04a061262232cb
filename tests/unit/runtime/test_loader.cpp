// The loader: what it places runs, what it refuses says why.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/host/loader.h"

namespace cuda_device::runtime {
namespace {

// mov rax, [rdi]; mov dword [rax], 42; ret
const uint8_t kStore42[] = {0x48, 0x8b, 0x07, 0xc7, 0x00, 0x2a, 0x00, 0x00, 0x00, 0xc3};

abi::KernelImage image_of_store42() {
  abi::KernelImage image;
  image.name = "store42";
  image.code.assign(std::begin(kStore42), std::end(kStore42));
  image.text_size = sizeof kStore42;
  return image;
}

#if defined(__x86_64__)
TEST(Loader, RunsWhatItPlaces) {
  LoadedCode code(image_of_store42());
  int value = 0;
  int* pointer = &value;
  code.entry()(&pointer, nullptr, 0, 1);
  EXPECT_EQ(value, 42);
}
#endif

TEST(Loader, FillsTheImportTable) {
  abi::KernelImage image = image_of_store42();
  image.code.resize(4096 + 8);
  image.imports.push_back({"fmodf", 4096});
  LoadedCode code(image);
  void* address = nullptr;
  std::memcpy(&address, static_cast<const char*>(code.base()) + 4096, 8);
  EXPECT_EQ(reinterpret_cast<float (*)(float, float)>(address)(7.0f, 4.0f), 3.0f);
}

std::string refusal(const abi::KernelImage& image) {
  try {
    LoadedCode code(image);
    return "";
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

TEST(Loader, RefusesUnknownImports) {
  abi::KernelImage image = image_of_store42();
  image.code.resize(4096 + 8);
  image.imports.push_back({"system", 4096});
  EXPECT_EQ(refusal(image), "kernel 'store42' imports unknown symbol 'system'");
}

TEST(Loader, RefusesDamagedImages) {
  abi::KernelImage image = image_of_store42();
  image.entry = 4096;
  EXPECT_EQ(refusal(image), "damaged kernel image of 'store42'");
  image = image_of_store42();
  image.imports.push_back({"fmodf", 4});
  EXPECT_EQ(refusal(image), "damaged import table in the image of 'store42'");
}

}  // namespace
}  // namespace cuda_device::runtime
