#include "warp_steps.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    spmv_warps(float* __restrict__ y, const int* __restrict__ row_start,
               const int* __restrict__ column, const float* __restrict__ value,
               const float* __restrict__ x, int rows) {
  int row = (blockIdx.x * BLOCK_X + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float total = 0;
  int end = row_start[row + 1];
  for (int k = row_start[row] + lane; k < end; k += 32) total += value[k] * x[column[k]];
  total = summed(total);
  if (lane == 0) y[row] = total;
}
