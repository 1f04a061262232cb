#include "warp_steps.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    warp_scans(float* __restrict__ out, const float* __restrict__ source, int n) {
  __shared__ float part[BLOCK_X / 32];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK_X + t;
  float value = scanned(i < n ? source[i] : 0.0f);
  if (t % 32 == 31) part[t / 32] = value;
  __syncthreads();
  if (t < 32) {
    float sums = scanned(t < BLOCK_X / 32 ? part[t] : 0.0f);
    if (t < BLOCK_X / 32) part[t] = sums;
  }
  __syncthreads();
  if (t >= 32) value += part[t / 32 - 1];
  if (i < n) out[i] = value;
}
