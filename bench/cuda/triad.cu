extern "C" __global__ void __launch_bounds__(BLOCK_X)
    triad(float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c, float s,
          int n) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}
