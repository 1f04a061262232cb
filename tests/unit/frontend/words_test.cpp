// Scalars that share a word on a GPU: the IR for one does what that for the host does.
#include <gtest/gtest.h>

#include <random>

#include "program_reader.h"
#include "support/render.h"

namespace cuda_device::frontend::testing {
namespace {

constexpr int64_t kLanes = 32, kResults = 4 * kLanes;

std::unique_ptr<ir::Function> lowered(const Case& c, const std::string& target) {
  Request request = c.request();
  request.target = TargetName::of(target);
  try {
    return lower(request);
  } catch (const DiagnosticError& e) {
    for (const Diagnostic& d : e.diagnostics) ADD_FAILURE() << render(d, c.program.files);
    return nullptr;
  }
}

std::vector<int64_t> results(const ir::Function& f, std::vector<int64_t> input) {
  std::vector<int64_t> out(kResults);
  const auto argument = [](std::vector<int64_t>& v) {
    return ir::Argument{0,
                        {reinterpret_cast<char*>(v.data()),
                         {static_cast<int64_t>(v.size())},
                         {static_cast<int64_t>(sizeof(int64_t))}}};
  };
  const std::vector<ir::Argument> arguments = {argument(out), argument(input)};
  ir::interpret(f, arguments, {.grid = {1, 1, 1}, .block = {kLanes, 1, 1}}, 1'000'000);
  return out;
}

std::vector<int64_t> numbers() {
  std::mt19937_64 random(5);
  std::vector<int64_t> all(kLanes);
  for (int64_t& v : all) v = static_cast<int64_t>(random());
  return all;
}

size_t count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Words, onGpusAndOnTheHostAreTheSame) {
  const auto cases = read_cases(CD_TEST_PROGRAMS "/words.cases");
  EXPECT_EQ(cases.size(), 4u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto host = lowered(c, "interpreter"), gpu = lowered(c, "sm_90");
    ASSERT_TRUE(host && gpu);
    EXPECT_EQ(ir::verify(*gpu), std::vector<std::string>());
    EXPECT_LT(count(ir::print(*gpu), "= shuffle") + count(ir::print(*gpu), "= match"),
              count(ir::print(*host), "= shuffle") + count(ir::print(*host), "= match"));
    const std::vector<int64_t> expected = results(*host, numbers());
    EXPECT_EQ(results(*gpu, numbers()), expected);
    EXPECT_NE(expected, std::vector<int64_t>(kResults));
  }
}

}  // namespace
}  // namespace cuda_device::frontend::testing
