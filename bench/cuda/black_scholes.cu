static __device__ float normal_cdf(float d) { return 0.5f + 0.5f * erff(d * 0.70710678f); }

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    black_scholes(float* __restrict__ call, float* __restrict__ put,
                  const float* __restrict__ price, const float* __restrict__ strike,
                  const float* __restrict__ years, float rate, float volatility, int n) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= n) return;
  float s = price[i], k = strike[i], t = years[i];
  float spread = volatility * sqrtf(t);
  float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
  float d2 = d1 - spread;
  float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  float discounted = k * expf(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
