// Images as bytes: the same image back, or none; never one that would be placed wrongly.
#include <gtest/gtest.h>

#include "abi/array_view.h"
#include "dispatch/disk/entry.h"
#include "dispatch/disk/image_bytes.h"

namespace cuda_device::dispatch {
namespace {

using abi::ImageKind;
using abi::KernelImage;

KernelImage host_image() {
  KernelImage image;
  image.name = "k\xc3\xa4";
  image.target = "x86-64/avx2";
  image.params = abi::layout_of({{true, true, ScalarKind::F32, 3},
                                 {false, false, ScalarKind::I8, 0},
                                 {true, false, ScalarKind::U64, 0}});
  for (int i = 0; i < 100; ++i) image.code.push_back(static_cast<uint8_t>(i * 37));
  image.text_size = 60;
  image.entry = 16;
  image.imports = {{"fma", 64}, {"Sleef_sind8_u10avx512f", 92}};
  image.static_shared = 1234;
  image.dynamic_shared = true;
  image.counted_axes = 5;
  image.arena = 5678;
  image.width = 64;
  image.tables = {{0, abi::WorkerTable::Merge::Add, ScalarKind::I32},
                  {2, abi::WorkerTable::Merge::Min, ScalarKind::U64}};
  image.threads = true;
  image.stack = 91011;
  image.failures = {{"ValueError", {"x < \xc3\xa4{:3d}", {ScalarKind::U16}}, false, 7, -8},
                    {"AssertionError", {std::string("a\0b", 3)}, true, 0, 70000}};
  image.formats = {{"", {}}, {"{}\n{:.3f}", {ScalarKind::I8, ScalarKind::F64}}};
  image.sites = {{0, 12}, {70000, -3}};
  image.warnings = {{DiagCode::int_of_wide, 3, {0, 1, 2, 4, 70000}, {"'x'", "", "\xc3\xa4"}},
                    {DiagCode::float_meets_float64, 0, {}, {}}};
  return image;
}

KernelImage ptx_image() {
  KernelImage image;
  image.kind = ImageKind::Ptx;
  image.name = image.entry_name = "k";
  image.target = "sm_90";
  for (const char c : std::string_view(".version 8.4\n"))
    image.code.push_back(static_cast<uint8_t>(c));
  image.code.push_back(0);
  return image;
}

void expect_same(const KernelImage& a, const KernelImage& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.params.size, b.params.size);
  ASSERT_EQ(a.params.slots.size(), b.params.slots.size());
  for (size_t i = 0; i < a.params.slots.size(); ++i) {
    const abi::ParamSlot &x = a.params.slots[i], &y = b.params.slots[i];
    EXPECT_TRUE(x.is_array == y.is_array && x.read_only == y.read_only && x.dtype == y.dtype &&
                x.ndim == y.ndim && x.item == y.item && x.offset == y.offset && x.size == y.size)
        << i;
  }
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.dynamic_shared, b.dynamic_shared);
  EXPECT_EQ(a.counted_axes, b.counted_axes);
  EXPECT_EQ(a.text_size, b.text_size);
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.entry_name, b.entry_name);
  ASSERT_EQ(a.imports.size(), b.imports.size());
  for (size_t i = 0; i < a.imports.size(); ++i)
    EXPECT_TRUE(a.imports[i].name == b.imports[i].name &&
                a.imports[i].offset == b.imports[i].offset)
        << i;
  EXPECT_EQ(a.static_shared, b.static_shared);
  EXPECT_EQ(a.arena, b.arena);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.threads, b.threads);
  ASSERT_EQ(a.tables.size(), b.tables.size());
  for (size_t i = 0; i < a.tables.size(); ++i)
    EXPECT_TRUE(a.tables[i].param == b.tables[i].param && a.tables[i].merge == b.tables[i].merge &&
                a.tables[i].element == b.tables[i].element)
        << i;
  EXPECT_EQ(a.stack, b.stack);
  EXPECT_EQ(a.sites, b.sites);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.formats, b.formats);
  EXPECT_EQ(a.warnings, b.warnings);
}

TEST(ImageBytes, ComeBackAsTheyWere) {
  for (const KernelImage& image : {host_image(), ptx_image()}) {
    const auto back = image_of(bytes_of(image));
    ASSERT_TRUE(back);
    expect_same(*back, image);
  }
}

const RecordLayout kPoint{
    12, 4, {{0, ScalarKind::F32}, {4, ScalarKind::F32}, {8, ScalarKind::F32}}};
const RecordLayout kWide{16, 16, {{0, ScalarKind::F64}, {8, ScalarKind::I8}}};

// A byte, an array of points, a wide record and a point; the records added to the image's table in
// this order.
KernelImage image_of_records(const std::vector<RecordLayout>& added) {
  KernelImage image = host_image();
  for (const RecordLayout& record : added) image.dtypes.add(record);
  const DtypeId point = image.dtypes.add(kPoint), wide = image.dtypes.add(kWide);
  image.params = abi::layout_of({{false, false, ScalarKind::I8, 0},
                                 {true, false, point, 2},
                                 {false, false, wide, 0},
                                 {false, false, point, 0}},
                                image.dtypes);
  image.tables = {{1, abi::WorkerTable::Merge::Add, ScalarKind::I32}};
  return image;
}

TEST(ImageBytes, RecordsComeBackByTheirStructure) {
  const KernelImage image = image_of_records({kPoint, kWide});
  const auto back = image_of(bytes_of(image));
  ASSERT_TRUE(back);
  expect_same(*back, image);  // read in the order in which they were added
  EXPECT_EQ(back->dtypes.record(back->params.slots[1].dtype), kPoint);
  EXPECT_EQ(back->dtypes.record(back->params.slots[2].dtype), kWide);
  EXPECT_EQ(back->params.slots[2].offset % 16, 0u);
  EXPECT_EQ(bytes_of(image_of_records({kWide, kPoint})), bytes_of(image));
}

TEST(ImageBytes, ThoseOfAnotherVersionAreNoImage) {
  const std::string bytes = bytes_of(host_image());
  for (int i = 0; i < 4; ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 4);
    EXPECT_FALSE(image_of(other)) << i;
  }
}

TEST(ImageBytes, PartsOfThemAreNoImage) {
  for (const KernelImage& image : {host_image(), ptx_image(), image_of_records({})}) {
    const std::string bytes = bytes_of(image);
    for (size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(image_of(bytes.substr(0, size))) << size;
    EXPECT_FALSE(image_of(bytes + '\0'));
  }
}

// What the loader relies on, written down once more.
bool can_be_placed(const KernelImage& image) {
  for (const abi::ParamSlot& slot : image.params.slots)
    if (!image.dtypes.has(slot.dtype) || slot.ndim > 32) return false;
  if (image.kind == ImageKind::Ptx)
    return std::string_view(reinterpret_cast<const char*>(image.code.data()), image.code.size())
               .find('\0') != std::string_view::npos;
  bool good = image.kind == ImageKind::HostCode && image.text_size <= image.code.size() &&
              image.entry < image.text_size && (image.width == 32 || image.width == 64);
  for (const abi::Import& import : image.imports)
    good &= import.offset >= image.text_size && import.offset + uint64_t{8} <= image.code.size();
  return good;
}

TEST(ImageBytes, AnyByteChangedIsRefusedOrHarmless) {
  int refused = 0;
  for (const KernelImage& image : {host_image(), ptx_image(), image_of_records({})}) {
    const std::string bytes = bytes_of(image);
    for (size_t at = 0; at < bytes.size(); ++at)
      for (const int change : {0x01, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        const auto back = image_of(damaged);
        refused += !back;
        EXPECT_TRUE(!back || can_be_placed(*back)) << at;
      }
  }
  EXPECT_GT(refused, 100);
}

TEST(ImageBytes, PlacesBeyondTheCodeAreRefused) {
  const auto refused = [](auto change) {
    KernelImage image = host_image();
    change(image);
    return !image_of(bytes_of(image));
  };
  EXPECT_FALSE(refused([](KernelImage&) {}));
  EXPECT_TRUE(refused([](KernelImage& i) { i.text_size = 101; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.entry = i.text_size; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.imports[0].offset = 93; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.imports[0].offset = UINT32_MAX; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.imports[1].offset = 8; }));  // its own text
  EXPECT_TRUE(refused([](KernelImage& i) { i.width = 0; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.tables[1].param = 1; }));  // no array
  EXPECT_TRUE(refused([](KernelImage& i) { i.tables[1].param = 3; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.tables[0].element = ScalarKind::F32; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.tables[0].element = ScalarKind::I16; }));
  EXPECT_TRUE(
      refused([](KernelImage& i) { i.tables[0].merge = static_cast<abi::WorkerTable::Merge>(6); }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.tables.resize(9, i.tables[0]); }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.params.slots[0].ndim = abi::kMaxDims + 1; }));
  EXPECT_TRUE(refused([](KernelImage& i) { i.kind = static_cast<ImageKind>(2); }));
}

const std::string kKey = "what it depends on", kValue = "what came of it";

TEST(Entry, HoldsKeyAndValue) {
  const std::string bytes = entry_bytes(kKey, kValue);
  EXPECT_EQ(read_entry(bytes, kKey).value, kValue);
  EXPECT_EQ(entry_name(kKey).size(), 71u);
  EXPECT_NE(entry_name(kKey), entry_name(kValue));
}

// A file of another key under this key's name, as if their digests were the same.
TEST(Entry, OfAnotherKeyIsWholeButNotOurs) {
  const EntryContents contents = read_entry(entry_bytes("another key", kValue), kKey);
  EXPECT_TRUE(contents.whole);
  EXPECT_FALSE(contents.value);
}

TEST(Entry, EveryBitIsChecked) {
  const std::string bytes = entry_bytes(kKey, kValue);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const EntryContents contents = read_entry(damaged, kKey);
    EXPECT_FALSE(contents.whole || contents.value) << bit;
  }
}

TEST(Entry, EveryLengthIsChecked) {
  const std::string bytes = entry_bytes(kKey, kValue);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_entry(bytes.substr(0, size), kKey).whole) << size;
  EXPECT_FALSE(read_entry(bytes + 'x', kKey).whole);
}

}  // namespace
}  // namespace cuda_device::dispatch
