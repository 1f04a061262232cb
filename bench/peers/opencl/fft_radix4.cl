float2 product(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// A pass of Stockham's transform: each work item a butterfly of four. span is a power of two.
kernel void fft_radix4(global float2* out, global const float2* source,
                       global const float2* twiddle, int n, int span) {
  int j = get_global_id(0);
  int quarter = n / 4;
  if (j >= quarter) return;
  int k = j & (span - 1);
  float2 w = twiddle[k];
  float2 w2 = product(w, w);
  float2 a = source[j];
  float2 b = product(w, source[j + quarter]);
  float2 c = product(w2, source[j + 2 * quarter]);
  float2 d = product(product(w, w2), source[j + 3 * quarter]);
  float2 s = a + c, t = a - c, u = b + d, v = b - d;
  v = (float2)(v.y, -v.x);
  int first = (j - k) * 4 + k;
  out[first] = s + u;
  out[first + span] = t + v;
  out[first + 2 * span] = s - u;
  out[first + 3 * span] = t - v;
}
