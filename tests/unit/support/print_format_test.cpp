// Numbers as Python writes them; formats read and written.
#include "support/print_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace cuda_device {
namespace {

std::string of(double value, const char* spec = "") {
  return number_text(ScalarKind::F64, std::bit_cast<int64_t>(value), *read_format_spec(spec));
}
std::string of(float value, const char* spec = "") {
  return number_text(ScalarKind::F32, std::bit_cast<uint32_t>(value), *read_format_spec(spec));
}
std::string of(int64_t value, const char* spec = "") {
  return number_text(ScalarKind::I64, value, *read_format_spec(spec));
}

TEST(PrintFormat, FloatsAreTheShortestThatReadBack) {
  EXPECT_EQ(of(0.1), "0.1");
  EXPECT_EQ(of(0.1f), "0.1");
  EXPECT_EQ(of(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(of(1.0), "1.0");
  EXPECT_EQ(of(-0.0), "-0.0");
  EXPECT_EQ(of(123456.0), "123456.0");
  EXPECT_EQ(of(1e15), "1000000000000000.0");
  EXPECT_EQ(of(1e16), "1e+16");
  EXPECT_EQ(of(1.5e16), "1.5e+16");
  EXPECT_EQ(of(1e-4), "0.0001");
  EXPECT_EQ(of(1.25e-4), "0.000125");
  EXPECT_EQ(of(1e-5), "1e-05");
  EXPECT_EQ(of(5e-324), "5e-324");
  EXPECT_EQ(of(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(of(16777216.0f), "16777216.0");
  EXPECT_EQ(of(HUGE_VAL), "inf");
  EXPECT_EQ(of(-HUGE_VALF), "-inf");
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(of(-std::numeric_limits<float>::quiet_NaN()), "nan");
}

TEST(PrintFormat, Integers) {
  EXPECT_EQ(of(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(number_text(ScalarKind::U64, -1), "18446744073709551615");
  EXPECT_EQ(number_text(ScalarKind::Bool, 1), "True");
  EXPECT_EQ(number_text(ScalarKind::Bool, 0), "False");
  EXPECT_EQ(of(int64_t{-255}, "x"), "-ff");
  EXPECT_EQ(of(int64_t{-255}, "X"), "-FF");
  EXPECT_EQ(of(int64_t{8}, "o"), "10");
  EXPECT_EQ(of(int64_t{42}, "+06d"), "+00042");
  EXPECT_EQ(of(int64_t{-42}, "06"), "-00042");
  EXPECT_EQ(of(int64_t{42}, "<6d"), "42    ");
  EXPECT_EQ(of(int64_t{42}, ">6"), "    42");
  EXPECT_EQ(of(int64_t{42}, " d"), " 42");
  EXPECT_EQ(of(int64_t{-42}, " d"), "-42");
  EXPECT_EQ(of(int64_t{123456}, "3d"), "123456");
}

TEST(PrintFormat, FloatsWithAPrecision) {
  EXPECT_EQ(of(3.14159, ".2f"), "3.14");
  EXPECT_EQ(of(3.14159, "8.2f"), "    3.14");
  EXPECT_EQ(of(-3.14159, "08.2f"), "-0003.14");
  EXPECT_EQ(of(2.5, ".0f"), "2");
  EXPECT_EQ(of(1234.5, "e"), "1.234500e+03");
  EXPECT_EQ(of(1234.5, ".1E"), "1.2E+03");
  EXPECT_EQ(of(1234567.0, "g"), "1.23457e+06");
  EXPECT_EQ(of(0.0001, "g"), "0.0001");
  EXPECT_EQ(of(0.1f, ".10f"), "0.1000000015");
  EXPECT_EQ(of(HUGE_VAL, "F"), "INF");
  EXPECT_EQ(of(1e308, ".3f").size(), 313u);
  EXPECT_EQ(of(1.5, "+"), "+1.5");
  EXPECT_EQ(of(1.5, "8"), "     1.5");
}

TEST(PrintFormat, WhatIsNoFormat) {
  for (const char* spec : {"5.f", "d5", "1000d", " +d", "x<>5", "5,_d", "!"})
    EXPECT_FALSE(read_format_spec(spec)) << spec;
}

TEST(PrintFormat, WhatDoesNotFit) {
  const auto refused = [](const char* spec, Formatted what) {
    return refused_in(*read_format_spec(spec), what);
  };
  EXPECT_EQ(refused(".3d", Formatted::Integer), "precision");
  EXPECT_EQ(refused(".3f", Formatted::Integer), "");
  EXPECT_EQ(refused("d", Formatted::Float), "d");
  EXPECT_EQ(refused("05", Formatted::Complex), "0 as the fill character");
  EXPECT_EQ(refused("+5", Formatted::String), "sign");
}

// What Python has of each of these is compared by the thousand in tests/kernels/test_formats.py.
TEST(PrintFormat, AlignmentGroupsAndTypes) {
  EXPECT_EQ(of(int64_t{-1234567}, ",d"), "-1,234,567");
  EXPECT_EQ(of(int64_t{1234}, "010,"), "00,001,234");
  EXPECT_EQ(of(int64_t{123}, "04,"), "0,123");
  EXPECT_EQ(of(int64_t{255}, "#_b"), "0b1111_1111");
  EXPECT_EQ(of(int64_t{5}, "\u00e9^4"), "\u00e95\u00e9\u00e9");
  EXPECT_EQ(of(int64_t{-5}, "x=5"), "-xxx5");
  EXPECT_EQ(of(int64_t{0x1F600}, "c"), "\U0001F600");
  EXPECT_EQ(of(int64_t{-1}, "c"), "\uFFFD");
  EXPECT_EQ(of(-0.001, "z.1f"), "0.0");
  EXPECT_EQ(of(123.0, ".3"), "1.23e+02");
  EXPECT_EQ(of(1.0, "#.3g"), "1.00");
  EXPECT_EQ(of(0.125, "%"), "12.500000%");
  EXPECT_EQ(string_text("text", *read_format_spec("^7.3")), "  tex  ");
}

TEST(PrintFormat, PiecesAndBraces) {
  const PrintFormatter formatter(
      {as_format("{a} ") + "{} of {:>4d}: {:.1f}" + as_format("}{") + "\n",
       {ScalarKind::Bool, ScalarKind::I32, ScalarKind::F64}});
  const int64_t values[] = {1, -7, std::bit_cast<int64_t>(0.25)};
  EXPECT_EQ(formatter.text([&](size_t k) { return values[k]; }), "{a} True of   -7: 0.2}{\n");
  EXPECT_EQ(PrintFormatter({"", {}}).text([](size_t) { return 0; }), "");
}

TEST(PrintFormat, Groups) {
  const auto text = [](const char* format, std::vector<int64_t> values) {
    const PrintFormat of{format, std::vector<DtypeId>(values.size(), ScalarKind::I32)};
    return PrintFormatter(of).text([&](size_t k) { return values[k]; });
  };
  EXPECT_EQ(text("<{?|small|big {:>3}|\\||}> {}", {1, 7, 8}), "<big   7> 8");
  EXPECT_EQ(text("<{?|small|big {:>3}|\\||}> {}", {2, 7, 8}), "<|> 8");
  EXPECT_EQ(text("{s:*^9|{}}{r|it's {}}", {1, 2}), "****1****\"it's 2\"");
  EXPECT_EQ(text("{?|a|{?|b|{}}}{}", {1, 1, 5, 6}), "56");
  EXPECT_EQ(text("{?|a|{?|b|{}}}{}", {0, 1, 5, 6}), "a6");
  EXPECT_EQ(text("{?|a|b}", {5}), "");
  EXPECT_EQ(alternatives_of("{?|a|\\}{:}>5}}").size(), 2u);
  EXPECT_TRUE(alternatives_of("{?|a|b}c").empty());
  EXPECT_TRUE(alternatives_of("{?|a}").empty());
  EXPECT_EQ(values_in("{}{?|{j}|{s:5|{}}}"), 5u);
}

// Formats of a damaged image.
TEST(PrintFormat, WhatIsMissingIsLeftOut) {
  const auto text = [](const PrintFormat& format) {
    return PrintFormatter(format).text([](size_t) { return 5; });
  };
  EXPECT_EQ(text({"a{}b{}c", {ScalarKind::I32}}), "a5bc");
  EXPECT_EQ(text({"a", {ScalarKind::I32}}), "a");
  EXPECT_EQ(text({"a{", {ScalarKind::I32}}), "a");
  EXPECT_EQ(text({"a{?|", {ScalarKind::I32}}), "a");
  EXPECT_EQ(text({"b{:zz}", {ScalarKind::I32}}), "b");
}

TEST(PrintedText, KeepsTheFirstMiB) {
  PrintedText text;
  const std::string line(1023, 'x');
  for (int i = 0; i < 1030; ++i) text.append(line + "\n");
  const std::string all = text.take();
  const std::string last = "... output dropped: that of 6 prints; a launch keeps the first MiB\n";
  EXPECT_EQ(all.size(), (1u << 20) + last.size());
  EXPECT_TRUE(all.ends_with("x\n" + last));
  EXPECT_EQ(text.take(), "");
}

TEST(PrintedText, NothingFitsAfterWhatDidNot) {
  PrintedText text;
  text.append("short ");
  text.append(std::string(1 << 20, 'x'));
  text.append("short");
  EXPECT_EQ(text.take(),
            "short \n... output dropped: that of 2 prints; a launch keeps the first MiB\n");
}

TEST(Failure, IsToldWithItsPlace) {
  const Failure failure{"ValueError", "too small"};
  EXPECT_EQ(text_of("k", failure, "k.py:12", {0, {3, 0, 1}, {17, 2, 0}}),
            "kernel 'k': too small (k.py:12, block (3, 0, 1), thread (17, 2, 0))");
  EXPECT_EQ(text_of("k", failure, "", {}),
            "kernel 'k': too small (block (0, 0, 0), thread (0, 0, 0))");
  const Failure of_values{
      "ValueError", {"\\{{:3d}\\} {}", {ScalarKind::I8, ScalarKind::Bool}}, false, 0, 0};
  EXPECT_EQ(text_of("k", of_values, "", {0, {}, {1, 0, 0}, {-7, 1}}),
            "kernel 'k': { -7} True (block (0, 0, 0), thread (1, 0, 0))");
}

}  // namespace
}  // namespace cuda_device
