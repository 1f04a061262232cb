#include "warp_steps.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    warp_sums(float* __restrict__ out, const float* __restrict__ source, int n) {
  __shared__ float part[BLOCK_X / 32];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK_X + t;
  float total = summed(i < n ? source[i] : 0.0f);
  if (t % 32 == 0) part[t / 32] = total;
  __syncthreads();
  if (t < 32) {
    total = summed(t < BLOCK_X / 32 ? part[t] : 0.0f);
    if (t == 0) out[blockIdx.x] = total;
  }
}
