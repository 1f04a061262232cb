// Atomic access to memory of the host from Python, as kernels that run meanwhile and other threads
// have it. Every operation is sequentially consistent: that is as strong as any order asked for.
#include "bindings/values/atomic_access.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <atomic>
#include <bit>
#include <cstring>

#include "bindings/numpy.h"
#include "bindings/values/component.h"
#include "ir/atomic.h"
#include "support/check.h"

namespace cuda_device::bindings {
namespace {

using Pair = unsigned __int128;

// The instruction for 16 bytes, without the library that compilers call for them.
#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
Pair swap_pair(Pair* at, Pair expected, Pair wanted) {
  return __sync_val_compare_and_swap(at, expected, wanted);
}

#if defined(__x86_64__)
// One access where the CPU has AVX, as its makers promise, and as kernels load such elements.
__attribute__((target("avx"))) Pair load_vector(const Pair* at) {
  __m128i found;
  asm volatile("vmovdqa %1, %0" : "=x"(found) : "m"(*at) : "memory");
  return std::bit_cast<Pair>(found);
}
#endif

// Without AVX, memory is written back as it was: it must be writable.
Pair load_pair(Pair* at) {
#if defined(__x86_64__)
  static const bool has_avx = __builtin_cpu_supports("avx");
  if (has_avx) return load_vector(at);
#endif
  return swap_pair(at, 0, 0);
}

template <class Bits>
Bits from_bytes(nb::handle bytes) {
  Bits bits{};
  std::memcpy(&bits, PyBytes_AsString(bytes.ptr()), sizeof(Bits));
  return bits;
}

template <class Bits>
nb::object to_bytes(Bits bits) {
  return nb::bytes(reinterpret_cast<const char*>(&bits), sizeof(Bits));
}

// The element of an array without dimensions, as bits of its size.
template <class Bits>
class Element {
 public:
  explicit Element(void* at) : at_(static_cast<Bits*>(at)) {}

  Bits load() const {
    if constexpr (sizeof(Bits) == 16)
      return load_pair(at_);
    else
      return std::atomic_ref(*at_).load();
  }
  // What it held.
  Bits exchange(Bits wanted) const {
    return change([&](Bits) { return wanted; });
  }
  Bits swap_if(Bits expected, Bits wanted) const {
    if constexpr (sizeof(Bits) == 16) {
      return swap_pair(at_, expected, wanted);
    } else {
      std::atomic_ref(*at_).compare_exchange_strong(expected, wanted);
      return expected;
    }
  }
  template <class F>
  Bits change(F&& next) const {
    for (Bits old = load();;) {
      const Bits found = swap_if(old, next(old));
      if (found == old) return old;
      old = found;
    }
  }

 private:
  Bits* at_;
};

// Calls f with the element of that array.
template <class F>
nb::object with_element(nb::handle array, F&& f) {
  if (!PyArray_Check(array.ptr())) throw nb::type_error("an array of NumPy is expected");
  auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  void* at = PyArray_DATA(a);
  switch (PyArray_ITEMSIZE(a)) {
    case 1:
      return f(Element<uint8_t>(at), uint8_t{});
    case 2:
      return f(Element<uint16_t>(at), uint16_t{});
    case 4:
      return f(Element<uint32_t>(at), uint32_t{});
    case 8:
      return f(Element<uint64_t>(at), uint64_t{});
    case 16:
      return f(Element<Pair>(at), Pair{});
    default:
      throw nb::value_error("elements of 1, 2, 4, 8 or 16 bytes are expected");
  }
}

ir::AtomicKind kind_named(const std::string& name) {
  for (size_t i = 0; i < ir::kAtomicKinds.size(); ++i)
    if (ir::kAtomicKinds[i] == name) return static_cast<ir::AtomicKind>(i);
  throw nb::value_error("no such operation");
}

ScalarKind scalar_of(nb::handle array) {
  const auto* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(array.ptr()));
  const std::optional<ScalarKind> scalar = scalar_of_type_number(descr->type_num);
  if (!scalar) throw nb::type_error("numbers are expected");
  return *scalar;
}

nb::object load(nb::handle array) {
  return with_element(array, [](auto element, auto) { return to_bytes(element.load()); });
}

nb::object exchange(nb::handle array, const nb::bytes& wanted) {
  return with_element(array, [&](auto element, auto bits) {
    return to_bytes(element.exchange(from_bytes<decltype(bits)>(wanted)));
  });
}

// Compares the bits that `numbers` has; the others, padding, are expected as they are found.
nb::object swap_if(nb::handle array, const nb::bytes& expected, const nb::bytes& wanted,
                   const nb::bytes& numbers) {
  return with_element(array, [&](auto element, auto bits) {
    using Bits = decltype(bits);
    const Bits compared = from_bytes<Bits>(numbers);
    const Bits asked = static_cast<Bits>(from_bytes<Bits>(expected) & compared);
    for (Bits found = element.load();;) {
      if (static_cast<Bits>(found & compared) != asked) return to_bytes(found);
      const Bits whole = found;
      found = element.swap_if(whole, from_bytes<Bits>(wanted));
      if (found == whole) return to_bytes(found);
    }
  });
}

nb::object update(nb::handle array, const std::string& name, const nb::bytes& operand) {
  const ir::AtomicKind kind = kind_named(name);
  const ScalarKind scalar = scalar_of(array);
  const int64_t given = component_bits(scalar, PyBytes_AsString(operand.ptr()));
  return with_element(array, [&](auto element, auto bits) {
    using Bits = decltype(bits);
    return to_bytes(element.change([&](Bits old) {
      return static_cast<Bits>(ir::after_atomic(kind, scalar, component_bits(scalar, &old), given));
    }));
  });
}

}  // namespace

void register_atomic_access(nb::module_& module) {
  module.def("atomic_load", load, nb::arg("array"));
  module.def("atomic_exchange", exchange, nb::arg("array"), nb::arg("wanted"));
  module.def("atomic_swap_if", swap_if, nb::arg("array"), nb::arg("expected"), nb::arg("wanted"),
             nb::arg("numbers"));
  module.def("atomic_update", update, nb::arg("array"), nb::arg("operation"), nb::arg("operand"));
}

}  // namespace cuda_device::bindings
