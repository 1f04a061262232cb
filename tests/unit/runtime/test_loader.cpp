// The loader: what it places runs, what it refuses says why. The array copies' geometry.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/cuda/array_copies.h"
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

struct ArrayBytes {
  uint64_t data;
  int64_t shape, stride;
};

TEST(ArrayCopies, OverlappingArraysShareARegion) {
  abi::ParamSlot array;
  array.is_array = true;
  array.scalar = ScalarKind::I32;
  array.ndim = 1;
  abi::ParamSlot read_only = array;
  read_only.read_only = true;
  const abi::ParamLayout layout = abi::layout_of({read_only, array, read_only, array});
  // [1000, 1040), reversed [1036, 1076) from its last element, [2000, 2004), and an empty one.
  const ArrayBytes params[] = {{1000, 10, 4}, {1072, 10, -4}, {2000, 1, 4}, {3000, 0, 4}};
  const auto regions = cuda::regions_of(layout, reinterpret_cast<const char*>(params));
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].begin, 1000u);
  EXPECT_EQ(regions[0].end, 1076u);
  EXPECT_TRUE(regions[0].written);
  EXPECT_EQ(regions[1].end, 2004u);
  EXPECT_FALSE(regions[1].written);
}

}  // namespace
}  // namespace cuda_device::runtime
