// Reads what dump.py writes.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "ir/interpreter.h"

namespace cuda_device::frontend::testing {

struct TestArray {
  std::vector<int64_t> shape, strides;
  std::vector<std::string> elements;  // in C order
};

struct TestArgument {
  bool is_array = false;
  TestArray array;
  syntax::Value scalar;
};

struct Case {
  std::string name;
  DialectName dialect = DialectName::Device;
  syntax::Program program;
  std::vector<ArgumentType> types;
  bool runs = false;
  ir::Grid grid;
  std::vector<TestArgument> arguments, expected;

  Request request() const;
};

std::deque<Case> read_cases(const std::string& path);
// "array[float32, 2]", "int", "(float32, int)", "read_only array[int8, 1]"
ArgumentType parse_type(const std::string& text);
// The IR's constant of an element as dump.py writes it.
int64_t element_bits(ScalarKind kind, const std::string& text);

}  // namespace cuda_device::frontend::testing
