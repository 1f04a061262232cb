// The benchmark's kernels in OpenCL C, one work item an element.

kernel void triad(global float* a, global const float* b, global const float* c, float s, int n) {
  int i = get_global_id(0);
  if (i < n) a[i] = b[i] + s * c[i];
}

kernel void copy2d(global float* out, global const float* source, int width, int height) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < width && y < height) out[y * width + x] = source[y * width + x];
}

kernel void mandelbrot(global int* out, int width, int height, float x0, float y0, float dx,
                       float dy, int limit) {
  int px = get_global_id(0);
  int py = get_global_id(1);
  if (px >= width || py >= height) return;
  float cx = x0 + px * dx;
  float cy = y0 + py * dy;
  float x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++n;
  }
  out[py * width + px] = n;
}

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
