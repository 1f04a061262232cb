// A queue that keeps its memory while it is used: where one thread puts in and another takes out,
// a deque's blocks would go from the one's heap back to it all the time, under the heap's lock.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cuda_device::runtime {

template <class T>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  T& front() { return slot(0); }
  // Takes the value, unless it throws.
  void push_back(T&& value) {
    if (count_ == slots_.size()) grow();
    slot(count_++) = std::move(value);
  }
  T pop_front() {
    T first = std::exchange(slots_[head_], T());
    head_ = (head_ + 1) & (slots_.size() - 1);
    if (--count_ == 0 && slots_.size() > kKept) slots_ = std::vector<T>();
    if (count_ == 0) head_ = 0;
    return first;
  }
  // The first one that it holds of; null: none.
  template <class Predicate>
  const T* find_if(Predicate predicate) const {
    for (size_t i = 0; i < count_; ++i)
      if (const T& value = slots_[(head_ + i) & (slots_.size() - 1)]; predicate(value))
        return &value;
    return nullptr;
  }
  template <class Predicate>
  T* find_if(Predicate predicate) {
    return const_cast<T*>(std::as_const(*this).find_if(predicate));
  }

 private:
  static constexpr size_t kFirst = 16, kKept = 1024;

  T& slot(size_t place) { return slots_[(head_ + place) & (slots_.size() - 1)]; }
  void grow() {
    std::vector<T> larger(slots_.empty() ? kFirst : 2 * slots_.size());
    for (size_t i = 0; i < count_; ++i) larger[i] = std::move(slot(i));
    slots_.swap(larger);
    head_ = 0;
  }

  std::vector<T> slots_;  // a power of two, or none
  size_t head_ = 0, count_ = 0;
};

}  // namespace cuda_device::runtime
