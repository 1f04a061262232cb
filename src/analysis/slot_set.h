// A set of a function's slots, a bit each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_device::analysis {

class SlotSet {
 public:
  explicit SlotSet(size_t slots = 0) : slots_(slots), words_((slots + 63) / 64) {}

  size_t size() const { return slots_; }  // slots there are, members or not
  bool operator[](size_t slot) const { return words_[slot / 64] >> (slot % 64) & 1; }
  bool empty() const {
    for (uint64_t word : words_)
      if (word) return false;
    return true;
  }
  void insert(size_t slot) { words_[slot / 64] |= uint64_t{1} << (slot % 64); }
  void erase(size_t slot) { words_[slot / 64] &= ~(uint64_t{1} << (slot % 64)); }
  void clear() { words_.assign(words_.size(), 0); }

  // Whether it grew.
  bool add(const SlotSet& other) {
    uint64_t added = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      added |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return added != 0;
  }
  void keep(const SlotSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void remove(const SlotSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }

  // Calls f(slot) for the members, in order.
  template <class F>
  void for_each(F&& f) const {
    for (size_t i = 0; i < words_.size(); ++i)
      for (uint64_t rest = words_[i]; rest; rest &= rest - 1)
        f(64 * i + static_cast<size_t>(std::countr_zero(rest)));
  }

 private:
  size_t slots_;
  std::vector<uint64_t> words_;
};

}  // namespace cuda_device::analysis
