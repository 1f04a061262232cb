// A table whose copies share what is alike in them: a copy costs nothing, a change the path to its
// leaf, and of two copies only what may differ is looked at. So the states of a program's many
// branches cost what happens in the branches, not the size of the program.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace cuda_device::analysis {

// Entries that were never set are T{}.
template <class T>
class SharedTable {
 public:
  SharedTable() = default;
  explicit SharedTable(size_t size) {
    for (size_t reach = kFanOut; reach < size; reach *= kFanOut) ++height_;
  }

  const T& operator[](size_t i) const {
    const Node* node = root_.get();
    for (size_t level = height_; node && level > 0; --level)
      node = static_cast<const Branch*>(node)->children[digit(i, level)].get();
    return node ? static_cast<const Leaf*>(node)->values[digit(i, 0)] : kUnset;
  }

  void set(size_t i, const T& value) {
    std::shared_ptr<Node>* place = &root_;
    for (size_t level = height_; level > 0; --level)
      place = &own<Branch>(*place).children[digit(i, level)];
    own<Leaf>(*place).values[digit(i, 0)] = value;
  }

  // Calls f(index, x, y) at least where the entries x of `a` and y of `b`, of one size, differ; not
  // where both share them.
  template <class F>
  static void for_each_difference(const SharedTable& a, const SharedTable& b, F&& f) {
    compare(a.root_.get(), b.root_.get(), a.height_, 0, f);
  }

 private:
  static constexpr size_t kBits = 4;
  static constexpr size_t kFanOut = size_t{1} << kBits;
  inline static const T kUnset{};

  struct Node {};
  struct Branch : Node {
    std::array<std::shared_ptr<Node>, kFanOut> children;
  };
  struct Leaf : Node {
    std::array<T, kFanOut> values{};
  };

  static size_t digit(size_t i, size_t level) { return (i >> (kBits * level)) % kFanOut; }

  // The node there, for this table alone.
  template <class Kind>
  static Kind& own(std::shared_ptr<Node>& place) {
    if (!place)
      place = std::make_shared<Kind>();
    else if (place.use_count() > 1)
      place = std::make_shared<Kind>(static_cast<const Kind&>(*place));
    return static_cast<Kind&>(*place);
  }

  template <class F>
  static void compare(const Node* a, const Node* b, size_t level, size_t first, F& f) {
    if (a == b) return;
    for (size_t k = 0; k < kFanOut; ++k) {
      const size_t index = first + (k << (kBits * level));
      if (level > 0)
        compare(child(a, k), child(b, k), level - 1, index, f);
      else
        f(index, value(a, k), value(b, k));
    }
  }
  static const Node* child(const Node* branch, size_t k) {
    return branch ? static_cast<const Branch*>(branch)->children[k].get() : nullptr;
  }
  static const T& value(const Node* leaf, size_t k) {
    return leaf ? static_cast<const Leaf*>(leaf)->values[k] : kUnset;
  }

  size_t height_ = 0;
  std::shared_ptr<Node> root_;
};

}  // namespace cuda_device::analysis
