// Programs whose results in the interpreter must be those of plain Python: programs/run_*.py.
#include <bit>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "program_reader.h"
#include "support/render.h"

namespace cuda_device::frontend::testing {
namespace {

// Memory of a test array, in C order, with room for any strides.
struct Memory {
  std::vector<char> bytes;
  ir::ArrayArgument argument;
};

void copy_element(char* to, ScalarKind kind, int64_t bits) {
  std::memcpy(to, &bits, static_cast<size_t>(bytes_of(kind)));
}

Memory memory_of(const TestArray& a, ScalarKind kind) {
  Memory m;
  m.bytes.resize(a.elements.size() * static_cast<size_t>(bytes_of(kind)) + 1);
  for (size_t i = 0; i < a.elements.size(); ++i)
    copy_element(m.bytes.data() + i * static_cast<size_t>(bytes_of(kind)), kind,
                 element_bits(kind, a.elements[i]));
  m.argument = {m.bytes.data(), a.shape, a.strides};
  return m;
}

int64_t scalar_bits(const syntax::Value& v, ScalarKind kind) {
  if (v.kind == syntax::Value::Kind::Bool) return v.boolean;
  if (v.kind == syntax::Value::Kind::Int) return static_cast<int64_t>(v.integer);
  char text[40];
  std::snprintf(text, sizeof text, "%a", v.real);
  return element_bits(kind, text);
}

std::string element_text(const Memory& m, ScalarKind kind, size_t i) {
  int64_t bits = 0;
  std::memcpy(&bits, m.bytes.data() + i * static_cast<size_t>(bytes_of(kind)),
              static_cast<size_t>(bytes_of(kind)));
  const bool nan = is_float(kind) && std::isnan(float_of_bits(kind, bits));
  return nan ? "nan" : std::to_string(bits);  // the bits of a NaN mean nothing
}

void expect_same(const Case& c, size_t argument, const Memory& found, ScalarKind kind) {
  const Memory expected = memory_of(c.expected[argument].array, kind);
  for (size_t i = 0; i < c.expected[argument].array.elements.size(); ++i) {
    EXPECT_EQ(element_text(found, kind, i), element_text(expected, kind, i))
        << c.name << ": argument " << argument << ", element " << i << " should be "
        << c.expected[argument].array.elements[i];
  }
}

void run(const Case& c) {
  std::unique_ptr<ir::Function> f;
  try {
    f = lower(c.request());
  } catch (const DiagnosticError& e) {
    for (const Diagnostic& d : e.diagnostics)
      ADD_FAILURE() << c.name << ": " << render(d, c.program.files);
    return;
  }
  const std::vector<std::string> invalid = ir::verify(*f);
  ASSERT_TRUE(invalid.empty()) << c.name << ": " << invalid[0] << "\n" << ir::print(*f);
  std::vector<Memory> memory(c.arguments.size());
  std::vector<ir::Argument> arguments;
  for (size_t i = 0; i < c.arguments.size(); ++i) {
    const TestArgument& given = c.arguments[i];
    if (!given.is_array && given.scalar.kind == syntax::Value::Kind::None) continue;
    ASSERT_LT(arguments.size(), f->params.size());
    const ScalarKind kind = f->params[arguments.size()].type.scalar();
    ir::Argument& argument = arguments.emplace_back();
    if (given.is_array) {
      memory[i] = memory_of(given.array, kind);
      argument.array = memory[i].argument;
    } else {
      argument.scalar = scalar_bits(given.scalar, kind);
    }
  }
  ASSERT_EQ(arguments.size(), f->params.size());
  ir::interpret(*f, arguments, c.grid, 10'000'000);
  for (size_t i = 0; i < c.arguments.size(); ++i)
    if (c.arguments[i].is_array) expect_same(c, i, memory[i], c.types[i].dtype.scalar());
}

class Runs : public ::testing::TestWithParam<const char*> {};

TEST_P(Runs, likePython) {
  size_t count = 0;
  for (const Case& c : read_cases(std::string(CD_TEST_PROGRAMS "/") + GetParam() + ".cases")) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(c.runs) << c.name;
    run(c);
    ++count;
  }
  EXPECT_GT(count, 2u);
}

INSTANTIATE_TEST_SUITE_P(Programs, Runs,
                         ::testing::Values("run_kernels", "run_control", "run_calls",
                                           "run_operators"));

}  // namespace
}  // namespace cuda_device::frontend::testing
