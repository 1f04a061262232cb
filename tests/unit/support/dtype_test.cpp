// Dtype ids and their structural bytes.
#include "support/dtype.h"

#include <gtest/gtest.h>

namespace cuda_device {
namespace {

const RecordLayout kPoint{
    12, 4, {{0, ScalarKind::F32}, {4, ScalarKind::F32}, {8, ScalarKind::I32}}};
const RecordLayout kWide{16, 16, {{0, ScalarKind::F64}, {8, ScalarKind::U8}}};

std::string bytes_of_dtype(DtypeId id, const DtypeTable& table) {
  ByteWriter out;
  write_dtype(out, id, table);
  return out.take();
}

std::optional<DtypeId> dtype_of(std::string_view bytes, DtypeTable& table) {
  ByteReader in(bytes);
  const auto id = read_dtype(in, table);
  return in.ended_well() ? id : std::nullopt;
}

TEST(Dtype, AScalarIsItsKindAndOneByte) {
  DtypeTable table;
  for (int i = 0; i < kScalarCount; ++i) {
    const auto kind = static_cast<ScalarKind>(i);
    const DtypeId id = kind;
    EXPECT_TRUE(id.is_scalar());
    EXPECT_EQ(id.scalar(), kind);
    EXPECT_EQ(table.bytes_of(id), static_cast<uint32_t>(bytes_of(kind)));
    EXPECT_EQ(table.align_of(id), static_cast<uint32_t>(bytes_of(kind)));
    const std::string bytes = bytes_of_dtype(id, table);
    EXPECT_EQ(bytes, std::string(1, static_cast<char>(i)));
    EXPECT_EQ(dtype_of(bytes, table), id);
  }
}

TEST(Dtype, EqualLayoutsAreOneRecord) {
  DtypeTable table;
  const DtypeId point = table.add(kPoint), wide = table.add(kWide);
  EXPECT_EQ(table.add(RecordLayout(kPoint)), point);
  EXPECT_NE(point, wide);
  EXPECT_FALSE(point.is_scalar());
  EXPECT_THROW(point.scalar(), InternalError);
  EXPECT_EQ(table.bytes_of(point), 12u);
  EXPECT_EQ(table.align_of(point), 4u);
  EXPECT_EQ(table.align_of(wide), 16u);
  EXPECT_TRUE(table.has(wide));
  EXPECT_FALSE(DtypeTable().has(wide));
}

// Wherever a record stands in its process's table.
TEST(Dtype, ARecordIsTheSameBytesInEveryTable) {
  DtypeTable here, there;
  const DtypeId point = here.add(kPoint);
  there.add(kWide);
  const DtypeId same = there.add(kPoint);
  ASSERT_NE(point, same);
  const std::string bytes = bytes_of_dtype(point, here);
  EXPECT_EQ(bytes_of_dtype(same, there), bytes);
  EXPECT_EQ(dtype_of(bytes, there), same);
  DtypeTable empty;
  const auto read = dtype_of(bytes, empty);
  ASSERT_TRUE(read);
  EXPECT_EQ(empty.record(*read), kPoint);
}

TEST(Dtype, EachPartOfALayoutIsInItsBytes) {
  DtypeTable table;
  const std::string bytes = bytes_of_dtype(table.add(kPoint), table);
  const auto differs = [&](auto change) {
    RecordLayout other = kPoint;
    change(other);
    return bytes_of_dtype(table.add(other), table) != bytes;
  };
  EXPECT_TRUE(differs([](RecordLayout& r) { r.size = 16; }));
  EXPECT_TRUE(differs([](RecordLayout& r) { r.align = 2; }));
  EXPECT_TRUE(differs([](RecordLayout& r) { r.leaves.pop_back(); }));
  EXPECT_TRUE(differs([](RecordLayout& r) { r.leaves[2].scalar = ScalarKind::U32; }));
  EXPECT_TRUE(differs([](RecordLayout& r) { r.leaves = {{0, ScalarKind::F32}}; }));
}

TEST(Dtype, OtherBytesAreNoDtype) {
  DtypeTable table;
  const std::string bytes = bytes_of_dtype(table.add(kPoint), table);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(dtype_of(bytes.substr(0, size), table)) << size;
  for (int lead = kScalarCount; lead < 256; ++lead) {
    std::string other = bytes;
    other[0] = static_cast<char>(lead);
    EXPECT_EQ(dtype_of(other, table).has_value(), other == bytes) << lead;
  }
  std::string many = bytes;
  many.replace(9, 4, 4, '\xff');  // more leaves than there are bytes
  EXPECT_FALSE(dtype_of(many, table));
}

TEST(Dtype, LayoutsThatCannotBeAreRefused) {
  const auto sane = [](auto change) {
    RecordLayout record = kPoint;
    change(record);
    return record.is_sane();
  };
  EXPECT_TRUE(sane([](RecordLayout&) {}));
  EXPECT_TRUE(kWide.is_sane());
  EXPECT_FALSE(sane([](RecordLayout& r) { r.size = 0; }));
  EXPECT_FALSE(sane([](RecordLayout& r) { r.size = 10; }));  // no multiple of its alignment
  EXPECT_FALSE(sane([](RecordLayout& r) { r.size = 8; }));   // a leaf beyond its end
  EXPECT_FALSE(sane([](RecordLayout& r) { r.align = 3; }));
  EXPECT_FALSE(sane([](RecordLayout& r) { r.align = 0; }));
  EXPECT_FALSE(sane([](RecordLayout& r) { r.size = r.align = 32; }));
  EXPECT_FALSE(sane([](RecordLayout& r) { r.size = RecordLayout::kMostBytes + 4; }));
  EXPECT_FALSE(sane([](RecordLayout& r) { r.leaves[1].offset = 3; }));  // overlaps the first
  EXPECT_FALSE(sane([](RecordLayout& r) { r.leaves[2].offset = UINT32_MAX; }));
  EXPECT_FALSE(sane([](RecordLayout& r) { r.leaves[0].scalar = ScalarKind{100}; }));
}

}  // namespace
}  // namespace cuda_device
