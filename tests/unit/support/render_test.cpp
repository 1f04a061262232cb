#include "support/render.h"

#include <gtest/gtest.h>

namespace cuda_device {
namespace {

SourceMap one_file(std::vector<std::string> lines, uint32_t first_line = 1) {
  return {{"kernel.py", first_line, std::move(lines)}};
}

// A message without a hint.
Diagnostic step_of_zero(Span span) { return {DiagCode::range_step_zero, span, {}, {}, "", {}}; }

std::string without_hint(const Diagnostic& d, const SourceMap& files) {
  const std::string text = render(d, files), hint = "\n" + hint_of(d);
  EXPECT_TRUE(text.ends_with(hint)) << text;
  return text.substr(0, text.size() - hint.size());
}

TEST(Render, operatorAndOperands) {
  const SourceMap files = one_file({"    c[i] = s + a[i] * k"}, 12);
  Diagnostic d{DiagCode::no_promotion,
               {0, 12, 11, 12, 23},
               {"add", "float8e4m3", "and", "float16", "s is float8e4m3; "},
               {},
               "in kernel 'vec_add', specialised for (array[float16, 1], float8e4m3)",
               {0, 12, 13, 12, 14}};
  EXPECT_EQ(render(d, files),
            "kernel.py:12:12: cannot add 'float8e4m3' and 'float16': no promotion is defined for "
            "this pair\n"
            "   12 |     c[i] = s + a[i] * k\n"
            "      |            ~~^~~~~~~~~~\n"
            "s is float8e4m3; cast one side explicitly\n"
            "  in kernel 'vec_add', specialised for (array[float16, 1], float8e4m3)");
}

TEST(Render, allMarkedWithoutOperator) {
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 4, 1, 7}), one_file({"y = abc + 1"})),
            "kernel.py:1:5: the step of range() is zero\n"
            "    1 | y = abc + 1\n"
            "      |     ^^^");
}

TEST(Render, columnsAreCharacters) {
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 5, 1, 9}), one_file({"ä = \xc3\xa9\xc3\xa9z"})),
            "kernel.py:1:5: the step of range() is zero\n"
            "    1 | ä = ééz\n"
            "      |     ^^");
}

// Wide characters take two columns, accents of their own none.
TEST(Render, marksStandBelowWhatTheyMark) {
  const std::string wide = "s = \"\xe6\x97\xa5\xe6\x9c\xac\"; x";
  const auto at = static_cast<uint32_t>(wide.size() - 1);
  EXPECT_EQ(
      without_hint(step_of_zero({0, 1, at, 1, at + 1}), one_file({wide})),
      "kernel.py:1:11: the step of range() is zero\n    1 | " + wide + "\n      |             ^");
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 4, 1, at - 2}), one_file({wide})),
            "kernel.py:1:5: the step of range() is zero\n    1 | " + wide + "\n      |     ^^^^^^");
  const std::string accents = "e\xcc\x81 + x";
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 6, 1, 7}), one_file({accents})),
            "kernel.py:1:6: the step of range() is zero\n    1 | " + accents + "\n      |     ^");
}

TEST(Render, tabsStayTabs) {
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 1, 1, 2}), one_file({"\tx"})),
            "kernel.py:1:2: the step of range() is zero\n"
            "    1 | \tx\n"
            "      | \t^");
}

TEST(Render, severalLinesShowTheFirst) {
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 4, 2, 3}), one_file({"y = (a +", "  b)"})),
            "kernel.py:1:5: the step of range() is zero\n"
            "    1 | y = (a +\n"
            "      |     ^^^^");
}

TEST(Render, sourceInOneLine) {
  const SourceMap files = one_file({"  assert (  a >", "\t0  )", "x"}, 7);
  EXPECT_EQ(source_text(files, {0, 7, 9, 8, 5}), "( a > 0 )");
  EXPECT_EQ(source_text(files, {0, 9, 0, 9, 1}), "x");
  EXPECT_EQ(source_text(files, {0, 9, 0, 10, 1}), "");
  EXPECT_EQ(source_text(files, {}), "");
}

TEST(Render, unknownPlaces) {
  EXPECT_EQ(without_hint(step_of_zero({}), {}), "the step of range() is zero");
  EXPECT_EQ(without_hint(step_of_zero({3, 1, 0, 1, 1}), one_file({"x"})),
            "<unknown>:1:1: the step of range() is zero");
  EXPECT_EQ(without_hint(step_of_zero({0, 99, 0, 99, 1}), one_file({"x"})),
            "kernel.py:99:1: the step of range() is zero");
  EXPECT_EQ(without_hint(step_of_zero({0, 1, 50, 1, 51}), one_file({"x"})),
            "kernel.py:1:2: the step of range() is zero\n"
            "    1 | x\n"
            "      |  ^");
}

TEST(Render, notesShowTheirOwnPlace) {
  Diagnostic d = step_of_zero({0, 2, 2, 2, 3});
  d.notes = {{{0, 1, 0, 1, 4}, "in 'f', called here"}, {{}, "and a remark"}};
  EXPECT_EQ(render(d, one_file({"f(1)", "  x"})),
            "kernel.py:2:3: the step of range() is zero\n"
            "    2 |   x\n"
            "      |   ^\n"
            "give another step; a negative one counts down\n"
            "kernel.py:1:1: in 'f', called here\n"
            "    1 | f(1)\n"
            "      | ^^^^\n"
            "and a remark");
}

TEST(Render, hintTakesArguments) {
  Diagnostic d{DiagCode::unknown_name_close, {}, {"lenght", "length"}, {}, "", {}};
  EXPECT_EQ(render(d, {}), "name 'lenght' is not defined\ndid you mean 'length'?");
}

}  // namespace
}  // namespace cuda_device
