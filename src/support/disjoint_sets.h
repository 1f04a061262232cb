// Numbers in sets that are united (union-find).
#pragma once

#include <cstdint>
#include <vector>

namespace cuda_device {

class DisjointSets {
 public:
  DisjointSets() = default;
  explicit DisjointSets(size_t count) {
    parent_.reserve(count);
    while (parent_.size() < count) add();
  }

  // A number of a set of its own.
  uint32_t add() {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    return parent_.back();
  }
  // The lowest number of the set, which stands for it.
  uint32_t find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }
  uint32_t size() const { return static_cast<uint32_t>(parent_.size()); }

 private:
  std::vector<uint32_t> parent_;
};

}  // namespace cuda_device
