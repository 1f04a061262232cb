float normal_cdf(float d) { return 0.5f + 0.5f * erf(d * 0.70710678f); }

kernel void black_scholes(global float* call, global float* put, global const float* price,
                          global const float* strike, global const float* years, float rate,
                          float volatility, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float s = price[i];
  float k = strike[i];
  float t = years[i];
  float spread = volatility * sqrt(t);
  float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
  float d2 = d1 - spread;
  float n1 = normal_cdf(d1);
  float n2 = normal_cdf(d2);
  float discounted = k * exp(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
