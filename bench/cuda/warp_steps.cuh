// Sums and scans of the 32 values of a warp.
#pragma once

constexpr unsigned kFull = 0xffffffff;

// In every lane, the sum of all.
__device__ inline float summed(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kFull, value, distance);
  return value;
}

// The sum of the lanes up to each and with it.
__device__ inline float scanned(float value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    float below = __shfl_up_sync(kFull, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}
