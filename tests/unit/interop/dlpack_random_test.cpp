// Tensors of random fields: each is refused, or read as the specification says. Shape and strides
// take as much memory as their dimensions, so that the address sanitizer sees a read beyond them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>

#include "interop/dlpack_tensor.h"
#include "interop/dlpack_type.h"
#include "interop/span.h"

namespace cuda_device::interop::dlpack {
namespace {

using Wide = __int128;  // in which nothing overflows

class RandomTensor {
 public:
  explicit RandomTensor(std::mt19937_64& bits) : bits_(bits) {
    ndim_ = static_cast<int32_t>(one_of({0, 1, 1, 2, 2, 3, 64, 65, -1}));
    const auto axes = static_cast<size_t>(std::max(ndim_, 0));
    shape_ = numbers(axes, {0, 1, 2, 3, 5});
    strides_ = numbers(axes, {-4, -1, 0, 1, 4});
    tensor_ = {reinterpret_cast<void*>(one_of({0, 1, 4096, 1 << 20, 1 << 30, -4096, kLargest})),
               {static_cast<int32_t>(one_of({1, 1, 1, 1, 2, 3, 13, 14, 0, -1, 99})), 0},
               ndim_,
               {static_cast<uint8_t>(one_of({0, 1, 2, 2, 4, 5, 6, 10, 12, 3, any()})),
                static_cast<uint8_t>(one_of({8, 16, 32, 32, 64, 128, any()})),
                static_cast<uint16_t>(one_of({1, 1, 1, 1, 2, 3, 4, any()}))},
               one_of({0, 1, 1, 1, 1}) ? shape_.get() : nullptr,
               one_of({0, 1, 1}) ? strides_.get() : nullptr,
               static_cast<uint64_t>(one_of({0, 0, 0, 8, 1 << 12, kLargest, -1}))};
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  static constexpr int64_t kLargest = INT64_MAX;
  int64_t any() { return static_cast<int64_t>(bits_() % 256); }
  int64_t one_of(std::initializer_list<int64_t> choices) {
    return choices.begin()[bits_() % choices.size()];
  }
  std::unique_ptr<int64_t[]> numbers(size_t count, std::initializer_list<int64_t> sound) {
    auto made = std::make_unique<int64_t[]>(count);
    for (size_t i = 0; i < count; ++i)
      made[i] = bits_() % 16 ? one_of(sound)
                             : one_of({-2, int64_t{1} << 31, int64_t{1} << 40, int64_t{1} << 61,
                                       int64_t{1} << 62, INT64_MIN, kLargest});
    return made;
  }

  std::mt19937_64& bits_;
  int32_t ndim_;
  std::unique_ptr<int64_t[]> shape_, strides_;
  Tensor tensor_;
};

// The elements as the specification has them: how many, and the bytes [low, high) that they take.
struct Elements {
  explicit Elements(const Tensor& tensor) {
    const Wide item = bytes_of(tensor.dtype);
    low = Wide{reinterpret_cast<uintptr_t>(tensor.data)} + tensor.byte_offset;
    high = low + item;
    Wide compact = item;
    for (int i = tensor.ndim; i-- > 0;) {
      const Wide stride = tensor.strides ? tensor.strides[i] * item : compact;
      strides.insert(strides.begin(), stride);
      const Wide reach = (tensor.shape[i] - 1) * stride;
      (reach < 0 ? low : high) += reach;
      empty |= tensor.shape[i] == 0;
      compact *= std::max<int64_t>(tensor.shape[i], 1);
    }
  }
  bool empty = false;
  Wide low, high;
  std::vector<Wide> strides;
};

void check(const Tensor& tensor, const abi::ArrayView& view) {
  const Elements wanted(tensor);
  ASSERT_EQ(view.ndim, tensor.ndim);
  for (int i = 0; i < view.ndim; ++i) {
    ASSERT_EQ(view.shape[i], tensor.shape[i]);
    ASSERT_GE(view.shape[i], 0);
    ASSERT_TRUE(view.strides[i] == wanted.strides[static_cast<size_t>(i)]);
  }
  const int64_t item = bytes_of(tensor.dtype);
  const std::optional<Span> span = span_of(view, item);
  ASSERT_TRUE(span);
  if (wanted.empty) {
    ASSERT_EQ(span->low, span->high);
    return;
  }
  ASSERT_TRUE(span->low == wanted.low && span->high == wanted.high);
  ASSERT_NE(tensor.data, nullptr);
}

// Ten times as many with CUDA_DEVICE_LONG_TESTS.
TEST(DlpackRandom, refusedOrRead) {
  const int count = std::getenv("CUDA_DEVICE_LONG_TESTS") ? 1'000'000 : 100'000;
  std::mt19937_64 bits(31);
  int read_well = 0;
  for (int i = 0; i < count; ++i) {
    const RandomTensor random(bits);
    abi::ArrayView view;
    if (read(random.tensor(), false, view)) continue;
    ++read_well;
    check(random.tensor(), view);
    if (HasFatalFailure()) FAIL() << "tensor " << i;
  }
  EXPECT_GT(read_well, count / 50);
  EXPECT_LT(read_well, count / 2);
}

}  // namespace
}  // namespace cuda_device::interop::dlpack
