#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

constexpr char kCopy[] = R"(kernel "copy"
LAUNCH
param @0 "a": array<KIND, 2> FACTS
param @1 "b": array<KIND, 2> FACTS
{
  %a = param @0 : array<KIND, 2>
  %b = param @1 : array<KIND, 2>
  %tx = tid #0 : int32
  %x = convert %tx : int64
  %ty = tid #1 : int32
  %y = convert %ty : int64
  %h = extent #0, %a : int64
  %w = extent #1, %a : int64
  %inx = lt %x, %w : bool
  %iny = lt %y, %h : bool
  %in = and %inx, %iny : bool
  if %in {
    %v = load %b, %y, %x : KIND
    store %a, %y, %x, %v
  }
}
)";

constexpr char kMove[] = R"(kernel "move"
launch block 64 1 1 grid_fits_31
param @0 "a": array<KIND, 1> FACTS
param @1 "b": array<KIND, 1> FACTS
param @2 "index": array<int32, 1> FACTS
{
  %a = param @0 : array<KIND, 1>
  %b = param @1 : array<KIND, 1>
  %index = param @2 : array<int32, 1>
  %t32 = tid #0 : int32
  %t64 = convert %t32 : int64
  %shift = const SHIFT : int64
  %t = sub %t64, %shift : int64
  %n = extent #0, %a : int64
  %one = const 1 : int64
  %two = const 2 : int64
  %four = const 4 : int64
  %zero = const 0 : int64
  %after_first = ge %t, %zero : bool
  %before_last = lt %t, %n : bool
  %in = and %after_first, %before_last : bool
  if %in {
    INDICES
    %v = load %b, %from : KIND
    store %a, %to, %v
  }
}
)";

}  // namespace

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

TestArray numbered(ScalarKind kind, std::vector<int64_t> shape) {
  TestArray a = TestArray::of_bytes(kind, std::move(shape));
  const auto size = static_cast<size_t>(bytes_of(kind));
  for (size_t i = 0; i < static_cast<size_t>(a.count()); ++i) {
    const auto n = static_cast<int64_t>(i);
    const int64_t value = is_float(kind)  ? ir::float_bits(kind, static_cast<double>(n) + 0.5)
                          : is_bool(kind) ? n % 3 == 0
                                          : n * 3 + 1;
    std::memcpy(a.data() + i * size, &value, size);
  }
  return a;
}

std::string copy_2d(ScalarKind kind, const std::string& launch, const std::string& facts) {
  const std::string text = replaced(kCopy, "KIND", std::string(name_of(kind)));
  return replaced(replaced(text, "LAUNCH", launch), "FACTS", facts);
}

std::string move_1d(ScalarKind kind, const std::string& facts, const std::string& indices,
                    int shift) {
  std::string text = replaced(kMove, "KIND", std::string(name_of(kind)));
  text = replaced(replaced(text, "FACTS", facts), "SHIFT", std::to_string(shift));
  return replaced(text, "INDICES", indices);
}

}  // namespace cuda_device::codegen::test
