// Every type code, width and number of lanes: read as the scalar of that name, or refused.
#include "interop/dlpack_type.h"

#include <gtest/gtest.h>

#include <map>

namespace cuda_device::interop::dlpack {
namespace {

// Codes and widths of the specification, by our names.
const std::map<std::pair<int, int>, std::string> kScalars = {
    {{0, 8}, "int8"},      {{0, 16}, "int16"},      {{0, 32}, "int32"},      {{0, 64}, "int64"},
    {{1, 8}, "uint8"},     {{1, 16}, "uint16"},     {{1, 32}, "uint32"},     {{1, 64}, "uint64"},
    {{2, 32}, "float32"},  {{2, 64}, "float64"},    {{6, 8}, "bool"},        {{2, 16}, "float16"},
    {{4, 16}, "bfloat16"}, {{10, 8}, "float8e4m3"}, {{12, 8}, "float8e5m2"},
};
// By their parts.
const std::map<std::pair<int, int>, std::string> kComplexNumbers = {
    {{5, 64}, "float32"},
    {{5, 128}, "float64"},
};

DataType type_of(int code, int bits, int lanes = 1) {
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
}

TEST(DlpackType, everyCodeAndWidth) {
  for (int code = 0; code < 256; ++code)
    for (int bits = 0; bits < 256; ++bits) {
      DtypeId dtype;
      std::optional<Refusal> refusal = read_type(type_of(code, bits), dtype);
      const auto& known = code == kComplex ? kComplexNumbers : kScalars;
      auto expected = known.find({code, bits});
      ASSERT_EQ(!refusal, expected != known.end()) << code << " " << bits;
      if (!refusal) {
        EXPECT_EQ(name_of(dtype.scalar()), expected->second);
        EXPECT_EQ(has_parts(type_of(code, bits)), code == kComplex);
      } else {
        EXPECT_EQ(refusal->code, DiagCode::argument_dtype) << code << " " << bits;
      }
    }
}

TEST(DlpackType, MessagesOfRefusals) {
  DtypeId dtype;
  EXPECT_EQ(read_type(type_of(0, 4), dtype)->args.at(0), "arrays of 'int4'");
  EXPECT_EQ(read_type(type_of(3, 64), dtype)->args.at(0), "arrays of 'opaque64'");
  EXPECT_EQ(read_type(type_of(99, 32), dtype)->args.at(0), "arrays of 'type code 99 of 32 bits'");
}

TEST(DlpackType, lanes) {
  DtypeId dtype;
  for (int lanes : {0, 5, 8, 65535}) {
    std::optional<Refusal> refusal = read_type(type_of(2, 32, lanes), dtype);
    ASSERT_TRUE(refusal) << lanes;
    EXPECT_EQ(refusal->code, DiagCode::dlpack_refused);
    EXPECT_EQ(refusal->args.at(0), "elements of " + std::to_string(lanes) + " lanes");
  }
  for (int lanes : {2, 3, 4}) {
    EXPECT_FALSE(read_type(type_of(2, 32, lanes), dtype));
    EXPECT_TRUE(has_parts(type_of(2, 32, lanes)));
    EXPECT_EQ(dtype.scalar(), ScalarKind::F32);
    for (int code : {5, 6})
      EXPECT_EQ(read_type(type_of(code, code == 5 ? 64 : 8, lanes), dtype)->code,
                DiagCode::argument_dtype);
  }
}

}  // namespace
}  // namespace cuda_device::interop::dlpack
