// What the baselines are written in: vectors as wide as the compiled instruction set has them,
// under short names. Both widths offer the same types and functions; where the best form of an
// algorithm differs between them, its file says how.
//
//   Vec, Ints    kLanes floats, kLanes 32-bit integers
//   Mask         which lanes: from a comparison, or for a load or store of some
//   kFreeMasks   whether a masked load or store costs what a whole one does
#pragma once

#include <cstdint>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include "simd_avx512.h"
#elif defined(__AVX2__) && defined(__FMA__)
#include "simd_avx2.h"
#else
#error \
    "The hand-written baselines need AVX-512 F and DQ, or AVX2 and FMA (bench/build checks this)."
#endif

namespace cuda_device::bench {

constexpr int kLine = 16;                     // floats of a cache line
constexpr int kLineVectors = kLine / kLanes;  // a line is one vector or two

// Outputs of this size and more get streaming stores where a function chooses by itself.
constexpr int64_t kStreamBytes = 16 << 20;

// Takes the place of a mask: whole vectors.
struct AllLanes {};
inline Vec load(const float* p, AllLanes) { return load(p); }
inline void store(float* p, Vec x, AllLanes) { store(p, x); }

// The lanes below `count`: whole vectors without a mask, where masks cost something.
template <class T, class Vector>
inline void store_first(T* p, Vector x, int64_t count) {
  if (!kFreeMasks && count >= kLanes) return store(p, x);
  store(p, x, first_lanes(count));
}

template <bool kStream>
inline void put(float* p, Vec x) {
  if constexpr (kStream)
    stream(p, x);
  else
    store(p, x);
}

inline void prefetch(const float* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
}

inline void prefetch_l2(const float* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1);
}

}  // namespace cuda_device::bench
