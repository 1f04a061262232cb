// European options: exp, log and erf inlined, square root and divisions correctly rounded. AVX-512
// takes two or four vectors through all of it at a time, AVX2 a part of L1 through one third after
// the other.
#include "baselines.h"
#include "polynomials.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr float kSqrtHalf = 0.707106781f;
constexpr int64_t kChunk = 4096;  // options a thread takes at a time

struct Market {
  float rate, volatility;
};

struct Prices {
  Vec call, put;
};

inline Vec normal_cdf(Vec d) {
  return fma(splat(0.5f), erf(mul(d, splat(kSqrtHalf))), splat(0.5f));
}

// Where the two normal distributions are taken, and the strike's present value.
struct Moves {
  Vec d1, d2, discounted;
};

inline Moves moves(Vec price, Vec strike, Vec years, Market market) {
  Vec drift = splat(market.rate + 0.5f * market.volatility * market.volatility);
  Vec spread = mul(splat(market.volatility), sqrt(years));
  Vec d1 = div(fma(drift, years, log(div(price, strike))), spread);
  Vec d2 = sub(d1, spread);
  return {d1, d2, mul(strike, exp(mul(splat(-market.rate), years)))};
}

inline Prices prices(Vec price, Vec discounted, Vec n1, Vec n2) {
  const Vec one = splat(1);
  return {fnma(discounted, n2, mul(price, n1)),
          fms(discounted, sub(one, n2), mul(price, sub(one, n1)))};
}

inline Prices prices(Vec price, Vec strike, Vec years, Market market) {
  Moves m = moves(price, strike, years, market);
  return prices(price, m.discounted, normal_cdf(m.d1), normal_cdf(m.d2));
}

struct Book {
  float *call, *put;
  const float *price, *strike, *years;
};

[[gnu::always_inline]] inline void price_rest(const Book& b, Market market, int64_t first,
                                              int64_t last) {
  for (int64_t i = first; i < last; i += kLanes) {
    Mask m = first_lanes(last - i);
    Prices p = prices(load(b.price + i, m), load(b.strike + i, m), load(b.years + i, m), market);
    store(b.call + i, p.call, m);
    store(b.put + i, p.put, m);
  }
}

#if defined(__AVX512F__)

template <int K>
void price_range(const Book& b, Market market, int64_t first, int64_t last) {
  int64_t i = first;
  for (; i + K * kLanes <= last; i += K * kLanes) {
    Prices p[K];
    for (int k = 0; k < K; ++k) {
      int64_t j = i + k * kLanes;
      p[k] = prices(load(b.price + j), load(b.strike + j), load(b.years + j), market);
    }
    for (int k = 0; k < K; ++k) {
      store(b.call + i + k * kLanes, p[k].call);
      store(b.put + i + k * kLanes, p[k].put);
    }
  }
  price_rest(b, market, i, last);
}

#else

// Sixteen registers do not hold several vectors of all this. Three passes over a part of L1 do:
// each is so short that the processor has many vectors of it in flight by itself.
template <int K>
void price_range(const Book& b, Market market, int64_t first, int64_t last) {
  constexpr int64_t kPart = 64 * K;
  alignas(64) float n1[kPart], n2[kPart], discounted[kPart];
  int64_t i = first;
  for (; i + kPart <= last; i += kPart) {
    for (int64_t j = 0; j < kPart; j += kLanes) {
      const int64_t at = i + j;
      Moves m = moves(load(b.price + at), load(b.strike + at), load(b.years + at), market);
      store(n1 + j, m.d1);
      store(n2 + j, m.d2);
      store(discounted + j, m.discounted);
    }
    for (float* n : {n1, n2})
      for (int64_t j = 0; j < kPart; j += kLanes) store(n + j, normal_cdf(load(n + j)));
    for (int64_t j = 0; j < kPart; j += kLanes) {
      Prices p = prices(load(b.price + i + j), load(discounted + j), load(n1 + j), load(n2 + j));
      store(b.call + i + j, p.call);
      store(b.put + i + j, p.put);
    }
  }
  price_rest(b, market, i, last);
}

#endif

template <int K>
void black_scholes(int threads, const Book& book, Market market, int64_t n) {
  parallel_chunks(threads, n, kChunk,
                  [&](int64_t first, int64_t last) { price_range<K>(book, market, first, last); });
}

template <Vec (*F)(Vec)>
void map(float* y, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; i += kLanes) {
    Mask m = first_lanes(n - i);
    store(y + i, F(load(x + i, m)), m);
  }
}

}  // namespace
}  // namespace cuda_device::bench

void hand_black_scholes_x2(int threads, float* call, float* put, const float* price,
                           const float* strike, const float* years, float rate, float volatility,
                           int64_t n) {
  cuda_device::bench::black_scholes<2>(threads, {call, put, price, strike, years},
                                       {rate, volatility}, n);
}

void hand_black_scholes_x4(int threads, float* call, float* put, const float* price,
                           const float* strike, const float* years, float rate, float volatility,
                           int64_t n) {
  cuda_device::bench::black_scholes<4>(threads, {call, put, price, strike, years},
                                       {rate, volatility}, n);
}

void hand_exp(float* y, const float* x, int64_t n) {
  cuda_device::bench::map<cuda_device::bench::exp>(y, x, n);
}

void hand_log(float* y, const float* x, int64_t n) {
  cuda_device::bench::map<cuda_device::bench::log>(y, x, n);
}

void hand_erf(float* y, const float* x, int64_t n) {
  cuda_device::bench::map<cuda_device::bench::erf>(y, x, n);
}
