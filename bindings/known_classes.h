// What is known of classes of late, so that a launch need not look them up for each argument.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "bindings/python.h"

namespace cuda_device::bindings {

// Python gives a class another tag when the class or a base of it changes, and never the same to
// two; 0 is none. Used with the GIL held.
template <class T>
class KnownClasses {
 public:
  // Null where nothing is known.
  const T* find(PyTypeObject* type) const {
    const Known& known = known_[place(type)];
    const bool same = known.type == type && known.tag == type->tp_version_tag && known.tag != 0;
    return same ? &known.value : nullptr;
  }
  const T& add(PyTypeObject* type, T value = {}) {
    Known& known = known_[place(type)];
    known = {type, type->tp_version_tag, std::move(value)};
    return known.value;
  }

 private:
  struct Known {
    PyTypeObject* type = nullptr;
    unsigned tag = 0;
    T value{};
  };
  static constexpr size_t kKnown = 64;
  static size_t place(PyTypeObject* type) {
    return reinterpret_cast<uintptr_t>(type) / alignof(std::max_align_t) % kKnown;
  }
  std::array<Known, kKnown> known_;
};

}  // namespace cuda_device::bindings
