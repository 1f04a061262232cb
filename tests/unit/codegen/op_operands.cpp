#include "unit/codegen/op_operands.h"

#include <cmath>
#include <random>

namespace cuda_device::codegen::test {
namespace {

constexpr size_t kRow = 64;  // at least as many as there are troublesome numbers
constexpr size_t kPairs = kRow * kRow;
constexpr size_t kElements = kPairs + 500;

using Numbers = std::vector<int64_t>;  // as Inst::imm of a constant

Numbers troublesome_floats(ScalarKind kind) {
  const double values[] = {0.0,          -0.0,          1,       -1,           0.5,
                           -0.5,         1.5,           2.5,     -2.5,         3,
                           10,           100.25,        -7.75,   HUGE_VAL,     -HUGE_VAL,
                           std::nan(""), 1e-40,         -1e-45,  5e-324,       0x1p-126,
                           0x1p-1022,    1e30,          3.4e38,  1e300,        -1e300,
                           127.5,        128,           -128.5,  -129,         255.5,
                           256,          32767.5,       32768,   65535.5,      65536,
                           0x1p31,       0x1p32,        -0x1p31, 0x1p31 - 128, 0x1p32 - 256,
                           0x1p31 - 1,   0x1p31 - 0.5,  0x1p63,  0x1p64,       -0x1p63,
                           0x1p53 + 2,   0x1p63 - 1024, 0.1,     -0.99,        1e-5,
                           3.14159,      87.5,          -87.5,   -105,         709.5,
                           -745.5,       22.5,          -32769,  1e17,         4e36,
                           89,           710.25};
  static_assert(std::size(values) < kRow);
  Numbers numbers;
  for (double v : values) numbers.push_back(ir::float_bits(kind, v));
  // Next to a zero of lgamma, where float64's is right to 1e-15, not to an ulp.
  if (kind == ScalarKind::F32) numbers.push_back(ir::float_bits(kind, -2.4570248));
  return numbers;
}

Numbers troublesome_integers(ScalarKind kind) {
  Numbers numbers;
  const auto most = static_cast<int64_t>((uint64_t{1} << (bits_of(kind) - 1)) - 1);
  for (int64_t v :
       {0, 1, 2, 3, 5, 7, 8, 16, 24, 31, 32, 33, 63, 64, 127, 149, 150, 255, 1074, 1100, 1000003})
    for (int64_t w : {v, -v}) numbers.push_back(w);
  for (int64_t v : {most, most - 1, -most - 1, -most, int64_t{0x123456789abcdef}, int64_t{1} << 51,
                    int64_t{1} << 52, (int64_t{1} << 53) + 1, int64_t{1} << 31,
                    (int64_t{1} << 32) - 1, int64_t{1} << 32, (int64_t{1} << 24) + 1})
    numbers.push_back(v);
  return numbers;
}

Numbers troublesome(ScalarKind kind) {
  if (is_bool(kind)) return {0, 1};
  return is_float(kind) ? troublesome_floats(kind) : troublesome_integers(kind);
}

int64_t draw(ScalarKind kind, std::mt19937_64& random) {
  const auto bits = static_cast<int64_t>(random());
  if (!is_float(kind) || random() % 4 == 0) return bits;
  return ir::float_bits(
      kind, std::ldexp(static_cast<double>(bits), static_cast<int>(random() % 80) - 90));
}

size_t position(size_t element, int index) {
  const size_t column = element % kRow, row = element / kRow;
  return index == 0 ? column : index == 1 ? row : row / 2 + 7 * (column / 2);
}

TestArray operand_array(ScalarKind kind, int index) {
  const Numbers numbers = troublesome(kind);
  TestArray array = TestArray::of_bytes(kind, {int64_t{kElements}});
  std::mt19937_64 random(static_cast<uint64_t>(index));
  const auto size = static_cast<size_t>(bytes_of(kind));
  for (size_t i = 0; i < kElements; ++i) {
    const bool drawn = i >= kPairs && !is_bool(kind);
    const int64_t v = drawn ? draw(kind, random) : numbers[position(i, index) % numbers.size()];
    std::memcpy(array.data() + i * size, &v, size);
  }
  return array;
}

}  // namespace

uint32_t operand_sets() { return kElements; }

TestArguments troublesome_arguments(const OpCases& cases) {
  TestArguments arguments;
  for (int index : {0, 1, 2}) arguments.emplace_back(operand_array(cases.front().operand, index));
  arguments.emplace_back(operand_array(ScalarKind::Bool, 2));
  arguments.emplace_back(operand_array(ScalarKind::I32, 1));
  arguments.emplace_back(operand_array(ScalarKind::I64, 1));
  for (const OpCase& c : cases)
    arguments.emplace_back(TestArray::of_bytes(c.result, {int64_t{kElements}}));
  return arguments;
}

}  // namespace cuda_device::codegen::test
