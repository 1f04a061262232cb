// The emitter of passes/simplify/math_f32.h over plain numbers: what its functions compute, at full
// speed.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cuda_device::passes {

struct PlainEmitter {
  using F = float;
  using D = double;
  using I = int32_t;
  using B = bool;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  float f(float v) { return v; }
  double d(double v) { return v; }
  int32_t i(int32_t v) { return v; }
  template <class T>
  T add(T a, T b) {
    return a + b;
  }
  template <class T>
  T sub(T a, T b) {
    return a - b;
  }
  template <class T>
  T mul(T a, T b) {
    return a * b;
  }
  template <class T>
  T div(T a, T b) {
    return a / b;
  }
  template <class T>
  T min(T a, T b) {
    return b < a ? b : a;
  }
  template <class T>
  T max(T a, T b) {
    return b > a ? b : a;
  }
  template <class T>
  T neg(T a) {
    return -a;
  }
  template <class T>
  T abs(T a) {
    return std::fabs(a);
  }
  template <class T>
  T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
  template <class T>
  T rint(T a) {
    return std::nearbyint(a);
  }
  template <class T>
  T trunc(T a) {
    return std::trunc(a);
  }
  template <class T>
  bool eq(T a, T b) {
    return a == b;
  }
  template <class T>
  bool ne(T a, T b) {
    return a != b;
  }
  template <class T>
  bool lt(T a, T b) {
    return a < b;
  }
  bool both(bool a, bool b) { return a && b; }
  bool either(bool a, bool b) { return a || b; }
  bool not_(bool a) { return !a; }
  float copysign(float a, float b) { return std::copysign(a, b); }
  float select(bool c, float a, float b) { return c ? a : b; }
  float logb(float a) { return std::logb(a); }
  float significand(float a) {
    if (std::isnan(a) || a < 0) return NAN;
    if (a == 0 || std::isinf(a)) return std::copysign(1.0f, a);
    int exponent = 0;
    const float half = std::frexp(a, &exponent);
    return 2 * half;
  }
  float scale_unit(float a, float n) { return n == n ? std::ldexp(a, static_cast<int>(n)) : n; }
  double widen(float a) { return a; }
  float narrow(double a) { return static_cast<float>(a); }
  int32_t to_int(float a) {
    if (!(a == a)) return 0;
    if (a >= 0x1p31f) return INT32_MAX;
    return a < -0x1p31f ? INT32_MIN : static_cast<int32_t>(a);
  }
  float to_float(int32_t a) { return static_cast<float>(a); }
  int32_t bits(float a) { return std::bit_cast<int32_t>(a); }
  float from_bits(int32_t a) { return std::bit_cast<float>(a); }
  int32_t iadd(int32_t a, int32_t b) { return wrap(uint32_t(a) + uint32_t(b)); }
  int32_t isub(int32_t a, int32_t b) { return wrap(uint32_t(a) - uint32_t(b)); }
  int32_t iand(int32_t a, int32_t b) { return a & b; }
  int32_t ixor(int32_t a, int32_t b) { return a ^ b; }
  int32_t shl(int32_t a, int n) { return wrap(uint32_t(a) << n); }
  int32_t sar(int32_t a, int n) { return a >> n; }

 private:
  static int32_t wrap(uint32_t v) { return static_cast<int32_t>(v); }
};

}  // namespace cuda_device::passes
