#include "warp_steps.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    sort_32(float* __restrict__ out, const float* __restrict__ source, int n) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int lane = threadIdx.x % 32;
  float x = source[i];
#pragma unroll
  for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
      float other = __shfl_xor_sync(kFull, x, step);
      bool smaller = ((lane & step) == 0) == ((lane & size) == 0);
      x = smaller ? (other < x ? other : x) : (other > x ? other : x);
    }
  }
  out[i] = x;
}
