// Values in a row, without the heap while they are few.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace cuda_device::bindings {

template <class T, size_t kInline>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void push_back(T value) {
    if (count_ < kInline) [[likely]]
      few_[count_++] = value;
    else
      more_.push_back(value);
  }
  // Visits the elements in their order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (size_t i = 0; i < count_; ++i) visit(few_[i]);
    for (const T& value : more_) visit(value);
  }

 private:
  T few_[kInline];
  size_t count_ = 0;
  std::vector<T> more_;
};

}  // namespace cuda_device::bindings
